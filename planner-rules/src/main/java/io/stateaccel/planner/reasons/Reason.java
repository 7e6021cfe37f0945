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
 * Why a stateful node stays as Flink planned it, or is not accelerated as far as it could be. The
 * wording is what the user reads in the log.
 */
public enum Reason {
    // Of a node that stays as Flink planned it.

    UPSERT_DECIDES_MATCH(
            Outcome.STAYS_STOCK,
            "an outer, SEMI or ANTI join whose matches are upserts is not covered: Flink counts an"
                    + " upsert as one more match, so the results would differ"),

    UPSERT_WITH_CONDITION(
            Outcome.STAYS_STOCK,
            "an input of upserts under a condition beside the equi keys is not covered: a row that"
                    + " stops matching is not retracted, so what is left depends on the order of"
                    + " the inputs"),

    TEMPORAL_TABLE_FUNCTION(
            Outcome.STAYS_STOCK,
            "a join with a temporal table function is not covered; write it as a join of a table FOR"
                    + " SYSTEM_TIME AS OF row time to accelerate it"),

    VERSIONS_OF_TEMPORAL_JOIN(
            Outcome.STAYS_STOCK,
            "a temporal join has its updates for versions and needs each of them, where a bundle keeps"
                    + " the last one"),

    PROCESSING_TIME_TEMPORAL_JOIN(
            Outcome.STAYS_STOCK,
            "Flink runs no temporal join on processing time but with a table that can be looked up;"
                    + " join FOR SYSTEM_TIME AS OF row time"),

    EMPTY_INTERVAL(
            Outcome.STAYS_STOCK, "its interval is empty, so no rows match and it has no state"),

    ASYNC_STATE(
            Outcome.STAYS_STOCK,
            "it runs on asynchronous state; set table.exec.async-state.enabled to false to accelerate it"),

    UNKNOWN_PLAN(
            Outcome.STAYS_STOCK,
            "what it does by time is not written in its plan as Flink is known to write it"),

    MULTI_JOIN(
            Outcome.STAYS_STOCK,
            "a join of many inputs in one operator keeps no results between its joins, so a row"
                    + " reads every input and not one; set table.optimizer.multi-join.enabled to"
                    + " false, and leave MULTI_JOIN hints out, to have it planned as joins of two"
                    + " inputs, which are accelerated"),

    RANK_END_EXPIRES(
            Outcome.STAYS_STOCK,
            "a top-N whose N is a column is not covered where state has a time to live: the N of a"
                    + " partition is written once, so it expires before rows that are ranked by it;"
                    + " set table.exec.state.ttl to 0, or write N as a constant, to accelerate it"),

    RANK_END_TYPE(
            Outcome.STAYS_STOCK,
            "Flink plans it but does not run it: an N that is a column is a BIGINT, an INT or a"
                    + " SMALLINT"),

    OFFSET_WITHOUT_LIMIT(
            Outcome.STAYS_STOCK,
            "Flink plans it but does not run it: an OFFSET on a stream needs a LIMIT as well"),

    BUNDLED_BY_FLINK(
            Outcome.STAYS_STOCK,
            "it reads and writes the state of a group once per bundle as it is; the state cache of the"
                    + " RocksDB layer holds its accumulators"),

    WINDOW_OF_ROWS(
            Outcome.STAYS_STOCK,
            "a window of so many rows is not covered: it ends with a row and not with a time, so its"
                    + " state is read and written at each of them"),

    INTERRUPTED_TIMERS(
            Outcome.STAYS_STOCK,
            "where timers may be interrupted, rows come between those of windows that share slices; set"
                    + " execution.checkpointing.unaligned.interruptible-timers.enabled to false to"
                    + " accelerate it"),

    WINDOW_WITHOUT_OPERATOR(
            Outcome.STAYS_STOCK,
            "Flink plans it but does not run it: a top-N, a deduplication and a join of windows are on"
                    + " row time, and a top-N is by ROW_NUMBER up to a constant"),

