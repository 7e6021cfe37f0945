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
package io.stateaccel.operators.join.fused;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.Changelog;
import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.RowOutput;
import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.aggregate.TestAggregates;
import io.stateaccel.operators.bundle.IdleTask;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.JoinCase.Side;
import io.stateaccel.operators.join.JoinCase.UniqueKey;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.RandomChangelog;
import io.stateaccel.operators.join.fused.FusedCase.Above;
import io.stateaccel.operators.join.fused.FusedCase.Ranks;
import io.stateaccel.views.join.InputChangelog;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random changelogs through Flink's join and its aggregate or top-N above, and through our
 * operator that is both, with checkpoints and restores in between and with bounds so tight that the
 * groups or rows of a join key are often worked off before the key is finished. What is live in the
 * end is the same, and every change on the way keeps to the rules.
 */
class FusedJoinDifferentialTest {

    static Stream<Arguments> cases() {
        return RandomCases.onAllBackends(19);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameLiveRowsAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        FusedCase fused = FusedCase.random(random);
        List<BinaryRowData> left =
                RandomChangelog.of(fused.join().left(), "hot", random, random.nextInt(150));
        List<BinaryRowData> right =
                fused.above() == Above.TOP_UPDATE
                        ? risingUpserts(random)
                        : RandomChangelog.of(
                                fused.join().right(), "hot", random, random.nextInt(150));
        Run run = new Run(left, right, false, random.nextLong(), backend);
        String description = "-Dstateaccel.seed=%d, %s: %s".formatted(seed, backend, fused);

        if (fused.above().isLocal()) {
            assertThat(run.partials(fused)).as(description).isEqualTo(run.stockTotals(fused));
            return;
        }
        Map<BinaryRowData, Integer> ours = run.accelerated(fused, description);
        assertThat(ours).as(description).isEqualTo(run.accelerated(fused.unbounded(), description));
        if (!fused.isWrongInFlink()) {
            // Of rows that tie the first to come is the first, which is not the same in both joins.
            UnaryOperator<Map<BinaryRowData, Integer>> comparable =
                    fused.ranks().ties() ? fused::byWhatDecidesRanks : UnaryOperator.identity();
            assertThat(comparable.apply(ours))
                    .as(description)
                    .isEqualTo(comparable.apply(run.stock(fused)));
        }
    }

    /**
     * A top-1 whose result keeps every row that was ever the first, so that the order of the join's
     * results matters: all rows of one side come first.
     */
    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void everyRowThatWasTheFirst(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        int[] sizes = {1, 2, 7, 1000};
        Side left = new Side(UniqueKey.JOIN_KEY, InputChangelog.INSERT_ONLY);
        Side right = new Side(UniqueKey.NONE, InputChangelog.INSERT_ONLY);
        FusedCase fused =
                new FusedCase(
                        new JoinCase(
                                FlinkJoinType.INNER,
                                left,
                                right,
                                random.nextBoolean(),
                                random.nextBoolean(),
                                sizes[random.nextInt(sizes.length)],
                                0,
                                0),
                        Above.TOP_APPEND,
                        new Ranks(1, 1, random.nextBoolean(), random.nextBoolean(), false),
                        sizes[random.nextInt(sizes.length)],
                        1);
        Run run =
                new Run(
                        RandomChangelog.of(left, "hot", random, 10),
                        RandomChangelog.of(right, "hot", random, random.nextInt(150)),
                        true,
                        random.nextLong(),
                        backend);
        Map<RowData, List<BinaryRowData>> ours = new HashMap<>();
        run.accelerated(fused, fused::neverTakingBack, change -> note(fused, change, ours));
        Map<RowData, List<BinaryRowData>> stock = new HashMap<>();
        run.stock(fused, change -> note(fused, change, stock));
        assertThat(ours).as("-Dstateaccel.seed=%d, %s: %s", seed, backend, fused).isEqualTo(stock);
    }

