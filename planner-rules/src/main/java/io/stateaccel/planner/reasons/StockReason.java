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

/** Why a stateful node stays as Flink planned it. The wording is what the user reads in the log. */
public enum StockReason {
    UPSERT_DECIDES_MATCH(
            "an outer, SEMI or ANTI join whose matches are upserts is not covered: Flink counts an"
                    + " upsert as one more match, so the results would differ"),

    UPSERT_WITH_CONDITION(
            "an input of upserts under a condition beside the equi keys is not covered: a row that"
                    + " stops matching is not retracted, so what is left depends on the order of"
                    + " the inputs"),

    OUTER_JOIN_WITH_STATE_TTL(
            "an outer, SEMI or ANTI join with state TTL is not covered: Flink makes a row live longer"
                    + " whenever it gains or loses a match, so the results would differ"),

    OUTER_INTERVAL_JOIN(
            "an outer interval join is not covered: Flink writes to every row whether it had a match,"
                    + " which appending cannot do"),

    PROCESSING_TIME_INTERVAL_JOIN(
            "an interval join on processing time is not covered: the time of a row would be that of"
                    + " its bundle, so the results would differ"),

    EMPTY_INTERVAL("its interval is empty, so it has no result and no state"),

    STATE_TTL("state TTL (table.exec.state.ttl or a STATE_TTL hint) is not covered yet"),

    ASYNC_STATE(
            "it runs on asynchronous state; set table.exec.async-state.enabled to false to accelerate it"),

    MULTI_JOIN(
            "a join of many inputs in one operator keeps no results between its joins, so a row"
                    + " reads every input and not one; set table.optimizer.multi-join.enabled to"
                    + " false, and leave MULTI_JOIN hints out, to have it planned as joins of two"
                    + " inputs, which are accelerated"),

    VARIABLE_RANK_END(
            "a top-N whose N is a column is not covered: rows that are no longer among the first may"
                    + " be again"),

    LONG_TOP_N(
            "a top-N of more than 1000 rows is not covered: they are stored as one value, which a"
                    + " change rewrites"),

    FIRST_ROW_BY_ROW_TIME(
            "keeping the first row by row time is not covered: it emits a key's row when the"
                    + " watermark passes it, and reads the state of a key without one only"),

    TOP_ONE_PLANNED_INSERT_ONLY(
            "Flink plans this top-1 as if it never took a row back (FLINK-40368), so what comes out of"
                    + " it depends on every row that ever was the first"),

    RANK_BY_PROCESSING_TIME(
            "a top-N by processing time is not covered: its rows carry no time to compare"),

    COMPILED_PLAN("compiled plans are written and executed as Flink's own nodes"),

    BUNDLED_BY_FLINK(
            "it reads and writes the state of a group once per bundle as it is; the state cache of the"
                    + " RocksDB layer holds its accumulators"),

    STATE_BY_WINDOW(
            "its state is a value or map per key and window, which the state cache of the RocksDB layer"
                    + " holds"),

    STATE_BY_TIME(
            "its result is one for each row, so there is no bundle to fold; its state is an"
                    + " accumulator per key and rows by time, which the state cache of the RocksDB"
                    + " layer holds"),

    UPSERT_MATERIALIZER(
            "it has an upsert materializer, which keeps the rows of each primary key in the order in"
                    + " which they came, and that is not covered; it is left out where the query's"
                    + " key is the sink's, and with table.exec.sink.upsert-materialize = none"),

    LOOKUP_MATERIALIZER(
            "it looks updates up, and with table.optimizer.non-deterministic-update.strategy ="
                    + " TRY_RESOLVE Flink may let it keep what it found in state, which is not"
                    + " covered"),

    OPERATOR_NOT_COVERED("this operator is not covered yet");

    private final String text;

    StockReason(String text) {
        this.text = text;
    }

    @Override
    public String toString() {
        return text;
    }
}
