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

import static io.stateaccel.tests.restore.AcceleratedQuery.ANTI_JOIN;
import static io.stateaccel.tests.restore.AcceleratedQuery.CUMULATING_WINDOW;
import static io.stateaccel.tests.restore.AcceleratedQuery.CUMULATING_WINDOW_IN_ONE_PHASE;
import static io.stateaccel.tests.restore.AcceleratedQuery.DISTINCT_AGGREGATE;
import static io.stateaccel.tests.restore.AcceleratedQuery.FIRST_ROW;
import static io.stateaccel.tests.restore.AcceleratedQuery.FIRST_ROWS_THAT_COME;
import static io.stateaccel.tests.restore.AcceleratedQuery.FIRST_ROW_BY_ROW_TIME;
import static io.stateaccel.tests.restore.AcceleratedQuery.FULL_JOIN_OF_UNIQUE_KEY_LISTS;
import static io.stateaccel.tests.restore.AcceleratedQuery.FULL_JOIN_OF_WINDOWS;
import static io.stateaccel.tests.restore.AcceleratedQuery.GROUP_AGGREGATE;
import static io.stateaccel.tests.restore.AcceleratedQuery.HOPPING_GROUP_WINDOW;
import static io.stateaccel.tests.restore.AcceleratedQuery.HOPPING_WINDOW;
import static io.stateaccel.tests.restore.AcceleratedQuery.HOPPING_WINDOW_IN_ONE_PHASE;
import static io.stateaccel.tests.restore.AcceleratedQuery.JOIN_AGGREGATE_OF_SINGLE_ROWS;
import static io.stateaccel.tests.restore.AcceleratedQuery.JOIN_AGGREGATE_PER_GROUP;
import static io.stateaccel.tests.restore.AcceleratedQuery.JOIN_AGGREGATE_PER_JOIN_KEY;
import static io.stateaccel.tests.restore.AcceleratedQuery.JOIN_AGGREGATE_THAT_NORMALIZES;
import static io.stateaccel.tests.restore.AcceleratedQuery.JOIN_LOCAL_AGGREGATE;
import static io.stateaccel.tests.restore.AcceleratedQuery.JOIN_OF_APPENDED_LISTS;
import static io.stateaccel.tests.restore.AcceleratedQuery.JOIN_OF_SINGLE_ROWS;
import static io.stateaccel.tests.restore.AcceleratedQuery.JOIN_OF_WINDOWS;
import static io.stateaccel.tests.restore.AcceleratedQuery.JOIN_TOP_N_OF_ALL_CHANGES;
import static io.stateaccel.tests.restore.AcceleratedQuery.JOIN_TOP_N_OF_INSERTIONS;
import static io.stateaccel.tests.restore.AcceleratedQuery.LAST_ROW;
import static io.stateaccel.tests.restore.AcceleratedQuery.LAST_ROW_OF_WINDOWS;
import static io.stateaccel.tests.restore.AcceleratedQuery.LEFT_JOIN_LOCAL_AGGREGATE;
import static io.stateaccel.tests.restore.AcceleratedQuery.LEFT_JOIN_OF_COUNTED_LISTS;
import static io.stateaccel.tests.restore.AcceleratedQuery.LEFT_JOIN_THAT_NORMALIZES;
import static io.stateaccel.tests.restore.AcceleratedQuery.LIMIT_OF_ALL_CHANGES;
import static io.stateaccel.tests.restore.AcceleratedQuery.LIMIT_OF_INSERTIONS;
import static io.stateaccel.tests.restore.AcceleratedQuery.LONG_TOP_N_OF_INSERTIONS;
import static io.stateaccel.tests.restore.AcceleratedQuery.LONG_TOP_N_OF_UPSERTS;
import static io.stateaccel.tests.restore.AcceleratedQuery.NORMALIZED_UPSERTS;
import static io.stateaccel.tests.restore.AcceleratedQuery.OVER_PROCESSING_TIME_SO_FAR;
import static io.stateaccel.tests.restore.AcceleratedQuery.RIGHT_JOIN_OF_SINGLE_ROWS_WITH_STATE_TTL;
import static io.stateaccel.tests.restore.AcceleratedQuery.SEMI_JOIN;
import static io.stateaccel.tests.restore.AcceleratedQuery.SESSION_GROUP_WINDOW;
import static io.stateaccel.tests.restore.AcceleratedQuery.SESSION_ROWS;
import static io.stateaccel.tests.restore.AcceleratedQuery.SESSION_WINDOW;
import static io.stateaccel.tests.restore.AcceleratedQuery.SINK_OF_ANOTHER_KEY;
import static io.stateaccel.tests.restore.AcceleratedQuery.SORT_BY_ROW_TIME;
import static io.stateaccel.tests.restore.AcceleratedQuery.TABLE_AGGREGATE_OF_GROUPS;
import static io.stateaccel.tests.restore.AcceleratedQuery.TABLE_AGGREGATE_OF_SESSIONS;
import static io.stateaccel.tests.restore.AcceleratedQuery.TABLE_AGGREGATE_OF_SLIDING_WINDOWS;
import static io.stateaccel.tests.restore.AcceleratedQuery.TABLE_AGGREGATE_OF_TUMBLING_WINDOWS;
import static io.stateaccel.tests.restore.AcceleratedQuery.TOP_1_OF_INSERTIONS;
import static io.stateaccel.tests.restore.AcceleratedQuery.TOP_N_OF_ALL_CHANGES;
import static io.stateaccel.tests.restore.AcceleratedQuery.TOP_N_OF_ALL_CHANGES_UP_TO_COLUMN;
import static io.stateaccel.tests.restore.AcceleratedQuery.TOP_N_OF_INSERTIONS;
import static io.stateaccel.tests.restore.AcceleratedQuery.TOP_N_OF_INSERTIONS_UP_TO_COLUMN;
import static io.stateaccel.tests.restore.AcceleratedQuery.TOP_N_OF_UPSERTS;
import static io.stateaccel.tests.restore.AcceleratedQuery.TOP_N_OF_UPSERTS_UP_TO_COLUMN;
import static io.stateaccel.tests.restore.AcceleratedQuery.TOP_N_OF_WINDOWS;
import static io.stateaccel.tests.restore.AcceleratedQuery.TUMBLING_GROUP_WINDOW;
import static io.stateaccel.tests.restore.AcceleratedQuery.TUMBLING_WINDOW;
import static io.stateaccel.tests.restore.AcceleratedQuery.TUMBLING_WINDOW_IN_ONE_PHASE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.tests.differential.CaseRunner;
import io.stateaccel.tests.differential.CaseRunner.Outcome;
import io.stateaccel.tests.differential.Differential;
import io.stateaccel.tests.differential.DifferentialCase;
import io.stateaccel.tests.differential.TestCluster;
import io.stateaccel.tests.differential.Variant;
import io.stateaccel.tests.differential.Variant.Ending;
import io.stateaccel.tests.differential.Variant.Phase;
import io.stateaccel.tests.docs.TroubleshootingTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateChangelogOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Acceleration, or options of it, switched on or off between a savepoint and the job that goes on
 * from it: either the result is that of an undisturbed stock job, or the job fails before the first
 * record with an error that says why and what to do. No operator starts empty.
 */
