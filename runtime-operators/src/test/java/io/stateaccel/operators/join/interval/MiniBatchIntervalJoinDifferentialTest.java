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
package io.stateaccel.operators.join.interval;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.join.interval.IntervalScript.Event;
import io.stateaccel.operators.join.interval.IntervalScript.Restart;
import io.stateaccel.operators.join.interval.IntervalScript.Row;
import io.stateaccel.operators.join.interval.IntervalScript.Times;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random rows and watermarks through Flink's {@code RowTimeIntervalJoin}, through ours,
 * and through two loops over all rows, with checkpoints, restores and rescalings in between.
 */
class MiniBatchIntervalJoinDifferentialTest {

    private static final int CASES = Integer.getInteger("stateaccel.cases", 4);

    /** One seed replays one case: {@code -Dstateaccel.seed=...}. */
    static Stream<Arguments> cases() {
        Long replay = Long.getLong("stateaccel.seed");
        LongStream seeds =
                replay != null ? LongStream.of(replay) : new Random(System.nanoTime()).longs(CASES);
        return seeds.boxed()
                .flatMap(seed -> Stream.of(Arguments.of(seed, false), Arguments.of(seed, true)));
    }

    @ParameterizedTest(name = "seed {0}, rocksdb {1}")
    @MethodSource("cases")
    void pairsOnTimeAreThoseOfStock(long seed, boolean rocksdb) throws Exception {
        Case test = new Case(seed, Times.ON_TIME);

        List<String> ours = test.ours(rocksdb);

        assertThat(ours).as(test.name).containsExactlyInAnyOrderElementsOf(test.stock(rocksdb));
        assertThat(ours)
                .as(test.name)
                .containsExactlyInAnyOrderElementsOf(
                        test.script.withPadding(test.script.pairsWithoutCleaning()));
    }

    @ParameterizedTest(name = "seed {0}, rocksdb {1}")
    @MethodSource("cases")
    void lateRowsFindWhatIsGuaranteedAndNothingThatIsGone(long seed, boolean rocksdb)
            throws Exception {
        Case test = new Case(seed, Times.LATE);

        List<String> ours = test.ours(rocksdb);
        List<String> pairs = pairsOf(ours);

        assertThat(ours).as(test.name).doesNotHaveDuplicates();
        assertThat(pairs).as(test.name).containsAll(test.script.guaranteedPairs());
        assertThat(test.script.possiblePairs()).as(test.name).containsAll(pairs);
        assertThat(test.script.pairsWithoutCleaning())
                .as(test.name)
                .containsAll(pairsOf(test.stock(rocksdb)));
        assertThat(ours)
                .as(test.name)
                .containsExactlyInAnyOrderElementsOf(test.script.withPadding(pairs));
    }

    @ParameterizedTest(name = "seed {0}, rocksdb {1}")
    @MethodSource("cases")
    void lateRowsFindWhatTheyDoInStockWhenRowsOfAKeyAreInOrder(long seed, boolean rocksdb)
            throws Exception {
        Case test = new Case(seed, Times.LATE_IN_ORDER);

        assertThat(test.ours(rocksdb)).as(test.name).containsAll(pairsOf(test.stock(rocksdb)));
    }

    /** No later than in stock, which waits for the first of a key's rows to be over. */
    @ParameterizedTest(name = "seed {0}, rocksdb {1}")
    @MethodSource("cases")
    void rowsWithoutAMatchComeWhenTheirTimeIsOver(long seed, boolean rocksdb) throws Exception {
        for (Times times : Times.values()) {
            Case test = new Case(seed, times).withBundleSize(1);
            try (var ours = new IntervalJoinRun(test.join::accelerated, rocksdb, false);
                    var stock = new IntervalJoinRun(test.join::stock, rocksdb, false)) {
                for (IntervalJoinRun run : List.of(ours, stock)) {
                    run.play(test.script.events());
                    run.advance(test.script.end());
                }
                assertThat(ours.watermarksOfPaddedRows())
                        .as(test.name)
                        .isEqualTo(test.script.watermarksOfPaddedRows(pairsOf(ours.pairs())));
                if (times == Times.ON_TIME && test.join.minCleanUpInterval() == 0) {
                    Map<String, Long> padded = ours.watermarksOfPaddedRows();
                    stock.watermarksOfPaddedRows()
                            .forEach(
                                    (row, watermark) ->
                                            assertThat(padded.get(row))
                                                    .as(test.name)
                                                    .isLessThanOrEqualTo(watermark));
                }
            }
        }
    }

