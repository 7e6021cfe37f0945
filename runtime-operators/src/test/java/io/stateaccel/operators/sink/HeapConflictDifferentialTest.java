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
package io.stateaccel.operators.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.operator.WatermarkMaterializer;
import io.stateaccel.flink.testing.Lines;
import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.RowEqualiser;
import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.clock.Subtasks;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateInitializationContextImpl;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random changes and watermarks through Flink's materializer that waits for watermarks and
 * through ours: rows whose keys move, changes of a key in whatever order, rows in conflict,
 * checkpoints, restarts with other parallelism in which either goes on from the state of the other,
 * changes that were on their way while a checkpoint was made, and rows that expire. With each
 * watermark the same changes of each key come, and the same failure, if any.
 */
class HeapConflictDifferentialTest {

    private static final long TTL = 1_000;

    @BeforeEach
    void needsOnConflict() {
        Lines.assumeAtLeast("2.3", "ON CONFLICT");
    }

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(5);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameChangesWithEachWatermarkAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        Sink sink = Sink.random(random);
        long events = random.nextLong();
        boolean reusesRows = random.nextBoolean();
        String name = "-Dstateaccel.seed=%d on %s, %s".formatted(seed, backend, sink);

        List<Map<String, List<String>>> expected =
                new Run(sink, events, backend, false).play(List.of(sink::stock));
        assertThat(new Run(sink, events, backend, reusesRows).play(List.of(sink::ours)))
                .as(name)
                .isEqualTo(expected);
        assertThat(
                        new Run(sink, events, backend, reusesRows)
                                .play(List.of(sink::ours, sink::stock)))
                .as(name + ", by turns with stock")
                .isEqualTo(expected);
    }

    /** So that the comparison has something to compare: in some run each of these is there. */
    @Test
    void casesHaveConflictsAndAllKindsOfChanges() throws Exception {
        StringBuilder all = new StringBuilder();
        for (long seed = 0; seed < 40; seed++) {
            Random random = new Random(seed);
            Sink sink = Sink.random(random);
            all.append(
                    new Run(sink, random.nextLong(), "hashmap", false).play(List.of(sink::stock)));
        }
        assertThat(all.toString())
                .contains("+I ", "+U ", "-D ", "Primary key constraint violation");
    }

    /** What a key has in the sink is read and written with the watermark, and nothing else is. */
    @Test
    void changesAreNotInTheStateUnlessThereIsACheckpoint() throws Exception {
        Sink sink = new Sink(true, true, 0, 1L << 30);
        try (var subtasks =
                new Subtasks<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>()) {
            subtasks.start(new Run(sink, 1, "hashmap", false).of(List.of(sink::ours)), 1);
            var subtask = subtasks.all().get(0);
            for (int i = 0; i < 10; i++) {
                BinaryRowData row = JoinCase.row("k" + i, i, 0);
                subtask.processElement(new StreamRecord<>(row, Long.MIN_VALUE));
            }
            assertThat(subtask.numKeyedStateEntries()).isZero();
            assertThat(subtask.numEventTimeTimers()).isZero();

            subtasks.snapshot(1);
            assertThat(subtask.numKeyedStateEntries()).isEqualTo(10);
            assertThat(subtask.numEventTimeTimers()).isEqualTo(10);

            subtask.processWatermark(new Watermark(1));
            assertThat(subtask.extractOutputValues()).hasSize(10);
            assertThat(subtask.numEventTimeTimers()).isZero();

            subtask.processElement(new StreamRecord<>(JoinCase.row("k0", 0, 1), 1));
            assertThat(subtask.numEventTimeTimers()).isZero();
            subtask.processWatermark(new Watermark(2));
            assertThat(subtask.extractOutputValues()).hasSize(11);
        }
    }

    /**
     * @param hasUpsertKey whether the query knows its rows by their id, and not by all of a row
     * @param ttl milliseconds, 0 for ever
     */
    private record Sink(boolean failsOnConflict, boolean hasUpsertKey, long ttl, long heapBytes) {

        static Sink random(Random random) {
            long[] budgets = {0, 500, 5_000, 1L << 30};
            return new Sink(
                    random.nextBoolean(),
                    random.nextBoolean(),
                    random.nextInt(3) == 0 ? TTL : 0,
                    budgets[random.nextInt(budgets.length)]);
        }

        /**
         * @param restored the checkpoint to go on from, less than 0 if none
         */
        OneInputStreamOperator<RowData, RowData> ours(long restored) {
            return new Ours(spec(), restored);
        }

        /**
         * @param restored the checkpoint to go on from, less than 0 if none
         */
        OneInputStreamOperator<RowData, RowData> stock(long restored) {
            return new Stock(spec(), restored);
        }

        private HeapConflictSpec spec() {
            return new HeapConflictSpec(
                    failsOnConflict,
                    JoinCase.ROW,
                    new RowEqualiser(),
                    hasUpsertKey ? new SinkCase.IdEqualiser() : null,
                    hasUpsertKey ? new int[] {JoinCase.ID} : null,
                    RowType.of(new VarCharType(VarCharType.MAX_LENGTH)),
                    new String[] {"key"},
                    TimeToLive.ofMillis(ttl),
                    heapBytes);
        }
    }

    /** A harness says that it is always the first one. */
    private static StateInitializationContext restoredFrom(
            long checkpoint, StateInitializationContext context) {
        return new StateInitializationContextImpl(
                checkpoint < 0 ? null : checkpoint,
                context.getOperatorStateStore(),
                context.getKeyedStateStore(),
                context.getRawKeyedStateInputs(),
                context.getRawOperatorStateInputs());
    }

    /** Ours, as it is. */
    private static final class Ours extends HeapConflictOperator {

        private static final long serialVersionUID = 1L;

        private final long restored;

        Ours(HeapConflictSpec spec, long restored) {
            super(spec);
            this.restored = restored;
        }

        @Override
        public void initializeState(StateInitializationContext context) throws Exception {
            super.initializeState(restoredFrom(restored, context));
        }
    }

    /** Flink's, as it is. */
    private static final class Stock extends WatermarkMaterializer {

        private static final long serialVersionUID = 1L;

        private final long restored;

        Stock(HeapConflictSpec spec, long restored) {
            super(
                    spec.ttl().config(),
                    spec.failsOnConflict(),
                    spec.rowType(),
                    spec.rows(),
                    spec.upsertKeys(),
                    spec.upsertKey(),
                    spec.primaryKey(),
                    spec.primaryKeyNames());
            this.restored = restored;
        }

        @Override
        public void initializeState(StateInitializationContext context) throws Exception {
            super.initializeState(restoredFrom(restored, context));
        }
    }

    /** One run of an operator, or of several that take turns. */
    private static final class Run {
        private final Sink sink;
        private final Random random;
        private final String backend;
        private final boolean reusesRows;
        private final Subtasks<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
                subtasks = new Subtasks<>();
        private final List<Map<String, List<String>>> results = new ArrayList<>();
        private final Changes changes;

        /**
         * Whether time goes on while changes wait. A checkpoint begins a new life for these, so
         * there is none then.
         */
        private final boolean timePassesMeanwhile;

        private int restarts;
        private long restored = -1;
        private long checkpoint;
        private long watermark = Long.MIN_VALUE;
        private long highest = Long.MIN_VALUE;

        /** The last watermark before the restart, none once there is another one. */
        @Nullable private Long watermarkBefore;

        private long now = 1;

        /**
         * @param reusesRows whether a row is overwritten as soon as ours has seen it
         */
        Run(Sink sink, long seed, String backend, boolean reusesRows) {
            this.sink = sink;
            this.random = new Random(seed);
            this.backend = backend;
            this.reusesRows = reusesRows;
            this.timePassesMeanwhile =
                    sink.ttl() > 0 && sink.heapBytes() == 1L << 30 && random.nextBoolean();
            this.changes = new Changes(random, sink);
        }

        List<Map<String, List<String>>> play(
                List<LongFunction<OneInputStreamOperator<RowData, RowData>>> operators)
                throws Exception {
            try (subtasks) {
                subtasks.start(of(operators), 1 + random.nextInt(2));
                int epochs = random.nextInt(25);
                for (int epoch = 0; epoch < epochs; epoch++) {
                    for (BinaryRowData change : changes.next()) {
                        disturb(operators);
                        send(change, operators);
                    }
                    disturb(operators);
                    if (!advance()) {
                        return results;
                    }
                    pass();
                }
                return results;
            }
        }

        private void disturb(List<LongFunction<OneInputStreamOperator<RowData, RowData>>> operators)
                throws Exception {
            int kind = random.nextInt(100);
            if (timePassesMeanwhile) {
                if (kind < 10) {
                    pass();
                }
            } else if (kind < 3) {
                subtasks.snapshot(++checkpoint);
            } else if (kind < 5) {
                restart(operators);
            }
        }

        private void pass() throws Exception {
            if (sink.ttl() > 0 && random.nextInt(3) == 0) {
                now += random.nextInt((int) (timePassesMeanwhile ? 5 * TTL : TTL));
                for (var subtask : subtasks.all()) {
                    subtask.setProcessingTime(now);
                    subtask.setStateTtlProcessingTime(now);
                }
            }
        }

        private void send(
                BinaryRowData change,
                List<LongFunction<OneInputStreamOperator<RowData, RowData>>> operators)
                throws Exception {
            BinaryRowData row = change.copy();
            // Before the first watermark, some have been on their way since before the restart.
            boolean wasOnItsWay = watermarkBefore != null && random.nextInt(3) == 0;
            subtasks.of(SinkCase.PRIMARY_KEY.getKey(row))
                    .processElement(
                            new StreamRecord<>(row, wasOnItsWay ? watermarkBefore : watermark));
            if (reusesRows && restarts % operators.size() == 0) {
                // Flink's own operators rely on copies that Flink makes before them.
                Arrays.fill(row.getSegments()[0].getArray(), (byte) 0x55);
            }
        }

        /** Returns whether there is no failure. */
        private boolean advance() throws Exception {
            watermark = (watermark == Long.MIN_VALUE ? first() : watermark) + 1 + random.nextInt(5);
            highest = Math.max(highest, watermark);
            watermarkBefore = null;
            Map<String, List<String>> changed = new TreeMap<>();
            results.add(changed);
            boolean failed = false;
            for (var subtask : subtasks.all()) {
                try {
                    subtask.processWatermark(new Watermark(watermark));
                } catch (Exception e) {
                    // Which of several keys comes first is not said.
                    changed.clear();
                    changed.put("", List.of(e.getMessage().replaceAll("key=\\w+", "")));
                    failed = true;
                    break;
                }
                for (RowData row : subtask.extractOutputValues()) {
                    changed.computeIfAbsent(SinkCase.keyOf(row), key -> new ArrayList<>())
                            .add(SinkCase.change(row));
                }
                subtask.getOutput().clear();
            }
            return !failed;
        }

        /**
         * After the first restart, watermarks may begin anew. After another one they go on: Flink
         * has then been told to work off at any watermark what came first of a key since the
         * restart before, and ours only at the one at which it would have been without a restart.
         */
        private long first() {
            return restarts > 1 && highest != Long.MIN_VALUE ? highest : random.nextInt(30) - 10;
        }

        private void restart(List<LongFunction<OneInputStreamOperator<RowData, RowData>>> operators)
                throws Exception {
            OperatorSubtaskState[] states = subtasks.snapshot(++checkpoint);
            restarts++;
            restored = checkpoint;
            subtasks.restore(of(operators), 1 + random.nextInt(3), states);
            if (watermark != Long.MIN_VALUE) {
                watermarkBefore = watermark;
            }
            watermark = Long.MIN_VALUE;
        }

        Subtasks.Factory<KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>> of(
                List<LongFunction<OneInputStreamOperator<RowData, RowData>>> operators) {
            return (maxParallelism, parallelism, index) -> {
                var subtask =
                        new KeyedOneInputStreamOperatorTestHarness<>(
                                operators.get(restarts % operators.size()).apply(restored),
                                SinkCase.PRIMARY_KEY,
                                SinkCase.PRIMARY_KEY.getProducedType(),
                                maxParallelism,
                                parallelism,
                                index);
                subtask.setStateBackend(TestBackends.of(backend));
                subtask.setStateTtlProcessingTime(now);
                subtask.setProcessingTime(now);
                if (reusesRows) {
                    subtask.getExecutionConfig().enableObjectReuse();
                }
                return subtask;
            };
        }
    }

    /**
     * What comes between two watermarks: each primary key has one row at most behind it, but for a
     * conflict now and then. In between keys have several, or none, as changes pass others by.
     */
    private static final class Changes {
        private final Random random;
        private final boolean mayConflict;
        private final int keys;
        private final Map<String, BinaryRowData> rows = new TreeMap<>();
        private long ids;

        Changes(Random random, Sink sink) {
            this.random = random;
            // The first conflict ends a run that fails on it.
            this.mayConflict = !sink.failsOnConflict() || random.nextInt(3) == 0;
            this.keys = 1 + random.nextInt(8);
        }

        List<BinaryRowData> next() {
            List<BinaryRowData> changes = new ArrayList<>();
            int steps = random.nextInt(2 * keys);
            for (int i = 0; i < steps; i++) {
                step(changes);
            }
            if (mayConflict && random.nextInt(12) == 0) {
                changes.add(of(RowKind.INSERT, row("k" + random.nextInt(keys), ids++)));
            }
            for (int i = 1; i < changes.size(); i++) {
                if (random.nextInt(4) == 0) {
                    Collections.swap(changes, i - 1, i);
                }
            }
            return changes;
        }

        private void step(List<BinaryRowData> changes) {
            String key = "k" + random.nextInt(keys);
            String other = "k" + random.nextInt(keys);
            BinaryRowData before = rows.remove(key);
            if (before == null) {
                add(changes, RowKind.INSERT, row(key, ids++));
                return;
            }
            int kind = random.nextInt(10);
            if (kind == 0) {
                changes.add(of(RowKind.DELETE, before));
            } else if (kind < 5) {
                changes.add(of(RowKind.UPDATE_BEFORE, before));
                add(changes, RowKind.UPDATE_AFTER, row(key, before.getLong(JoinCase.ID)));
            } else {
                // Two rows whose keys become one another's, or one that moves.
                BinaryRowData displaced = rows.remove(other);
                changes.add(of(RowKind.UPDATE_BEFORE, before));
                add(changes, RowKind.UPDATE_AFTER, row(other, before.getLong(JoinCase.ID)));
                if (displaced != null) {
                    changes.add(of(RowKind.UPDATE_BEFORE, displaced));
                    add(changes, RowKind.UPDATE_AFTER, row(key, displaced.getLong(JoinCase.ID)));
                }
            }
        }

        private void add(List<BinaryRowData> changes, RowKind kind, BinaryRowData row) {
            rows.put(SinkCase.keyOf(row), row);
            changes.add(of(kind, row));
        }

        private BinaryRowData row(String key, long id) {
            return JoinCase.row(key, id, random.nextInt(3));
        }

        private static BinaryRowData of(RowKind kind, BinaryRowData row) {
            BinaryRowData copy = row.copy();
            copy.setRowKind(kind);
            return copy;
        }
    }
}