class SwitchOnExistingJobTest {

    @RegisterExtension
    static final MiniClusterExtension CLUSTER = TestCluster.create(2, new Configuration());

    @TempDir static Path temporary;

    private static final long SEED = 11;
    private static final int CHANGES = 60;

    private static final Map<String, String> ON = Map.of();
    private static final Map<String, String> OFF = Map.of(StateAccelOptions.ENABLED.key(), "false");

    /** Flink's --allowNonRestoredState. */
    private static final Map<String, String> LEAVING_OUT_STATE =
            Map.of(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE.key(), "true");

    /** A job that is refused must not be tried again and again. */
    private static final Map<String, String> RESTARTING =
            Map.of(
                    RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS.key(),
                    String.valueOf(Integer.MAX_VALUE));

    private static final Map<String, String> CHAINED =
            Map.of(PipelineOptions.OPERATOR_CHAINING.key(), "true");

    /** Of the one or the other of two operators, whichever is opened first. */
    private static final String OUR_REFUSAL =
            "StateRefusedException: .*(does not fit into this job|would start with empty state)";

    private static final String FLINKS_REFUSAL =
            "Cannot map checkpoint/savepoint state for operator|must be compatible with"
                    + "|must not be incompatible with|Incompatible key/value state types";

    private static final Map<String, String> CHANGELOG =
            Map.of(StateChangelogOptions.ENABLE_STATE_CHANGE_LOG.key(), "true");

