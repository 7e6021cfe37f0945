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
package io.stateaccel.planner.coverage;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.program.DecidedNodes;
import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.reasons.ReasonsToStayStock;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.stock.KeepStatefulNodesThatAreNotCovered;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds {@code docs/coverage.md} to the rules, the reasons to stay stock, and the tests there are.
 */
class CoverageDocumentationTest {

    private static final Path REPOSITORY = Path.of("..");

    private static final Path PAGE = REPOSITORY.resolve("docs/coverage.md");

    private static final String ANY_QUERY = "DifferentialTest";

    private static final String SWITCHED = "SwitchOnExistingJobTest";

    private static final String STOCK_ON_OUR_BACKEND = "StockOperatorsTest";

    /** That it stays Flink's, and says why. */
    private static final String STAYS = "KeepStatefulNodesThatAreNotCoveredTest";

    /** That it has no others. */
    private static final String STATES = "StatesOfFlinksOperatorsTest";

    private static final String CACHE_ONLY = "cache only";

    private static final String NOTHING_TO_GAIN = "nothing to gain: no state to read";

    /** Of every node: they are said once, above the tables. */
    private static final Set<Reason> OF_ALL =
            EnumSet.of(Reason.ASYNC_STATE, Reason.VERSIONS_OF_TEMPORAL_JOIN, Reason.UNKNOWN_PLAN);