    @ParameterizedTest(name = "seed {0}, rocksdb {1}")
    @MethodSource("cases")
    void resultDoesNotDependOnTheBundles(long seed, boolean rocksdb) throws Exception {
        Case test = new Case(seed, Times.LATE);
        Case oneByOne = test.withBundleSize(1);
        Case atOnce = test.withBundleSize(1000);

        assertThat(atOnce.ours(rocksdb))
                .as(test.name)
                .containsExactlyInAnyOrderElementsOf(oneByOne.ours(!rocksdb));
    }

    /** A user may change the interval and restore; rows on time then are joined as in stock. */
    @ParameterizedTest(name = "seed {0}, rocksdb {1}")
    @MethodSource("cases")
    void intervalMayChangeInARestore(long seed, boolean rocksdb) throws Exception {
        Random random = new Random(seed);
        IntervalJoinCase before = new IntervalJoinCase(-20, 30, 0, false, false, 7);
        IntervalJoinCase after =
                new IntervalJoinCase(-random.nextInt(90), random.nextInt(90), 0, false, false, 2);
        List<Event> events =
                new ArrayList<>(
                        IntervalScript.random(before, Times.ON_TIME, "hot", random).events());
        events.removeIf(event -> !(event instanceof Row));
        events.add(new Restart(1 + random.nextInt(3)));
        int change = events.size();
        events.addAll(IntervalScript.random(after, Times.ON_TIME, "hot", random).events());

        AtomicReference<IntervalJoinCase> current = new AtomicReference<>();
        List<List<String>> results = new ArrayList<>();
        for (boolean ours : new boolean[] {true, false}) {
            current.set(before);
            try (var run =
                    new IntervalJoinRun(
                            () -> ours ? current.get().accelerated() : current.get().stock(),
                            rocksdb,
                            false)) {
                run.play(events.subList(0, change - 1));
                current.set(after);
                run.play(events.subList(change - 1, events.size()));
                run.advance(10_000_000);
                assertThat(ours ? run.entries() : 0).as("-Dstateaccel.seed=%d", seed).isZero();
                results.add(run.pairs());
            }
        }

        assertThat(results.get(0))
                .as("-Dstateaccel.seed=%d, then %s", seed, after)
                .containsExactlyInAnyOrderElementsOf(results.get(1));
    }

    /** Without rows that have no match. */
    private static List<String> pairsOf(List<String> results) {
        return results.stream().filter(pair -> !pair.contains("null")).toList();
    }

    private static final class Case {
        final String name;
        final IntervalScript script;
        final IntervalJoinCase join;
        private final boolean reuseRows;

        Case(long seed, Times times) {
            Random random = new Random(seed);
            this.join = IntervalJoinCase.random(random);
            this.reuseRows = random.nextBoolean();
            // Rows with a key as long as this soon are more than one value holds.
            String hotKey = random.nextInt(4) == 0 ? "hot".repeat(3_000) : "hot";
            this.script = IntervalScript.random(join, times, hotKey, random);
            this.name = "-Dstateaccel.seed=%d, %s".formatted(seed, join);
        }

        private Case(Case other, int bundleSize) {
            this.name = other.name;
            this.script = other.script;
            this.join = other.join.withBundleSize(bundleSize);
            this.reuseRows = other.reuseRows;
        }

        Case withBundleSize(int rows) {
            return new Case(this, rows);
        }

        /** The pairs, after all of which nothing is left in the state. */
        List<String> ours(boolean rocksdb) throws Exception {
            try (var run = new IntervalJoinRun(join::accelerated, rocksdb, reuseRows)) {
                run.play(script.events());
                run.advance(script.end());
                assertThat(run.entries()).as("state and timers at the end, %s", name).isZero();
                return run.pairs();
            }
        }

        List<String> stock(boolean rocksdb) throws Exception {
            try (var run = new IntervalJoinRun(join::stock, rocksdb, false)) {
                run.play(script.events());
                run.advance(script.end());
                return run.pairs();
            }
        }
    }
}