    /** Those whose state is that of the stock operator; of DISTINCT, where stock has begun it. */
    private static final Set<AcceleratedQuery> LIKE_STOCK =
            EnumSet.of(
                    JOIN_OF_SINGLE_ROWS,
                    RIGHT_JOIN_OF_SINGLE_ROWS_WITH_STATE_TTL,
                    GROUP_AGGREGATE,
                    DISTINCT_AGGREGATE,
                    TOP_1_OF_INSERTIONS,
                    TOP_N_OF_ALL_CHANGES,
                    LONG_TOP_N_OF_INSERTIONS,
                    LONG_TOP_N_OF_UPSERTS,
                    TOP_N_OF_INSERTIONS_UP_TO_COLUMN,
                    TOP_N_OF_UPSERTS_UP_TO_COLUMN,
                    TOP_N_OF_ALL_CHANGES_UP_TO_COLUMN,
                    FIRST_ROWS_THAT_COME,
                    LIMIT_OF_INSERTIONS,
                    LIMIT_OF_ALL_CHANGES,
                    FIRST_ROW,
                    LAST_ROW,
                    NORMALIZED_UPSERTS,
                    SORT_BY_ROW_TIME,
                    FIRST_ROW_BY_ROW_TIME,
                    TUMBLING_WINDOW,
                    HOPPING_WINDOW,
                    CUMULATING_WINDOW,
                    TUMBLING_WINDOW_IN_ONE_PHASE,
                    HOPPING_WINDOW_IN_ONE_PHASE,
                    CUMULATING_WINDOW_IN_ONE_PHASE,
                    TOP_N_OF_WINDOWS,
                    LAST_ROW_OF_WINDOWS,
                    JOIN_OF_WINDOWS,
                    FULL_JOIN_OF_WINDOWS,
                    SESSION_WINDOW,
                    SESSION_ROWS,
                    TUMBLING_GROUP_WINDOW,
                    HOPPING_GROUP_WINDOW,
                    SESSION_GROUP_WINDOW,
                    TABLE_AGGREGATE_OF_TUMBLING_WINDOWS,
                    TABLE_AGGREGATE_OF_SLIDING_WINDOWS,
                    TABLE_AGGREGATE_OF_SESSIONS,
                    TABLE_AGGREGATE_OF_GROUPS,
                    OVER_PROCESSING_TIME_SO_FAR);

    /** Those whose join does what is an operator of its own in stock, or a part of that. */
    private static final Set<AcceleratedQuery> FUSED =
            EnumSet.of(
                    JOIN_AGGREGATE_PER_GROUP,
                    JOIN_AGGREGATE_PER_JOIN_KEY,
                    JOIN_AGGREGATE_OF_SINGLE_ROWS,
                    JOIN_TOP_N_OF_INSERTIONS,
                    JOIN_TOP_N_OF_ALL_CHANGES,
                    JOIN_LOCAL_AGGREGATE,
                    LEFT_JOIN_LOCAL_AGGREGATE);

    /** Those whose join does what is an operator before it in stock. */
    private static final Set<AcceleratedQuery> NORMALIZING =
            EnumSet.of(LEFT_JOIN_THAT_NORMALIZES, JOIN_AGGREGATE_THAT_NORMALIZES);