    private static void note(
            FusedCase fused, RowData change, Map<RowData, List<BinaryRowData>> changes) {
        try {
            changes.computeIfAbsent(fused.keyAbove().getKey(change), key -> new ArrayList<>())
                    .add(fused.outputType().toRowSerializer().toBinaryRow(change).copy());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** One row per key, whose value only grows. */
    private static List<BinaryRowData> risingUpserts(Random random) {
        List<BinaryRowData> changes = new ArrayList<>();
        Map<String, Integer> values = new HashMap<>();
        for (int i = random.nextInt(40); i > 0; i--) {
            String key = random.nextInt(3) > 0 ? "hot" : "key-number-" + random.nextInt(6);
            boolean isNew = !values.containsKey(key);
            int value = values.merge(key, 1 + random.nextInt(3), Integer::sum);
            BinaryRowData row = JoinCase.row(key, 0, value);
            row.setRowKind(isNew ? RowKind.INSERT : RowKind.UPDATE_AFTER);
            changes.add(row);
        }
        return changes;
    }

    /** The input, and how it comes. */
    private record Run(
            List<BinaryRowData> left,
            List<BinaryRowData> right,
            boolean leftFirst,
            long interleaving,
            String backend) {

        Map<BinaryRowData, Integer> accelerated(FusedCase fused, String description)
                throws Exception {
            Changelog<BinaryRowData> changelog = fused.changelog();
            try {
                accelerated(fused, fused::accelerated, changelog::accept);
                changelog.end();
            } catch (AssertionError e) {
                throw new AssertionError(description, e);
            }
            return changelog.live();
        }

        private void accelerated(
                FusedCase fused,
                Supplier<MiniBatchJoinOperator> operators,
                Consumer<RowData> output)
                throws Exception {
            Random random = new Random(interleaving);
            OperatorSubtaskState snapshot = null;
            int l = 0;
            int r = 0;
            boolean done = false;
            while (!done) {
                try (var harness = harness(operators.get(), backend, output)) {
                    harness.setup();
                    if (snapshot != null) {
                        harness.initializeState(snapshot);
                    }
                    harness.open();
                    boolean restore = false;
                    while (!restore && !(done = l == left.size() && r == right.size())) {
                        if (isLeftNext(l, r, random)) {
                            harness.processElement1(new StreamRecord<>(left.get(l++).copy()));
                        } else {
                            harness.processElement2(new StreamRecord<>(right.get(r++).copy()));
                        }
                        if (random.nextInt(40) == 0) {
                            harness.processBothWatermarks(new Watermark(l + r));
                        }
                        // How long after a flush idleness ends no bundle depends on the clock, and
                        // where bundles end decides which of two rows that tie came first.
                        if (random.nextInt(20) == 0 && !fused.ranks().ties()) {
                            IdleTask.idle(harness);
                        }
                        restore = random.nextInt(60) == 0;
                    }
                    harness.prepareSnapshotPreBarrier(1);
                    snapshot = harness.snapshot(1, 1);
                }
            }
        }

        private boolean isLeftNext(int l, int r, Random random) {
            return r == right.size() || l < left.size() && (leftFirst || random.nextBoolean());
        }

        /** Per group, what its partials come to. */
        Map<RowData, Totals> partials(FusedCase fused) throws Exception {
            int groupColumns = fused.groupSelector().getProducedType().toRowSize();
            Map<RowData, Totals> totals = new HashMap<>();
            accelerated(
                    fused,
                    fused::accelerated,
                    partial -> {
                        Totals ofGroup =
                                totals.computeIfAbsent(group(fused, partial), g -> new Totals());
                        ofGroup.rows += partial.getLong(groupColumns);
                        if (fused.above() == Above.LOCAL_SUM) {
                            ofGroup.sum += partial.getLong(groupColumns + 1);
                        } else {
                            TestAggregates.idsOf(partial, groupColumns + 1)
                                    .forEach((id, count) -> ofGroup.add(id, count));
                        }
                    });
            totals.values().removeIf(Totals::isNothing);
            return totals;
        }

        /** Per group, what the results of Flink's join come to. */
        Map<RowData, Totals> stockTotals(FusedCase fused) throws Exception {
            Map<RowData, Totals> totals = new HashMap<>();
            stockJoin(
                    fused,
                    row -> {
                        int sign = RowDataUtil.isAccumulateMsg(row) ? 1 : -1;
                        Totals ofGroup =
                                totals.computeIfAbsent(group(fused, row), g -> new Totals());
                        ofGroup.rows += sign;
                        if (fused.above() == Above.LOCAL_SUM) {
                            ofGroup.sum += sign * row.getInt(JoinCase.VALUE);
                        } else {
                            ofGroup.add(row.getLong(JoinCase.ID), sign);
                        }
                    });
            totals.values().removeIf(Totals::isNothing);
            return totals;
        }

        private static RowData group(FusedCase fused, RowData row) {
            try {
                return fused.groupSelector().getKey(row);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }

        Map<BinaryRowData, Integer> stock(FusedCase fused) throws Exception {
            // Flink's top-N does not keep to all rules: a -U may come before another one's +U.
            Map<Object, BinaryRowData> rows = new HashMap<>();
            Map<BinaryRowData, Integer> live = new HashMap<>();
            RowDataSerializer outputSerializer = fused.outputType().toRowSerializer();
            Consumer<RowData> materialise =
                    change -> {
                        boolean adds = RowDataUtil.isAccumulateMsg(change);
                        BinaryRowData row = outputSerializer.toBinaryRow(change).copy();
                        row.setRowKind(RowKind.INSERT);
                        if (!fused.ranks().updateBefore()) {
                            Object key = fused.rowKey().apply(row);
                            BinaryRowData before = adds ? rows.put(key, row) : rows.remove(key);
                            if (before != null) {
                                live.remove(before);
                            }
                        }
                        if (adds || fused.ranks().updateBefore()) {
                            live.merge(row, adds ? 1 : -1, Totals::sumOrNull);
                        }
                    };
            stock(fused, materialise);
            return live;
        }

        private void stock(FusedCase fused, Consumer<RowData> output) throws Exception {
            var selector = fused.keyAbove();
            RowDataSerializer serializer = fused.join().resultType().toRowSerializer();
            try (var above =
                    new KeyedOneInputStreamOperatorTestHarness<>(
                            fused.stockAbove(), selector, selector.getProducedType())) {
                RowOutput.of(above, output);
                above.open();
                stockJoin(
                        fused,
                        row -> {
                            try {
                                above.processElement(
                                        new StreamRecord<>(serializer.toBinaryRow(row).copy()));
                            } catch (Exception e) {
                                ExceptionUtils.rethrow(e);
                            }
                        });
            }
        }

        private void stockJoin(FusedCase fused, Consumer<RowData> results) throws Exception {
            Random random = new Random(interleaving);
            int l = 0;
            int r = 0;
            try (var harness = harness(fused.join().stock(), "hashmap", results)) {
                harness.open();
                while (l < left.size() || r < right.size()) {
                    if (isLeftNext(l, r, random)) {
                        harness.processElement1(new StreamRecord<>(left.get(l++).copy()));
                    } else {
                        harness.processElement2(new StreamRecord<>(right.get(r++).copy()));
                    }
                }
            }
        }

        private static KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>
                harness(
                        TwoInputStreamOperator<RowData, RowData, RowData> operator,
                        String backend,
                        Consumer<RowData> output)
                        throws Exception {
            Selector key = new Selector(JoinCase.KEY);
            var harness =
                    new KeyedTwoInputStreamOperatorTestHarness<>(
                            operator, key, key, key.getProducedType());
            harness.setStateBackend(TestBackends.of(backend));
            RowOutput.of(harness, output);
            return harness;
        }
    }

    /** What the rows of a group come to. */
    private static final class Totals {
        long rows;
        long sum;
        final Map<Long, Long> ids = new HashMap<>();

        void add(long id, long count) {
            ids.merge(id, count, (a, b) -> a + b == 0 ? null : Long.valueOf(a + b));
        }

        static Integer sumOrNull(int a, int b) {
            return a + b == 0 ? null : a + b;
        }

        boolean isNothing() {
            return rows == 0 && sum == 0 && ids.isEmpty();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Totals totals
                    && rows == totals.rows
                    && sum == totals.sum
                    && ids.equals(totals.ids);
        }

        @Override
        public int hashCode() {
            return Long.hashCode(rows);
        }

        @Override
        public String toString() {
            return rows + " rows, " + sum + ", " + ids;
        }
    }
}