    private static final List<CoveredNode> NODES =
            List.of(
                    CoveredNode.of(
                                    "Join",
                                    "`JOIN`, `LEFT`, `RIGHT` and `FULL JOIN`, `IN`, `EXISTS`, `NOT EXISTS`",
                                    Reason.UPSERT_DECIDES_MATCH,
                                    Reason.UPSERT_WITH_CONDITION)
                            .measured(
                                    "q20 4.09x, q23 4.86x, left-updates 5.24x, anti 4.82x, q3 1.01x")
                            .heldBy(
                                    "MiniBatchJoinDifferentialTest",
                                    "JoinTtlDifferentialTest",
                                    "FusedJoinDifferentialTest",
                                    ANY_QUERY),
                    CoveredNode.of(
                                    "IntervalJoin",
                                    "a join with `a.ts BETWEEN b.ts - ... AND b.ts + ...`, on row time and processing time",
                                    Reason.EMPTY_INTERVAL)
                            .measured(
                                    "q7, with a window aggregate, 2.72x; outer-interval-join 2.26x; by processing time arrival-interval-join 3.58x")
                            .heldBy(
                                    "MiniBatchIntervalJoinDifferentialTest",
                                    "ProcessingTimeIntervalJoinDifferentialTest"),
                    CoveredNode.of(
                                    "TemporalJoin",
                                    "`FOR SYSTEM_TIME AS OF` row time",
                                    Reason.TEMPORAL_TABLE_FUNCTION,
                                    Reason.PROCESSING_TIME_TEMPORAL_JOIN)
                            .measured("temporal-join 2.18x")
                            .heldBy(
                                    "MiniBatchTemporalJoinDifferentialTest",
                                    "TemporalJoinScenariosTest"),
                    CoveredNode.of("GroupAggregate", "`GROUP BY`, `SELECT DISTINCT`")
                            .measured(
                                    "q15 2.34x, q16 2.89x, q17 1.98x; with the join below it, q4 3.66x")
                            .heldBy("GroupAggregateDifferentialTest", ANY_QUERY),
                    CoveredNode.of(
                                    "Rank",
                                    "top-N and deduplication by `ROW_NUMBER()`",
                                    Reason.RANK_END_EXPIRES,
                                    Reason.RANK_END_TYPE)
                            .measured(
                                    "q18 2.31x, q19 2.19x, first-row 2.30x, top-2000 1.55x, top-n-by-column 1.98x; with the join below it, q9-by-price 4.02x")
                            .heldBy(
                                    "MiniBatchRankDifferentialTest",
                                    "ColumnRankDifferentialTest",
                                    "EachFirstRankDifferentialTest",
                                    "ExpiringRankDifferentialTest",
                                    "MiniBatchDeduplicateDifferentialTest",
                                    "ExpiringDeduplicateDifferentialTest",
                                    "RowTimeFirstRowDifferentialTest",
                                    ANY_QUERY),
                    CoveredNode.of("SortLimit", "`ORDER BY ... LIMIT`")
                            .measured("with the aggregate below it, sort-limit 1.46x")
                            .heldBy("MiniBatchRankDifferentialTest", ANY_QUERY),
                    CoveredNode.of("Limit", "`LIMIT` without an order", Reason.OFFSET_WITHOUT_LIMIT)
                            .measured("limit, which is reached at once, 0.96x")
                            .heldBy("MiniBatchRankDifferentialTest", SWITCHED),
                    CoveredNode.of(
                                    "ChangelogNormalize",
                                    "a topic of upserts, duplicates in a changelog")
                            .measured("normalize-1 1.60x, normalize-100 2.68x")
                            .heldBy(
                                    "MiniBatchChangelogNormalizeDifferentialTest",
                                    "ExpiringChangelogNormalizeDifferentialTest",
                                    "NormalizingJoinDifferentialTest",
                                    "JoinThatNormalizesTest",
                                    ANY_QUERY),
                    CoveredNode.of("Sink", "`INSERT INTO` a table whose key is not the query's")
                            .measured(
                                    "upsert-sink-1 1.61x, upsert-sink-100 2.10x, upsert-sink-rows 6.03x")
                            .heldBy(
                                    "MiniBatchSinkMaterializerDifferentialTest",
                                    "HeapConflictDifferentialTest"),
                    CoveredNode.of(
                                    "WindowAggregate",
                                    "`GROUP BY window_start, window_end` of `TUMBLE`, `HOP`, `CUMULATE`, `SESSION`, in one phase",
                                    Reason.INTERRUPTED_TIMERS)
                            .measured("session-windows 3.43x")
                            .heldBy(
                                    "HeapWindowAggregateDifferentialTest",
                                    "HeapSessionAggregateDifferentialTest"),
                    CoveredNode.of(
                                    "GlobalWindowAggregate",
                                    "the same in two phases",
                                    Reason.INTERRUPTED_TIMERS)
                            .measured("q5 1.74x, q12 1.31x, cumulate 1.45x")
                            .heldBy("HeapWindowAggregateDifferentialTest"),
                    CoveredNode.of(
                                    "WindowRank",
                                    "top-N of a window",
                                    Reason.WINDOW_WITHOUT_OPERATOR)
                            .measured("window-top-n 2.02x")
                            .heldBy("HeapWindowRowsDifferentialTest"),
                    CoveredNode.of(
                                    "WindowDeduplicate",
                                    "deduplication in a window",
                                    Reason.WINDOW_WITHOUT_OPERATOR)
                            .measured("window-last-row 1.28x")
                            .heldBy("HeapWindowRowsDifferentialTest"),
                    CoveredNode.of(
                                    "WindowJoin",
                                    "a join on `window_start` and `window_end`",
                                    Reason.WINDOW_WITHOUT_OPERATOR)
                            .measured("window-join 1.40x")
                            .heldBy("HeapWindowJoinDifferentialTest"),
                    CoveredNode.of(
                                    "GlobalGroupAggregate",
                                    "`GROUP BY` in two phases, with Flink's own mini-batch",
                                    Reason.BUNDLED_BY_FLINK)
                            .gains(CACHE_ONLY)
                            .measured(
                                    "with mini-batch q15 0.95x, on the heap 1.09x; q17 1.03x, on the heap 1.07x")
                            .heldBy(STOCK_ON_OUR_BACKEND, ANY_QUERY),
                    CoveredNode.of(
                                    "IncrementalGroupAggregate",
                                    "the same, of `DISTINCT` that is split",
                                    Reason.BUNDLED_BY_FLINK)
                            .gains(CACHE_ONLY)
                            .measured(
                                    "with mini-batch and split q15 0.96x, on the heap 1.06x; q16 0.98x, on the heap 1.03x")
                            .heldBy(STOCK_ON_OUR_BACKEND, ANY_QUERY),
                    CoveredNode.of(
                                    "GroupWindowAggregate",
                                    "`GROUP BY TUMBLE(...)`, `HOP(...)`, `SESSION(...)`",
                                    Reason.WINDOW_OF_ROWS,
                                    Reason.INTERRUPTED_TIMERS)
                            .measured("q11 4.68x, group-windows 2.58x")
                            .heldBy("HeapGroupWindowDifferentialTest"),
                    CoveredNode.of(
                                    "GroupTableAggregate",
                                    "`flatAggregate` of the Table API",
                                    Reason.TABLE_AGGREGATE_TAKES_NOTHING_BACK,
                                    Reason.TABLE_AGGREGATE_EMITS_UPDATES)
                            .measured("flat-aggregate 1.74x, on the heap 1.66x")
                            .heldBy("GroupAggregateDifferentialTest"),
                    CoveredNode.of(
                                    "GroupWindowTableAggregate",
                                    "`flatAggregate` of the Table API in such windows",
                                    Reason.WINDOW_OF_ROWS,
                                    Reason.INTERRUPTED_TIMERS)
                            .measured("flat-aggregate-windows 2.38x")
                            .heldBy("HeapGroupWindowDifferentialTest"),
                    CoveredNode.of(
                                    "OverAggregate",
                                    "`OVER (PARTITION BY ... ORDER BY ...)`, by row time and processing time",
                                    Reason.OVER_0_PRECEDING,
                                    Reason.OVER_BY_COLUMN)
                            .measured(
                                    "over-range 5.54x, over-rows 5.78x, over-all 2.47x; by processing time over-arrival-range 2.43x, over-arrival-rows 2.58x, over-arrival-all 1.55x")
                            .heldBy(
                                    "RowTimeOverDifferentialTest",
                                    "ProcessingTimeOverDifferentialTest"),
                    CoveredNode.of(
                                    "MultiJoin",
                                    "joins of many inputs, with `table.optimizer.multi-join.enabled`",
                                    Reason.MULTI_JOIN)
                            .gains("planned as other joins, which are accelerated")
                            .measured(
                                    "q23 with that option 1.17x, on the heap 1.70x; without it, as joins, 4.86x")
                            .heldBy("MultiJoinTest"),
                    CoveredNode.of(
                                    "LookupJoin",
                                    "`FOR SYSTEM_TIME AS OF` processing time, of updates",
                                    Reason.LOOKUP_MATERIALIZER)
                            .gains(CACHE_ONLY)
                            .measured("lookup-updates 1.41x, on the heap 1.47x")
                            .heldBy(STAYS),
                    CoveredNode.of(
                                    "WindowTableFunction",
                                    "`SESSION(TABLE ...)` without an aggregate")
                            .measured("session-rows 2.54x")
                            .heldBy("HeapSessionRowsDifferentialTest", SWITCHED),
                    CoveredNode.of(
                                    "TemporalSort",
                                    "`ORDER BY` row time",
                                    Reason.SORT_BY_PROCESSING_TIME)
                            .measured("sort-by-time 1.96x")
                            .heldBy("HeapRowTimeSortDifferentialTest"),
                    CoveredNode.of(
                                    "Sort",
                                    "`ORDER BY`, where Flink allows it",
                                    Reason.SORT_AT_THE_END)
                            .gains(NOTHING_TO_GAIN)
                            .measured("no state")
                            .heldBy(STATES, STAYS),
                    CoveredNode.of("Match", "`MATCH_RECOGNIZE`", Reason.PATTERN_MATCH)
                            .gains(CACHE_ONLY)
                            .measured("match-recognize 6.65x, on the heap 10.54x")
                            .heldBy(STOCK_ON_OUR_BACKEND, STAYS),
                    CoveredNode.of(
                                    "DeltaJoin",
                                    "a join that looks rows up in the sources of both sides",
                                    Reason.DELTA_JOIN)
                            .gains(NOTHING_TO_GAIN)
                            .measured("no state")
                            .heldBy(STATES),
                    CoveredNode.of(
                                    "ProcessTableFunction",
                                    "a process table function",
                                    Reason.PROCESS_TABLE_FUNCTION)
                            .gains(CACHE_ONLY)
                            .measured("process-table-function 1.50x, on the heap 1.07x")
                            .heldBy(STATES),
                    CoveredNode.of(
                                    "PythonGroupAggregate",
                                    "an aggregate function in Python",
                                    Reason.PYTHON_AGGREGATE)
                            .gains(CACHE_ONLY)
                            .measured("bench-python group 0.98x, on the heap 0.95x")
                            .heldBy(STAYS),
                    CoveredNode.of(
                                    "PythonGroupTableAggregate",
                                    "`flatAggregate` with one",
                                    Reason.PYTHON_AGGREGATE)
                            .gains(CACHE_ONLY)
                            .measured("bench-python group-table 0.99x, on the heap 0.98x")
                            .heldBy(STAYS),
                    CoveredNode.of(
                                    "PythonGroupWindowAggregate",
                                    "a group window with one",
                                    Reason.PYTHON_AGGREGATE)
                            .gains(CACHE_ONLY)
                            .measured("bench-python group-window 0.99x, on the heap 1.09x")
                            .heldBy(STAYS),
                    CoveredNode.of("PythonOverAggregate", "`OVER` with one", Reason.PYTHON_OVER)
                            .gains(CACHE_ONLY)
                            .measured("bench-python over 0.99x, on the heap 1.01x")
                            .heldBy(STAYS));