    private static CaseRunner runner;

    @BeforeAll
    static void createRunner(@InjectMiniCluster MiniCluster cluster) {
        runner = new CaseRunner(cluster, temporary.resolve("snapshots"));
    }

    static Stream<AcceleratedQuery> withStateOfTheirOwn() {
        Set<AcceleratedQuery> queries = EnumSet.complementOf(EnumSet.copyOf(LIKE_STOCK));
        queries.removeAll(FUSED);
        queries.removeAll(NORMALIZING);
        return queries.stream();
    }

    static Stream<AcceleratedQuery> fused() {
        return FUSED.stream();
    }

    static Stream<AcceleratedQuery> normalizing() {
        return NORMALIZING.stream();
    }

    @Test
    void stateLikeThatOfStockGoesBothWays() throws Exception {
        assertEqualResults(LIKE_STOCK, OFF, ON, OFF, ON);
    }

    @ParameterizedTest
    @MethodSource("withStateOfTheirOwn")
    void stateOfStockIsRefused(AcceleratedQuery query) {
        assertThat(failureOf(query, OFF, both(ON, RESTARTING)))
                .contains("StateRefusedException", "does not fit into this job")
                .containsPattern("The state '.*' of '" + query.operator() + "\\[")
                .contains("Found in the snapshot: another layout, of which Flink says: ")
                .containsPattern("Expected: [A-Za-z ,-]+, layout \\d+")
                .contains("SET 'table.exec.state-accel.enabled' = 'false'")
                .contains("or start the job without that snapshot")
                .contains("The failure is not recoverable");
    }

    /** Flink compares what it finds with what stock operators expect. */
    @ParameterizedTest
    @MethodSource("withStateOfTheirOwn")
    void stockRefusesOurState(AcceleratedQuery query) {
        assertThat(failureOf(query, ON, OFF)).containsPattern(FLINKS_REFUSAL);
    }

    @Test
    void packedValuesOfDistinctStayPacked() throws Exception {
        assertThat(failureOf(DISTINCT_AGGREGATE, ON, OFF)).containsPattern(FLINKS_REFUSAL);
        assertEqualResults(
                EnumSet.of(DISTINCT_AGGREGATE),
                ON,
                Map.of(StateAccelOptions.PACKED_DISTINCT_ENABLED.key(), "false"),
                Map.of("state.backend.state-accel.cache.size", "0"),
                Map.of("table.exec.state-accel.rocksdb.enabled", "false"),
                CHANGELOG,
                ON);
    }

    @Test
    void unpackedValuesOfDistinctStayLikeThoseOfStock() throws Exception {
        for (Map<String, String> first :
                List.of(
                        Map.of(StateAccelOptions.PACKED_DISTINCT_ENABLED.key(), "false"),
                        Map.of("state.backend.state-accel.cache.size", "0"),
                        Map.of("table.exec.state-accel.rocksdb.enabled", "false"),
                        CHANGELOG)) {
            assertEqualResults(EnumSet.of(DISTINCT_AGGREGATE), first, ON, OFF);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"JOIN_OF_APPENDED_LISTS", "INTERVAL_JOIN", "TOP_N_OF_INSERTIONS"})
    void stateOfStockIsRefusedUnderAChangelog(AcceleratedQuery query) {
        assertThat(failureOf(query, both(OFF, CHANGELOG), both(ON, CHANGELOG)))
                .contains("StateRefusedException", "does not fit into this job");
    }

    @ParameterizedTest
    @MethodSource("withStateOfTheirOwn")
    void stateOfStockIsRefusedWhateverIsLeftOut(AcceleratedQuery query) {
        assertThat(failureOf(query, OFF, both(ON, LEAVING_OUT_STATE)))
                .contains("StateRefusedException", "does not fit into this job");
    }

