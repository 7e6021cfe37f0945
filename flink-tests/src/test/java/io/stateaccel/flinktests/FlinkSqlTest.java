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

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.stateaccel.flink.FlinkLine;
import io.stateaccel.flinktests.Mode.Backend;
import io.stateaccel.flinktests.Mode.Bundles;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.table.planner.plan.nodes.exec.testutils.RestoreTestBase;
import org.apache.flink.table.planner.runtime.utils.StreamingWithStateTestBase;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.TestFactory;

/**
 * Flink's own tests of streaming SQL on our plans, with bundles of one row and with those that
 * users get, on the heap and on RocksDB. What fails has to be in {@code differences.txt}, and what
 * is there has to fail.
 *
 * <p>A sample by default; all with {@code -Pflink-tests}, the classes whose names match with {@code
 * -Dflink-tests=sql.Rank.*}.
 */
class FlinkSqlTest {

    private static final String SELECTION = System.getProperty("stateaccel.flink-tests", "sample");

    private static final String EVERY_METHOD = ".*";

    /** Joins, aggregates, top-N, deduplication, sinks: a class, and which of its methods. */
    private static final Map<String, String> SAMPLE =
            Map.ofEntries(
                    Map.entry(
                            "sql.AggregateITCase",
                            "test(CountDistinct|DistinctWithRetract|GroupByAgg|ListAggWithRetraction"
                                    + "|MinMaxWithDecimal|NestedGroupByAgg|WindowWithUnboundedAgg"
                                    + "|ConstantGroupKeyWithUpsertSink)"),
                    Map.entry("sql.ChangelogSourceITCase", EVERY_METHOD),
                    Map.entry("sql.DeduplicateITCase", EVERY_METHOD),
                    Map.entry(
                            "sql.IntervalJoinITCase",
                            "test(UnboundedAggAfterRowtimeInnerJoin|ProcTime(Left|Full)OuterJoin"
                                    + "|RowTimeInnerJoinWithOtherConditions"
                                    + "|RowTime(Right|Full)OuterJoin)"),
                    Map.entry(
                            "sql.JoinITCase",
                            "test(DataStreamJoinWithAggregation|LeftOuterJoinWithRetraction"
                                    + "|(Inner|Left|Full)JoinWith(EqualPk|.*NotPkNonEqui)"
                                    + "|ThreeWay.*|NullFullOuterJoin)"),
                    Map.entry("sql.RankITCase", EVERY_METHOD),
                    Map.entry(
                            "sql.SemiAntiJoinStreamITCase",
                            "test(Semi|Anti)Join(NonEqui|With.*Retraction|WithRightNotPkNonEqui)"
                                    + "|testStreamNot.*"),
                    Map.entry("sql.SetOperatorsITCase", EVERY_METHOD),
                    Map.entry("sql.TableSinkITCase", EVERY_METHOD),
                    Map.entry(
                            "sql.TemporalJoinITCase",
                            "testEventTime(Left|Multi)?TemporalJoin"
                                    + "(|UpsertSource|WithView|WithMultiKeys|WithDeduplicate.*)"),
                    Map.entry("table.RetractionITCase", EVERY_METHOD),
                    Map.entry("table.TableSinkITCase", EVERY_METHOD),
                    Map.entry("DeletesByKeySemanticTests", EVERY_METHOD),
                    Map.entry("JoinSemanticTests", EVERY_METHOD),
                    Map.entry("MultiJoinSemanticTests", EVERY_METHOD),
                    Map.entry("SinkSemanticTests", EVERY_METHOD));

    /**
     * Their parameter chooses a backend for an environment that they do not use: they are where the
     * mode has them.
     */
    private static final Set<String> WITH_ENVIRONMENTS_OF_THEIR_OWN =
            Set.of("sql.MatchRecognizeITCase");

    private static final ListedDifferences LISTED = ListedDifferences.read();

    private static final AcceleratedClasses ACCELERATED = AcceleratedClasses.read();

    /** Tests run, equal and listed, by bundles and backend. */
    private static final Map<String, Tally> TALLIES = new TreeMap<>();

    @TestFactory
    Stream<DynamicNode> holdsAsListed() {
        return Stream.of(
                in(new Mode(Bundles.OF_ONE_ROW, Backend.HEAP)),
                in(new Mode(Bundles.OF_ONE_ROW, Backend.ROCKSDB)),
                in(new Mode(Bundles.DEFAULT, Backend.HEAP)),
                in(new Mode(Bundles.DEFAULT, Backend.ROCKSDB)));
    }

    /** The list says of some tests that they fail on Flink as it is. */
    @TestFactory
    Stream<DynamicNode> failsWithStockAsListed() {
        return Stream.of(Backend.values()).flatMap(FlinkSqlTest::failsWithStockAsListed);
    }

    private static Stream<DynamicNode> failsWithStockAsListed(Backend backend) {
        final Mode mode = new Mode(Bundles.STOCK, backend);
        return selected()
                .filter(testClass -> !failingWithStock(backend, testClass).isEmpty())
                .map(
                        testClass ->
                                dynamicTest(
                                        mode + ", " + nameOf(testClass),
                                        () -> {
                                            final Predicate<String> methods =
                                                    failingWithStock(backend, testClass)::contains;
                                            final FlinkTestRun run =
                                                    FlinkTestRun.of(testClass, mode, methods);
                                            assertThat(run.acceleratedNodes()).isEmpty();
                                            assertAsListed(testClass, mode, methods, run);
                                        }));
    }

