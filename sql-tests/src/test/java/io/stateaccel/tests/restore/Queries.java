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
package io.stateaccel.tests.restore;

import io.stateaccel.tests.differential.DifferentialCase;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Queries that share a job, because a job costs more than what a query computes. */
enum Queries implements Setting {
    JOINS(AcceleratedQuery.JOIN_OF_APPENDED_LISTS, AcceleratedQuery.INTERVAL_JOIN),
    AGGREGATES(AcceleratedQuery.GROUP_AGGREGATE, AcceleratedQuery.JOIN_AGGREGATE_OF_SINGLE_ROWS),
    TOP_N(AcceleratedQuery.TOP_N_OF_INSERTIONS, AcceleratedQuery.LAST_ROW),
    JOINS_WITH_TOP_N(
            AcceleratedQuery.JOIN_TOP_N_OF_INSERTIONS, AcceleratedQuery.JOIN_TOP_N_OF_ALL_CHANGES),
    JOINS_WITH_LOCAL_AGGREGATES(
            AcceleratedQuery.JOIN_LOCAL_AGGREGATE, AcceleratedQuery.LEFT_JOIN_LOCAL_AGGREGATE),
    TOP_N_WITH_TTL(true, AcceleratedQuery.TOP_N_OF_INSERTIONS, AcceleratedQuery.LAST_ROW),
    JOINS_WITH_STATE_TTL(
            AcceleratedQuery.LEFT_JOIN_OF_COUNTED_LISTS_WITH_STATE_TTL,
            AcceleratedQuery.RIGHT_JOIN_OF_SINGLE_ROWS_WITH_STATE_TTL),
    SINKS(AcceleratedQuery.SINK_OF_ANOTHER_KEY, AcceleratedQuery.SINK_OF_ANOTHER_KEY),
    UPSERT_TOPICS(AcceleratedQuery.NORMALIZED_UPSERTS, AcceleratedQuery.NORMALIZED_UPSERTS),
    WINDOWS(AcceleratedQuery.TUMBLING_WINDOW, AcceleratedQuery.CUMULATING_WINDOW_IN_ONE_PHASE),
    TEMPORAL_JOINS(AcceleratedQuery.TEMPORAL_JOIN, AcceleratedQuery.TEMPORAL_JOIN),
    OVER_AGGREGATES(AcceleratedQuery.OVER_RANGE, AcceleratedQuery.OVER_ALL_SO_FAR),
    WINDOW_ROWS(AcceleratedQuery.TOP_N_OF_WINDOWS, AcceleratedQuery.FULL_JOIN_OF_WINDOWS),
    OUTER_INTERVAL_JOINS(AcceleratedQuery.FULL_INTERVAL_JOIN, AcceleratedQuery.FULL_INTERVAL_JOIN),
    ROWS_BY_TIME(AcceleratedQuery.SORT_BY_ROW_TIME, AcceleratedQuery.FIRST_ROW_BY_ROW_TIME),
    SESSIONS_AND_GROUP_WINDOWS(
            AcceleratedQuery.SESSION_WINDOW, AcceleratedQuery.SESSION_GROUP_WINDOW),
    OVER_PROCESSING_TIME(
            AcceleratedQuery.OVER_PROCESSING_TIME_ROWS,
            AcceleratedQuery.OVER_PROCESSING_TIME_SO_FAR),
    PROCESSING_TIME_INTERVAL_JOINS(
            AcceleratedQuery.PROCESSING_TIME_INTERVAL_JOIN,
            AcceleratedQuery.PROCESSING_TIME_INTERVAL_JOIN),
    JOINS_THAT_NORMALIZE(
            AcceleratedQuery.LEFT_JOIN_THAT_NORMALIZES,
            AcceleratedQuery.JOIN_AGGREGATE_THAT_NORMALIZES),
    LONG_TOP_N_AND_LIMITS(AcceleratedQuery.LONG_TOP_N_OF_INSERTIONS, AcceleratedQuery.SESSION_ROWS),
    TOP_N_UP_TO_COLUMN(
            AcceleratedQuery.TOP_N_OF_INSERTIONS_UP_TO_COLUMN,
            AcceleratedQuery.TOP_N_OF_ALL_CHANGES_UP_TO_COLUMN),
    TABLE_AGGREGATES(
            AcceleratedQuery.TABLE_AGGREGATE_OF_TUMBLING_WINDOWS,
            AcceleratedQuery.TABLE_AGGREGATE_OF_SESSIONS),
    GROUP_TABLE_AGGREGATES(
            AcceleratedQuery.TABLE_AGGREGATE_OF_GROUPS, AcceleratedQuery.TABLE_AGGREGATE_OF_GROUPS);

    private final boolean ttl;
    private final Set<AcceleratedQuery> members;

    Queries(AcceleratedQuery first, AcceleratedQuery last) {
        this(false, first, last);
    }

    /**
     * @param ttl whether state expires some day
     */
    Queries(boolean ttl, AcceleratedQuery first, AcceleratedQuery last) {
        this.ttl = ttl;
        this.members = EnumSet.range(first, last);
    }

    Set<AcceleratedQuery> members() {
        return members;
    }

    List<DifferentialCase> cases(long seed, int changes) {
        return members.stream().map(query -> query.toCase(seed, changes, ttl)).toList();
    }
}