    /**
     * A join and what is above it are two operators here and one there, or others here than there.
     * Flink's ids follow from places in the plan: it may find the state of the one for the other,
     * or be told to leave it out.
     */
    @ParameterizedTest
    @MethodSource("fused")
    void stateOfOtherOperatorsIsRefused(AcceleratedQuery query) {
        for (Map<String, String> leavingOut : List.of(ON, LEAVING_OUT_STATE)) {
            for (Map<String, String> other : List.of(OFF, unfused())) {
                assertThat(failureOf(query, other, both(ON, leavingOut)))
                        .containsPattern(OUR_REFUSAL + "|" + FLINKS_REFUSAL);
                assertThat(failureOf(query, ON, both(other, leavingOut)))
                        .containsPattern(OUR_REFUSAL + "|" + FLINKS_REFUSAL);
            }
        }
    }

    /**
     * As there is an operator less before them, these joins have other ids than those that come
     * after one. So a job that is all stock's finds nothing of theirs, and Flink refuses that
     * unless it is told to leave it out: there is nothing of ours then to say more.
     */
    @ParameterizedTest
    @MethodSource("normalizing")
    void stateOfOperatorsBeforeThemIsRefused(AcceleratedQuery query) {
        for (Map<String, String> leavingOut : List.of(ON, LEAVING_OUT_STATE)) {
            for (Map<String, String> other : List.of(OFF, unfused())) {
                assertThat(failureOf(query, other, both(ON, leavingOut)))
                        .containsPattern(OUR_REFUSAL + "|" + FLINKS_REFUSAL);
            }
            assertThat(failureOf(query, ON, both(unfused(), leavingOut)))
                    .containsPattern(OUR_REFUSAL + "|" + FLINKS_REFUSAL);
        }
        assertThat(failureOf(query, ON, OFF)).containsPattern(FLINKS_REFUSAL);
    }

    /** These joins keep columns that nobody reads, unless told not to. */
    @ParameterizedTest
    @EnumSource(names = {"JOIN_TOP_N_OF_INSERTIONS", "JOIN_TOP_N_OF_ALL_CHANGES"})
    void stateOfOtherColumnsIsRefused(AcceleratedQuery query) {
        Map<String, String> projected =
                both(ON, Map.of(StateAccelOptions.JOIN_INPUT_PROJECTION_ENABLED.key(), "true"));
        for (Map<String, String> leavingOut : List.of(ON, LEAVING_OUT_STATE)) {
            assertThat(failureOf(query, ON, both(projected, leavingOut)))
                    .containsPattern(OUR_REFUSAL + "|" + FLINKS_REFUSAL);
            assertThat(failureOf(query, projected, both(ON, leavingOut)))
                    .containsPattern(OUR_REFUSAL + "|" + FLINKS_REFUSAL);
        }
    }

    @Test
    void projectedStateGoesOn() throws Exception {
        Map<String, String> projected =
                Map.of(StateAccelOptions.JOIN_INPUT_PROJECTION_ENABLED.key(), "true");
        assertEqualResults(
                EnumSet.of(JOIN_TOP_N_OF_INSERTIONS, JOIN_TOP_N_OF_ALL_CHANGES),
                projected,
                projected,
                projected);
    }

    /**
     * Operators that are chained in another way have other ids; Flink has been told to leave out
     * the state it finds no operator for.
     */
    @ParameterizedTest
    @EnumSource(
            names = {
                "JOIN_OF_APPENDED_LISTS",
                "INTERVAL_JOIN",
                "GROUP_AGGREGATE",
                "JOIN_AGGREGATE_PER_GROUP",
                "JOIN_TOP_N_OF_INSERTIONS",
                "TOP_N_OF_INSERTIONS",
                "LAST_ROW"
            })
    void anEmptyStartIsRefused(AcceleratedQuery query) {
        Map<String, String> second = both(both(CHAINED, LEAVING_OUT_STATE), RESTARTING);
        assertThat(failureOf(query, ON, CHAINED)).containsPattern(FLINKS_REFUSAL);
        assertThat(failureOf(query, ON, second))
                .contains("StateRefusedException")
                .containsPattern("'" + query.operator() + ".*' would start with empty state")
                .contains("'execution.state-recovery.ignore-unclaimed-state'")
                .contains("SET 'table.exec.state-accel.allow-empty-state' = 'true'")
                .contains("The failure is not recoverable");
    }