    OVER_0_PRECEDING(
            Outcome.STAYS_STOCK,
            "an OVER aggregate by processing time from 0 PRECEDING on is not covered: Flink keeps rows"
                    + " in such a frame of ROWS that have left it, and emits none with a RANGE"),

    OVER_BY_COLUMN(
            Outcome.STAYS_STOCK,
            "an OVER aggregate by columns that are not a row time is not covered: a row may come"
                    + " between others, and changes the results of all behind it"),

    SORT_BY_PROCESSING_TIME(
            Outcome.STAYS_STOCK,
            "a sort by processing time is not covered: its rows are appended to the state and wait"
                    + " for the next millisecond only"),

    LOOKUP_MATERIALIZER(
            Outcome.STAYS_STOCK,
            "it looks updates up, and with table.optimizer.non-deterministic-update.strategy ="
                    + " TRY_RESOLVE Flink may let it keep what it found in state, which is not"
                    + " covered"),

    PATTERN_MATCH(
            Outcome.STAYS_STOCK,
            "what a row is matched with is what the rows before it have left, so each is worked off by"
                    + " itself, in Flink's library for patterns; the state cache of the RocksDB layer"
                    + " holds what that reads and writes"),

    TABLE_AGGREGATE_TAKES_NOTHING_BACK(
            Outcome.STAYS_STOCK,
            "downstream wants no retractions, so Flink takes nothing back of what a flatAggregate emits"
                    + " with each row, and what it emits in between stays; the state cache of the"
                    + " RocksDB layer holds the accumulators"),

    TABLE_AGGREGATE_EMITS_UPDATES(
            Outcome.STAYS_STOCK,
            "its function has emitUpdateWithRetract, which says after each row what has changed since"
                    + " the one before; the state cache of the RocksDB layer holds the accumulators"),

    PROCESS_TABLE_FUNCTION(
            Outcome.STAYS_STOCK,
            "the user's function is called with each row, and with the state that the row before has"
                    + " left; the state cache of the RocksDB layer holds that"),

    PYTHON_AGGREGATE(
            Outcome.STAYS_STOCK,
            "its accumulators are in a Python process, which asks for those that it does not have once"
                    + " per bundle of its own; the state cache of the RocksDB layer holds what it asks"
                    + " for"),

    PYTHON_OVER(
            Outcome.STAYS_STOCK,
            "a Python process computes its frames from rows that are kept by time; the state cache of"
                    + " the RocksDB layer holds these"),

    SORT_AT_THE_END(
            Outcome.STAYS_STOCK,
            "its rows are on the heap until the input ends, so there is no state to read, and Flink runs"
                    + " it in its own tests only"),

    DELTA_JOIN(
            Outcome.STAYS_STOCK,
            "it keeps no rows: it looks them up in the sources of both sides, with caches on the heap;"
                    + " set table.optimizer.delta-join.strategy to NONE to have it planned as a join,"
                    + " which is accelerated"),

    // Of an aggregate or a top-N and the join below it, which stay two operators.

    AGGREGATE_FUSION_SWITCHED_OFF(
            Outcome.NOT_FUSED, "table.exec.state-accel.join-aggregate-fusion.enabled is false"),

    RANK_FUSION_SWITCHED_OFF(
            Outcome.NOT_FUSED, "table.exec.state-accel.join-rank-fusion.enabled is false"),

    DEDUPLICATION(
            Outcome.NOT_FUSED,
            "it keeps the first or the last row by time, which is an operator of its own"),

    UNFUSED_AS_SHARED(Outcome.NOT_FUSED, "what is below it is planned once for several readers"),

    NO_EXCHANGE_TO_SAVE(
            Outcome.NOT_FUSED,
            "the join has no key, so one task has all rows and there is no exchange to save"),

    GROUP_SPANS_JOIN_KEYS(
            Outcome.NOT_FUSED,
            "the grouping or partition key does not determine the join key, so rows of one group"
                    + " meet in different places"),

