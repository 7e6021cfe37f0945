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

/**
 * Why an aggregate above a join with which it is not fused is not split in two phases, though the
 * user has asked for it. The wording is what the user reads in the log.
 */
public enum OnePhaseReason {
    SHARED("what is below it is planned once for several readers"),

    NO_MERGE("a function of it cannot merge accumulators: it has no method merge");

    private final String text;

    OnePhaseReason(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