    /** The sources go on from where they were, and find no partner among the rows before. */
    @Test
    void anEmptyStartMayBeAllowed() throws Exception {
        Map<String, String> second = both(CHAINED, LEAVING_OUT_STATE);
        second.put(StateAccelOptions.ALLOW_EMPTY_STATE.key(), "true");
        List<DifferentialCase> join = cases(EnumSet.of(JOIN_OF_APPENDED_LISTS));
        Map<Long, Outcome> undisturbed = runner.run(join, Variant.ORACLE);
        Map<Long, Outcome> emptied =
                runner.run(join, variant(Ending.CANONICAL_SAVEPOINT, ON, second));
        long seed = JOIN_OF_APPENDED_LISTS.ordinal();
        assertThat(emptied.get(seed).rows()).isNotEmpty();
        assertThat(joined(emptied.get(seed))).isLessThan(joined(undisturbed.get(seed)));
    }

    private static int joined(Outcome outcome) {
        return outcome.rows().values().stream().mapToInt(Integer::intValue).sum();
    }

    @Test
    void bundlesCachesAndRocksDbOptionsMayChange() throws Exception {
        assertEqualResults(
                EnumSet.allOf(AcceleratedQuery.class),
                Ending.CHECKPOINT,
                Map.of(
                        "table.exec.state-accel.mini-batch.size", "3",
                        "table.exec.state-accel.aggregate-cache.size", "0",
                        "state.backend.state-accel.cache.size", "64 mb",
                        "state.backend.state-accel.native.enabled", "false",
                        "state.backend.state-accel.cache.bypass-hit-ratio", "0",
                        "state.backend.state-accel.restore.manifest-check.enabled", "false",
                        "state.backend.state-accel.rocksdb.partitioned-index-filters", "false",
                        "state.backend.state-accel.rocksdb.bloom-filter.bits-per-key", "0",
                        "state.backend.state-accel.rocksdb.compression-per-level", "none"),
                Map.of(
                        "table.exec.state-accel.mini-batch.size", "1000",
                        "table.exec.state-accel.mini-batch.allow-latency", "1 min",
                        "table.exec.state-accel.aggregate-cache.size", "1 mb",
                        "table.exec.state-accel.window.heap-size", "0",
                        "state.backend.state-accel.cache.size", "0",
                        "state.backend.state-accel.rocksdb.bloom-filter.bits-per-key", "20",
                        "state.backend.state-accel.rocksdb.compression-per-level", "lz4;zstd"),
                Map.of("table.exec.state-accel.rocksdb.enabled", "false"),
                Map.of(
                        "state.backend.state-accel.cache.size", "16 kb",
                        "state.backend.state-accel.restore.key-group-check.enabled", "false"),
                Map.of("state.backend.state-accel.native.enabled", "false"));
    }

    @Test
    void stateTtlMayBeSwitchedOnAndOff() throws Exception {
        Map<String, String> ttl = Map.of(ExecutionConfigOptions.IDLE_STATE_RETENTION.key(), "1 h");
        assertEqualResults(
                EnumSet.of(
                        JOIN_OF_APPENDED_LISTS,
                        JOIN_OF_SINGLE_ROWS,
                        GROUP_AGGREGATE,
                        DISTINCT_AGGREGATE,
                        TOP_1_OF_INSERTIONS,
                        TOP_N_OF_INSERTIONS,
                        TOP_N_OF_UPSERTS,
                        TOP_N_OF_ALL_CHANGES,
                        FIRST_ROW,
                        LAST_ROW,
                        JOIN_TOP_N_OF_INSERTIONS,
                        JOIN_TOP_N_OF_ALL_CHANGES,
                        JOIN_AGGREGATE_PER_GROUP,
                        JOIN_AGGREGATE_PER_JOIN_KEY,
                        JOIN_LOCAL_AGGREGATE,
                        NORMALIZED_UPSERTS,
                        SINK_OF_ANOTHER_KEY),
                ON,
                ttl,
                ON);
    }

