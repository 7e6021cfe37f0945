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
 * Why rows are joined first and aggregated then, though another order might do. The wording is what
 * the user reads in the log.
 */
public enum JoinedFirstReason {
    NOT_INNER("the join is not an inner one, so rows without a match count too"),

    NO_JOIN_KEY("the join has no key"),

    CONDITION(
            "there is a condition beside the equi keys, so which rows are aggregated depends on the"
                    + " row they are joined with"),

    SEVERAL_GROUPINGS("it has several grouping sets, or none"),

    BOTH_SIDES("what is aggregated and what it is grouped by are not of one side of the join each"),

    NOT_UNIQUE(
            "the grouping key is not unique on its side of the join, so a group may have several rows"
                    + " there and each aggregated row counts as often"),

    NOT_DETERMINISTIC("an expression is not deterministic"),

    STATE_TTL("there is a state TTL or another hint, which would be about other states then"),

    SHARED("what is below it is planned once for several readers"),

    TIME("the join is one by time, on windows or with a table as of a time");

    private final String text;

    JoinedFirstReason(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
