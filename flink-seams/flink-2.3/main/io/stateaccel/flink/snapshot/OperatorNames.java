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
package io.stateaccel.flink.snapshot;

import java.util.Optional;
import org.apache.flink.runtime.checkpoint.OperatorState;

/** What a snapshot tells of operators by name, which it does from Flink 2.0 on. */
public final class OperatorNames {

    private OperatorNames() {}

    /** The name that the operator had in the plan. */
    public static Optional<String> nameOf(OperatorState operator) {
        return operator.getOperatorName();
    }

    /** The uid that the user gave it, or the planner. */
    public static Optional<String> uidOf(OperatorState operator) {
        return operator.getOperatorUid();
    }
}