    /** These count matches from the first time on that there is state TTL. */
    @Test
    void stateTtlOfJoinsThatCountMatchesMayBeSwitchedOnAndOff() throws Exception {
        Map<String, String> ttl = Map.of(ExecutionConfigOptions.IDLE_STATE_RETENTION.key(), "1 h");
        Set<AcceleratedQuery> queries =
                EnumSet.of(
                        LEFT_JOIN_OF_COUNTED_LISTS,
                        FULL_JOIN_OF_UNIQUE_KEY_LISTS,
                        SEMI_JOIN,
                        ANTI_JOIN,
                        LEFT_JOIN_LOCAL_AGGREGATE);
        assertEqualResults(queries, ON, ttl, ON, ttl);
        assertEqualResults(queries, ttl, ON);
    }

    @SafeVarargs
    private static void assertEqualResults(
            Set<AcceleratedQuery> queries, Map<String, String>... options) throws Exception {
        assertEqualResults(queries, Ending.CANONICAL_SAVEPOINT, options);
    }

    @SafeVarargs
    private static void assertEqualResults(
            Set<AcceleratedQuery> queries, Ending ending, Map<String, String>... options)
            throws Exception {
        Map<Long, Outcome> expected = runner.run(cases(queries), Variant.ORACLE);
        Map<Long, Outcome> actual = runner.run(cases(queries), variant(ending, options));
        for (AcceleratedQuery query : queries) {
            long seed = query.ordinal();
            assertThat(Differential.differences(expected.get(seed).rows(), actual.get(seed).rows()))
                    .as(query.name())
                    .isEmpty();
            assertThat(expected.get(seed).rows()).as(query.name()).isNotEmpty();
        }
    }

    @SafeVarargs
    private static String failureOf(AcceleratedQuery query, Map<String, String>... options) {
        Throwable failure =
                catchThrowable(
                        () ->
                                runner.run(
                                        cases(EnumSet.of(query)),
                                        variant(Ending.CANONICAL_SAVEPOINT, options)));
        assertThat(failure).as("%s goes on from what it was to refuse", query).isNotNull();
        String said = ExceptionUtils.stringifyException(failure);
        assertThat(TroubleshootingTable.explanationsOf(said)).as(said).isNotEmpty();
        return said;
    }

    private static List<DifferentialCase> cases(Set<AcceleratedQuery> queries) {
        return queries.stream().map(query -> query.toCase(SEED, CHANGES)).toList();
    }

    /** One job after the other, each with its options. */
    @SafeVarargs
    private static Variant variant(Ending ending, Map<String, String>... options) {
        List<Phase> phases = new ArrayList<>();
        for (int step = 0; step < options.length; step++) {
            boolean last = step == options.length - 1;
            phases.add(
                    new Phase(
                            1 + step % 2,
                            "rocksdb",
                            false,
                            last ? Ending.END_OF_INPUT : ending,
                            options[step]));
        }
        return new Variant(true, false, false, phases);
    }

    private static Map<String, String> unfused() {
        return Map.of(
                StateAccelOptions.JOIN_AGGREGATE_FUSION_ENABLED.key(),
                "false",
                StateAccelOptions.JOIN_LOCAL_AGGREGATE_ENABLED.key(),
                "false",
                StateAccelOptions.JOIN_RANK_FUSION_ENABLED.key(),
                "false",
                StateAccelOptions.JOIN_NORMALIZE_FUSION_ENABLED.key(),
                "false");
    }

    private static Map<String, String> both(Map<String, String> some, Map<String, String> others) {
        Map<String, String> all = new HashMap<>(some);
        all.putAll(others);
        return all;
    }
}