    /** Writes the page with {@code -Dstateaccel.write-docs=true}. */
    @Test
    void pageIsGenerated() throws IOException {
        final String page = page();
        if (Boolean.getBoolean("stateaccel.write-docs")) {
            Files.writeString(PAGE, page);
        }
        assertThat(PAGE)
                .as(
                        "out of date: mvn -pl planner-rules -am test -Dstateaccel.write-docs=true"
                                + " -Dtest=CoverageDocumentationTest"
                                + " -Dsurefire.failIfNoSpecifiedTests=false")
                .hasContent(page);
    }

    @Test
    void everyNodeThatARuleDecidesAboutIsListed() {
        Lines.assumeAtLeast("2.0", "Deduplicate is a node of its own in 1.20");
        final Set<String> decided = new HashSet<>(DecidedNodes.rules().keySet());
        assertThat(NODES)
                .extracting(CoveredNode::name)
                .containsExactlyInAnyOrderElementsOf(decided);
    }

    @Test
    void everyReasonToStayStockIsListed() {
        final Set<Reason> listed = EnumSet.copyOf(OF_ALL);
        NODES.forEach(node -> listed.addAll(node.staysStock()));
        assertThat(listed).containsExactlyElementsOf(ReasonsToStayStock.all());
    }

    @Test
    void theTestsAreThere() throws IOException {
        final Set<String> tests =
                NODES.stream().flatMap(node -> node.tests().stream()).collect(Collectors.toSet());
        final Set<String> found = new HashSet<>();
        for (String module : List.of("runtime-operators", "planner-rules", "sql-tests")) {
            try (Stream<Path> files = Files.walk(REPOSITORY.resolve(module).resolve("src/test"))) {
                files.map(file -> file.getFileName().toString().replace(".java", ""))
                        .filter(tests::contains)
                        .forEach(found::add);
            }
        }
        assertThat(found).isEqualTo(tests);
    }

