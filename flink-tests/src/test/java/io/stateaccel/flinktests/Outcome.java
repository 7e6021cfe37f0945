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
package io.stateaccel.flinktests;

import java.util.Optional;

/**
 * What became of one test of Flink in one {@link Mode}.
 *
 * @param test the class, without the packages that all have in common, and the method: {@code
 *     sql.JoinITCase.testInnerJoin}
 * @param parameters what JUnit shows for the parameters, empty for a test without
 * @param failure why it failed; empty if it held
 */
record Outcome(String test, String parameters, Optional<Throwable> failure) {

    boolean held() {
        return failure.isEmpty();
    }

    @Override
    public String toString() {
        return parameters.isEmpty() ? test : test + " [" + parameters + "]";
    }
}