    private static Set<String> failingWithStock(Backend backend, Class<?> testClass) {
        return LISTED.methodsThatFailWithStock(backend, nameOf(testClass));
    }

    @AfterAll
    static void print() {
        TALLIES.forEach(
                (mode, tally) -> System.out.println("Flink's tests, " + mode + ": " + tally));
    }

    private static DynamicNode in(Mode mode) {
        return dynamicContainer(
                mode.toString(),
                selected()
                        .filter(testClass -> isWorthRunning(testClass, mode))
                        .map(
                                testClass ->
                                        dynamicTest(
                                                nameOf(testClass),
                                                () -> holdsAsListed(testClass, mode))));
    }

    /**
     * Once is enough for tests that choose their backend, and for plans without bundles of ours.
     */
    private static boolean isWorthRunning(Class<?> testClass, Mode mode) {
        if (RestoreTestBase.class.isAssignableFrom(testClass)) {
            return mode.bundles() == Bundles.DEFAULT && mode.backend() == Backend.ROCKSDB;
        }
        return mode.backend() == Backend.HEAP || !choosesItsBackend(testClass);
    }

    private static boolean choosesItsBackend(Class<?> testClass) {
        return StreamingWithStateTestBase.class.isAssignableFrom(testClass)
                && !WITH_ENVIRONMENTS_OF_THEIR_OWN.contains(nameOf(testClass));
    }

    private static void holdsAsListed(Class<?> testClass, Mode mode) {
        final String name = nameOf(testClass);
        final Predicate<String> methods = methodsOf(name);
        try (StatesOfOurBackend states = new StatesOfOurBackend()) {
            final FlinkTestRun run = FlinkTestRun.of(testClass, mode, methods);
            tally(testClass, mode, run);
            System.out.println(
                    "Flink's tests, "
                            + mode
                            + ", "
                            + name
                            + ": "
                            + run.describe()
                            + ", states on our backend "
                            + states.count());
            assertAsListed(testClass, mode, methods, run);
            assertThat(
                            ACCELERATED.contradictions(
                                    name, isWhole(name), run.acceleratedNodes().keySet()))
                    .isEmpty();
            final boolean usesRocksDb =
                    run.outcomes().stream()
                            .anyMatch(
                                    outcome ->
                                            backendOf(testClass, outcome, mode) == Backend.ROCKSDB);
            // In 1.20 these tests make Flink's backend themselves, and ask nobody for another.
            if (usesRocksDb
                    && !run.acceleratedNodes().isEmpty()
                    && !FlinkLine.NAME.equals("1.20")) {
                assertThat(states.count()).isPositive();
            }
        }
    }

    private static void assertAsListed(
            Class<?> testClass, Mode mode, Predicate<String> methods, FlinkTestRun run) {
        final List<String> contradictions =
                LISTED.contradictions(mode, nameOf(testClass), methods, run.outcomes());
        if (!contradictions.isEmpty()) {
            final AssertionError error = new AssertionError(String.join("\n", contradictions));
            run.outcomes().forEach(outcome -> outcome.failure().ifPresent(error::addSuppressed));
            throw error;
        }
    }

    private static Stream<Class<?>> selected() {
        final Stream<Class<?>> all =
                Stream.concat(FlinkTestClasses.all().stream(), Stream.of(RestoredPrograms.class));
        return switch (SELECTION) {
            case "sample" -> all.filter(testClass -> SAMPLE.containsKey(nameOf(testClass)));
            case "all" -> all;
            default -> all.filter(testClass -> Pattern.matches(SELECTION, nameOf(testClass)));
        };
    }

    private static boolean isWhole(String testClass) {
        return !SELECTION.equals("sample") || SAMPLE.get(testClass).equals(EVERY_METHOD);
    }

    private static Predicate<String> methodsOf(String testClass) {
        return SELECTION.equals("sample")
                ? Pattern.compile(SAMPLE.get(testClass)).asMatchPredicate()
                : method -> true;
    }

    private static void tally(Class<?> testClass, Mode mode, FlinkTestRun run) {
        for (Outcome outcome : run.outcomes()) {
            TALLIES.computeIfAbsent(
                            new Mode(mode.bundles(), backendOf(testClass, outcome, mode))
                                    .toString(),
                            key -> new Tally())
                    .add(outcome);
        }
    }

    private static Backend backendOf(Class<?> testClass, Outcome outcome, Mode mode) {
        if (!choosesItsBackend(testClass)) {
            return mode.backend();
        }
        if (outcome.parameters().contains("ROCKSDB")) {
            return Backend.ROCKSDB;
        }
        return outcome.parameters().contains("HEAP") ? Backend.HEAP : mode.backend();
    }

    private static String nameOf(Class<?> testClass) {
        return FlinkTestClasses.shortNameOf(testClass);
    }

    private static final class Tally {
        private int run;
        private int equal;

        void add(Outcome outcome) {
            run++;
            equal += outcome.held() ? 1 : 0;
        }

        @Override
        public String toString() {
            return run + " run, " + equal + " equal, " + (run - equal) + " differ";
        }
    }
}