    /** No row says that something is still to be done. */
    @Test
    void everyNodeIsAcceleratedOrShownNotToNeedIt() {
        for (CoveredNode node : NODES) {
            assertThat(node.tests()).as("tests that hold what is said of %s", node).isNotEmpty();
            assertThat(node.measured()).as("what %s gains", node).isNotEmpty();
            assertThat(node.gains().isEmpty())
                    .as(
                            "%s: either a rule accelerates it, or what the jar does for it is said",
                            node)
                    .isEqualTo(isAccelerated(node));
            assertThat(isAccelerated(node) || !node.staysStock().isEmpty())
                    .as("%s: why it stays Flink's", node)
                    .isTrue();
        }
        assertThat(page()).doesNotContain("not covered yet");
    }

    private static String page() {
        return """
                # What is accelerated

                Every node with state that Flink plans in a streaming job, in Flink 1.20 to 2.3 where nothing else is said: what runs
                in its place, and where Flink's own operator stays. `EXPLAIN` shows it for a query, and a line at INFO names each
                node that stays, with the reason that is given here. Flink's operators too run on the RocksDB backend of the jar,
                where there is RocksDB, with its state cache.

                The ratios are CPU of stock Flink on RocksDB against the same with the jar, of queries in [Benchmarks](benchmarks.md),
                where a query is more than the node. Where Flink's operator stays, there are two: *on the heap* is stock Flink on its
                hashmap backend, where state costs next to nothing to read and to write, so about what there is to gain. This page is
                generated by `CoverageDocumentationTest`.

                ## Accelerated

                None of them is in three cases:

                - %s
                - %s
                - %s

                | Node | In SQL | Runs as | Stays Flink's where | Measured | Compared with Flink's by |
                |---|---|---|---|---|---|
                %s
                ## Flink's operator, on our backend

                | Node | In SQL | The jar's part | Because | Measured | Held by |
                |---|---|---|---|---|---|
                %s"""
                .formatted(
                        Reason.ASYNC_STATE,
                        Reason.VERSIONS_OF_TEMPORAL_JOIN,
                        Reason.UNKNOWN_PLAN,
                        NODES.stream()
                                .filter(CoverageDocumentationTest::isAccelerated)
                                .map(CoverageDocumentationTest::acceleratedRow)
                                .collect(Collectors.joining()),
                        NODES.stream()
                                .filter(node -> !isAccelerated(node))
                                .map(CoverageDocumentationTest::stockRow)
                                .collect(Collectors.joining()));
    }

