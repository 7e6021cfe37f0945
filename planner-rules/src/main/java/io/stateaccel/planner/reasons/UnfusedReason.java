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
 * Why an aggregate or a top-N and the join below it stay two operators. The wording is what the
 * user reads in the log.
 */
public enum UnfusedReason {
    SWITCHED_OFF("table.exec.state-accel.join-aggregate-fusion.enabled is false"),

    RANK_FUSION_SWITCHED_OFF("table.exec.state-accel.join-rank-fusion.enabled is false"),

    DEDUPLICATION("it keeps the first or the last row by time, which is an operator of its own"),

    SHARED("what is below it is planned once for several readers"),

    NO_JOIN_KEY("the join has no key, so one task has all rows and there is no exchange to save"),

    GROUP_SPANS_JOIN_KEYS(
            "the grouping or partition key does not determine the join key, so rows of one group"
                    + " meet in different places"),

    PADDED_JOIN_KEY(
            "the grouping or partition key has the join key only from a side that an outer join fills"
                    + " with NULL, so rows of the group of NULL meet in different places"),

    SEVERAL_PARTITIONS(
            "the partition key has more than the join key, so one join key has several partitions"),

    VIEWS_OF_SEVERAL_GROUPS(
            "its accumulators keep values one by one (DISTINCT, or MIN and MAX of rows that may be"
                    + " retracted), which is covered only if the join key determines the group too");

    private final String text;

    UnfusedReason(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