    PADDED_JOIN_KEY(
            Outcome.NOT_FUSED,
            "the grouping or partition key has the join key only from a side that an outer join fills"
                    + " with NULL, so rows of the group of NULL meet in different places"),

    SEVERAL_PARTITIONS(
            Outcome.NOT_FUSED,
            "the partition key has more than the join key, so one join key has several partitions"),

    VIEWS_OF_SEVERAL_GROUPS(
            Outcome.NOT_FUSED,
            "its accumulators keep values one by one (DISTINCT, or MIN and MAX of rows that may be"
                    + " retracted), which is covered only if the join key determines the group too"),

    RANK_END_IN_COLUMN(
            Outcome.NOT_FUSED,
            "its N is a column, which is only known of a partition when its state has been read, so"
                    + " all of its rows would have to be kept until then"),

    // Of a ChangelogNormalize and the join above it, which stay two operators.

    NORMALIZED_BY_ANOTHER_KEY(
            Outcome.NOT_FUSED_ABOVE,
            "its key is not the join key, so the join has no row per key that would do for both"),

    NORMALIZED_FURTHER_BELOW(
            Outcome.NOT_FUSED_ABOVE,
            "what is between the two, a calculation or watermarks, is for rows that are normalised"),

    NORMALIZED_ROWS_EXPIRE(
            Outcome.NOT_FUSED_ABOVE, "with state TTL the rows of the two live for different times"),

    NORMALIZED_AS_SHARED(Outcome.NOT_FUSED_ABOVE, "it is planned once for several readers"),

    // Of an aggregate above a join with which it is not fused, though two phases are asked for.

    ONE_PHASE_AS_SHARED(Outcome.ONE_PHASE, "what is below it is planned once for several readers"),

    NO_MERGE(
            Outcome.ONE_PHASE,
            "a function of it cannot merge accumulators: it has no method merge"),

    // Of rows that are joined first and aggregated then, though another order might do.

    NOT_INNER(
            Outcome.JOINED_FIRST,
            "the join is not an inner one, so rows without a match count too"),

    NO_JOIN_KEY(Outcome.JOINED_FIRST, "the join has no key"),

    CONDITION_BESIDE_KEY(
            Outcome.JOINED_FIRST,
            "there is a condition beside the equi keys, so which rows are aggregated depends on the"
                    + " row they are joined with"),

    SEVERAL_GROUPINGS(Outcome.JOINED_FIRST, "it has several grouping sets, or none"),

    BOTH_SIDES(
            Outcome.JOINED_FIRST,
            "what is aggregated and what it is grouped by are not of one side of the join each"),

    NOT_UNIQUE(
            Outcome.JOINED_FIRST,
            "the grouping key is not unique on its side of the join, so a group may have several rows"
                    + " there and each aggregated row counts as often"),

    NOT_DETERMINISTIC(Outcome.JOINED_FIRST, "an expression is not deterministic"),

    HINT_ABOUT_OTHER_STATES(
            Outcome.JOINED_FIRST,
            "there is a state TTL or another hint, which would be about other states then"),

    JOINED_FIRST_AS_SHARED(
            Outcome.JOINED_FIRST, "what is below it is planned once for several readers"),

    JOIN_BY_TIME(
            Outcome.JOINED_FIRST,
            "the join is one by time, on windows or with a table as of a time");

    private final Outcome outcome;
    private final String text;

    Reason(Outcome outcome, String text) {
        this.outcome = outcome;
        this.text = text;
    }

    Outcome outcome() {
        return outcome;
    }

    @Override
    public String toString() {
        return text;
    }

    /** What comes of a reason. The wording is what the user reads in the log. */
    enum Outcome {
        STAYS_STOCK("Stays stock"),
        NOT_FUSED("Not fused with the join below it"),
        NOT_FUSED_ABOVE("Not fused with the join above it"),
        ONE_PHASE("No local aggregate in the join below it"),
        JOINED_FIRST("Not aggregated before the join below it");

        private final String text;

        Outcome(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }
}