    private static boolean isAccelerated(CoveredNode node) {
        return !(ruleOf(node) instanceof KeepStatefulNodesThatAreNotCovered);
    }

    private static AccelerationRule<?> ruleOf(CoveredNode node) {
        return DecidedNodes.rules().get(node.name());
    }

    private static String acceleratedRow(CoveredNode node) {
        final String operator = ruleOf(node).getClass().getSimpleName().replaceFirst(".*With", "");
        return row(
                nameWithLines(node),
                node.sql(),
                "`" + operator + "`",
                reasons(node),
                node.measured(),
                tests(node));
    }

    private static String stockRow(CoveredNode node) {
        return row(
                nameWithLines(node),
                node.sql(),
                node.gains(),
                reasons(node),
                node.measured(),
                tests(node));
    }

    private static String nameWithLines(CoveredNode node) {
        final String since = DecidedNodes.since(node.name());
        return node.name() + (since.equals("1.20") ? "" : ", from " + since + " on");
    }

    private static String reasons(CoveredNode node) {
        if (node.staysStock().isEmpty()) {
            return "nowhere";
        }
        return node.staysStock().stream().map(Reason::toString).collect(Collectors.joining("<br>"));
    }

    private static String tests(CoveredNode node) {
        return node.tests().stream()
                .map(test -> "`" + test + "`")
                .collect(Collectors.joining(", "));
    }

    private static String row(String... cells) {
        return "| " + String.join(" | ", cells) + " |\n";
    }
}
