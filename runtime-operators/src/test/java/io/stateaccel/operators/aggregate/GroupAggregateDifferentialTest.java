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
package io.stateaccel.operators.aggregate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.RowEqualiser;
import io.stateaccel.operators.RowOutput;
import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.bundle.IdleTask;
import io.stateaccel.operators.clock.Subtasks;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.operators.aggregate.GroupAggFunction;
import org.apache.flink.table.runtime.operators.aggregate.GroupTableAggFunction;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.ExceptionUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random changes at the same times through Flink's group aggregate, or its table
 * aggregate, row by row, and through ours, in bundles: after each bundle the last result of every
 * group is the same. With a state TTL groups expire between bundles and within, in the cache,
 * between a checkpoint and the restore; and restores of either operator go on from the other's
 * snapshots, with more sub-tasks or fewer, but where ours keeps values packed.
 */
class GroupAggregateDifferentialTest {

    private static final int TTL = 100;

    private static final Selector KEY = new Selector(JoinCase.KEY);

    static Stream<Arguments> cases() {
        return RandomCases.onAllBackends(12);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameResultsAsStock(long seed, String backend) throws Exception {
        Case random = Case.random(new Random(seed));
        new Run(random, random.ttl, backend, seed).compare();
    }

    /** A TTL that is a little too long or too short, as with a wrong age, is noticed. */
    @Test
    void aWrongAgeIsFound() {
        assertThat(LongStream.range(0, 50).filter(seed -> !isSameWith(TTL + 10, seed)).count())
                .as("cases that differ where groups live longer")
                .isGreaterThan(5);
        assertThat(LongStream.range(0, 50).filter(seed -> !isSameWith(TTL - 10, seed)).count())
                .as("cases that differ where groups live less long")
                .isGreaterThan(5);
        assertThat(LongStream.range(0, 50).filter(seed -> isSameWith(TTL, seed)).count())
                .as("cases that are the same where nothing is wrong")
                .isEqualTo(50);
    }

    /** What stock does of it, ours does: it goes on with the same results, or it does not start. */
    @ParameterizedTest
    @CsvSource({
        "hashmap, 0, 100",
        "hashmap, 100, 0",
        "hashmap, 100, 1000",
        "rocksdb, 0, 100",
        "rocksdb, 100, 0",
        "rocksdb, 100, 1000"
    })
    void aTtlMayChangeWhereStocksMay(String backend, int before, int after) throws Exception {
        Case some = new Case(TestAggregates.Kind.SUM, false, true, true, before, 1000, 1 << 20);
        Run first = new Run(some, before, backend, 7);
        first.open();
        first.bundle();
        first.bundle();
        first.snapshot();
        Run then =
                new Run(some.withTtl(after), after, backend, 8)
                        .from(first.stockSnapshot, first.ourSnapshot, first.time);
        Optional<String> refusal = then.refusalOfStock();
        if (refusal.isPresent()) {
            assertThatThrownBy(then::openOurs).isNotNull();
            return;
        }
        then.compare();
    }

    /** As in Flink's states on the heap, whoever reads or writes looks at a few other entries. */
    @Test
    void groupsThatNobodyAsksForDoNotStayOnTheHeap() throws Exception {
        Case some = new Case(TestAggregates.Kind.SUM, false, true, true, TTL, 1, 0);
        Run run = new Run(some, TTL, "hashmap", 9);
        run.open();
        for (int i = 0; i < 500; i++) {
            run.process(run.ours, JoinCase.row("key-" + i, 0, i));
        }
        assertThat(run.ours.all().get(0).numKeyedStateEntries()).isEqualTo(500);
        run.time += 2 * TTL;
        run.tell(run.ours);
        for (int i = 0; i < 1_000; i++) {
            run.process(run.ours, JoinCase.row("another", 0, i));
        }
        assertThat(run.ours.all().get(0).numKeyedStateEntries()).isLessThan(5);
        run.close();
    }

    private static boolean isSameWith(int ttl, long seed) {
        Case some = Case.random(new Random(seed));
        Case expiring =
                new Case(
                        some.kind,
                        some.table,
                        some.retracts,
                        some.updateBefore,
                        TTL,
                        some.size,
                        some.cache);
        try {
            new Run(expiring, ttl, "hashmap", seed).compare();
            return true;
        } catch (AssertionError e) {
            return false;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /**
     * @param table whether it is a table aggregate, that takes back what it emits
     * @param ttl of state in milliseconds, 0 for ever
     * @param size of a bundle in rows
     * @param cache bytes for accumulators between bundles
     */
    private record Case(
            TestAggregates.Kind kind,
            boolean table,
            boolean retracts,
            boolean updateBefore,
            int ttl,
            int size,
            long cache) {

        Case withTtl(int other) {
            return new Case(kind, table, retracts, updateBefore, other, size, cache);
        }

        static Case random(Random random) {
            int[] sizes = {1, 3, 20, 1000};
            long[] caches = {0, 1000, 1 << 20};
            boolean table = random.nextInt(3) == 0;
            return new Case(
                    random.nextBoolean() ? TestAggregates.Kind.SUM : TestAggregates.Kind.DISTINCT,
                    table,
                    random.nextBoolean(),
                    table || random.nextBoolean(),
                    random.nextInt(4) == 0 ? 0 : TTL,
                    sizes[random.nextInt(sizes.length)],
                    caches[random.nextInt(caches.length)]);
        }
    }

    /** Both operators side by side. */
    private static final class Run {
        private final Case what;
        private final int oursTtl;
        private final String backend;
        private final String description;
        private final Random random;

        private final RowType outputType;
        private final ResultTable stockTable;
        private final ResultTable ourTable;
        private final Random parallelism;
        private OperatorSubtaskState[] stockSnapshot;
        private OperatorSubtaskState[] ourSnapshot;
        private final Subtasks<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
                stock = new Subtasks<>();
        private final Subtasks<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
                ours = new Subtasks<>();
        private long time = 1_000;

        /** What may be retracted. */
        private final List<BinaryRowData> rows = new ArrayList<>();

        Run(Case what, int oursTtl, String backend, long seed) {
            this.what = what;
            this.oursTtl = oursTtl;
            this.backend = backend;
            this.random = new Random(seed + 1);
            this.parallelism = new Random(seed + 2);
            this.description =
                    "-Dstateaccel.seed=%d, %s, TTL of ours %d: %s"
                            .formatted(seed, backend, oursTtl, what);
            LogicalType[] values =
                    what.table ? TestTableAggregate.VALUE_TYPES : what.kind.valueTypes();
            LogicalType[] output = new LogicalType[1 + values.length];
            output[0] = KEY.getProducedType().toRowFieldTypes()[0];
            System.arraycopy(values, 0, output, 1, values.length);
            this.outputType = RowType.of(output);
            this.stockTable = table();
            this.ourTable = table();
        }

        /** A row of a table aggregate is there until it is taken back, whatever else there is. */
        private ResultTable table() {
            return new ResultTable(
                    new RowDataSerializer(outputType),
                    row -> what.table ? row : row.getString(0).toString());
        }

        void compare() throws Exception {
            try {
                for (int lives = 1 + random.nextInt(4); lives > 0; lives--) {
                    open();
                    for (int bundles = random.nextInt(12); bundles > 0; bundles--) {
                        bundle();
                    }
                    snapshot();
                    pass(random.nextInt(3) == 0 ? TTL : 20);
                }
            } finally {
                close();
            }
        }

        private void snapshot() throws Exception {
            stockSnapshot = stock.snapshot(1);
            ourSnapshot = ours.snapshot(1);
            close();
        }

        Run from(OperatorSubtaskState[] ofStock, OperatorSubtaskState[] ofOurs, long at) {
            stockSnapshot = ofStock;
            ourSnapshot = ofOurs;
            time = at;
            return this;
        }

        Optional<String> refusalOfStock() throws Exception {
            try {
                start(stock, this::stock, stockTable, stockSnapshot);
                return Optional.empty();
            } catch (Exception e) {
                return Optional.of(ExceptionUtils.stringifyException(e).lines().toList().get(0));
            } finally {
                close();
            }
        }

        void openOurs() throws Exception {
            try {
                start(ours, this::ours, ourTable, ourSnapshot);
            } finally {
                close();
            }
        }

        private void bundle() throws Exception {
            stockTable.begin();
            ourTable.begin();
            for (int i = random.nextInt(15); i >= 0; i--) {
                BinaryRowData change = change();
                process(stock, change);
                process(ours, change);
                if (random.nextInt(10) == 0) {
                    for (var subtask : ours.all()) {
                        IdleTask.idle(subtask);
                    }
                }
                // A result over a view is worked out at the end of the bundle, by what is there
                // then.
                if (what.kind == TestAggregates.Kind.SUM && random.nextInt(10) == 0) {
                    pass(random.nextInt(20) == 0 ? TTL : 20);
                    tell(stock);
                    tell(ours);
                }
            }
            for (var subtask : ours.all()) {
                subtask.prepareSnapshotPreBarrier(1);
            }
            ourTable.assertSameAs(stockTable, what.ttl > 0, description);
            if (random.nextInt(2) == 0) {
                pass(random.nextInt(8) == 0 ? TTL + 1 : 50);
                tell(stock);
                tell(ours);
            }
        }

        /** Of few keys, so that groups are often renewed just before they expire. */
        private BinaryRowData change() {
            if (what.retracts && !rows.isEmpty() && random.nextInt(3) == 0) {
                BinaryRowData row = rows.remove(random.nextInt(rows.size())).copy();
                row.setRowKind(random.nextBoolean() ? RowKind.DELETE : RowKind.UPDATE_BEFORE);
                return row;
            }
            BinaryRowData row =
                    JoinCase.row(
                            "key-" + (random.nextInt(3) == 0 ? random.nextInt(30) : 0),
                            random.nextInt(5),
                            random.nextInt(3));
            rows.add(row);
            row.setRowKind(random.nextBoolean() ? RowKind.INSERT : RowKind.UPDATE_AFTER);
            return row;
        }

        private void pass(int atMost) {
            time += random.nextInt(atMost + 1);
        }

        private void open() throws Exception {
            // Where states and layouts are the same, either goes on where the other was.
            boolean swapped = ourSnapshot != null && random.nextBoolean() && !isPacked();
            start(stock, this::stock, stockTable, swapped ? ourSnapshot : stockSnapshot);
            start(ours, this::ours, ourTable, swapped ? stockSnapshot : ourSnapshot);
        }

        private boolean isPacked() {
            return backend.equals(TestBackends.ACCELERATED);
        }

        private void close() throws Exception {
            stock.close();
            ours.close();
        }

        private OneInputStreamOperator<RowData, RowData> stock() {
            if (what.table) {
                return new KeyedProcessOperator<>(
                        new GroupTableAggFunction(
                                new TestTableAggregate(what.kind),
                                what.kind.accumulatorTypes(),
                                what.retracts ? 0 : -1,
                                what.updateBefore,
                                false,
                                what.ttl));
            }
            return new KeyedProcessOperator<>(
                    new GroupAggFunction(
                            new TestAggregates(what.kind),
                            new RowEqualiser(),
                            what.kind.accumulatorTypes(),
                            what.retracts ? 0 : -1,
                            what.updateBefore,
                            what.ttl));
        }

        private OneInputStreamOperator<RowData, RowData> ours() {
            return new CachedGroupAggregateOperator(
                    new CachedGroupAggregateSpec(
                            what.table
                                    ? new TestTableAggregate(what.kind)
                                    : new TestAggregates(what.kind),
                            null,
                            what.table ? null : new RowEqualiser(),
                            what.table ? outputType : null,
                            what.kind.accumulatorTypes(),
                            what.retracts ? 0 : -1,
                            what.updateBefore,
                            KEY,
                            TimeToLive.ofMillis(what.ttl == 0 ? 0 : oursTtl),
                            new BundleSettings(what.size, 1000),
                            what.cache,
                            isPacked()));
        }

        /**
         * @param snapshot what they go on from, with another number of sub-tasks; null for the
         *     first
         */
        private void start(
                Subtasks<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
                        subtasks,
                Supplier<OneInputStreamOperator<RowData, RowData>> operator,
                ResultTable table,
                OperatorSubtaskState[] snapshot)
                throws Exception {
            Subtasks.Factory<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
                    factory =
                            (maxParallelism, parallelism, index) ->
                                    harness(
                                            operator.get(),
                                            table,
                                            maxParallelism,
                                            parallelism,
                                            index);
            if (snapshot == null) {
                subtasks.start(factory, 1);
            } else {
                subtasks.restore(factory, 1 + parallelism.nextInt(3), snapshot);
            }
        }

        private KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> harness(
                OneInputStreamOperator<RowData, RowData> operator,
                ResultTable table,
                int maxParallelism,
                int parallelism,
                int index)
                throws Exception {
            var harness =
                    new KeyedOneInputStreamOperatorTestHarness<>(
                            operator,
                            KEY,
                            KEY.getProducedType(),
                            maxParallelism,
                            parallelism,
                            index);
            harness.setStateBackend(TestBackends.of(backend));
            harness.setStateTtlProcessingTime(time);
            harness.setProcessingTime(time);
            RowOutput.of(harness, table::collect);
            return harness;
        }

        private void process(
                Subtasks<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
                        subtasks,
                BinaryRowData row)
                throws Exception {
            subtasks.of(KEY.getKey(row)).processElement(new StreamRecord<>(row.copy()));
        }

        private void tell(
                Subtasks<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
                        subtasks)
                throws Exception {
            for (var subtask : subtasks.all()) {
                subtask.setStateTtlProcessingTime(time);
                subtask.setProcessingTime(time);
            }
        }
    }
}
