/*
 * Copyright the flink-state-accel authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.stateaccel.planner.reasons;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** The reasons that leave a node as Flink planned it. */
public final class ReasonsToStayStock {

    private ReasonsToStayStock() {}

    public static Set<Reason> all() {
        return Arrays.stream(Reason.values())
                .filter(reason -> reason.outcome() == Reason.Outcome.STAYS_STOCK)
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(Reason.class)));
    }
}
