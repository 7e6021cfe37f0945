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
package io.stateaccel.operators.join.normalize;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.flink.testing.StockFunctions;
import io.stateaccel.flink.testing.TestCondition;
import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.RowEqualiser;
import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.clock.Subtasks;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinSideSpec;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.MiniBatchJoinSpec;
import io.stateaccel.views.batch.ReadsAhead;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.generated.GeneratedFilterCondition;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.table.runtime.operators.join.stream.StreamingJoinOperator;
import org.apache.flink.table.runtime.operators.join.stream.StreamingSemiAntiJoinOperator;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random changes, as topics of upserts and of duplicates have them, through Flink's
 * normalisation and Flink's join, and through our join that normalises one input or both: all join
 * types, with and without a {@code -U} before each {@code +U}, a filter and a condition, deletions
 * with whole rows and with keys alone, few keys and many, restarts with other parallelism in
 * between. The same rows are in the result after each bundle.
 */
class NormalizingJoinDifferentialTest {

    /** More than are read at a time. */
    private static final int MANY = ReadsAhead.KEYS + 1;

    private static final JoinCase.Selector KEY = new JoinCase.Selector(JoinCase.KEY);

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(12);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameRowsAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        Join join = Join.random(random);
        String name = "-Dstateaccel.seed=%d on %s, %s".formatted(seed, backend, join);
        Map<String, String> expected = new TreeMap<>();
        Map<String, String> actual = new TreeMap<>();
        try (Stock stock = new Stock(join);
                Ours ours = new Ours(join, backend, random.nextBoolean())) {
            int bundles = 1 + random.nextInt(15);
            for (int bundle = 0; bundle < bundles; bundle++) {
                int changes = random.nextInt(join.keys() > MANY ? 2 * join.keys() : 20);
                for (int i = 0; i < changes; i++) {
                    boolean isLeft = random.nextBoolean();
                    BinaryRowData change = join.change(isLeft, random);
                    stock.process(isLeft, change.copy());
                    ours.process(isLeft, change.copy());
                }
                join.apply(expected, stock.results());
                join.apply(actual, ours.flush());
                assertThat(actual).as("%s, bundle %d", name, bundle).isEqualTo(expected);
                assertThat(actual.values())
                        .as("%s, bundle %d", name, bundle)
                        .noneMatch(count -> count.startsWith("-"));
                if (random.nextInt(4) == 0) {
                    ours.restart(1 + random.nextInt(3));
                }
            }
        }
    }

    /**
     * An input that is normalised, and how.
     *
     * @param updatesBefore whether the join sees a {@code -U} before each {@code +U}
     */
    private record Normalized(boolean updatesBefore, boolean hasFilter) {

        static Normalized random(Random random) {
            return new Normalized(
                    random.nextBoolean(), random.nextInt(3) == 0 && Lines.isAtLeast("2.1"));
        }

        InputChangelog changelog() {
            return updatesBefore ? InputChangelog.RETRACT : InputChangelog.UPSERT;
        }

        @Nullable
        GeneratedFilterCondition filter() {
            return hasFilter ? new TestCondition(row -> row.getInt(JoinCase.VALUE) > 0) : null;
        }
    }

    /**
     * @param left null where the left input is one of regular changes; one of the two is not
     * @param right likewise
     * @param keyOnlyDeletes whether a row that goes has nothing but its key
     * @param others rows of the input that is one of regular changes, if there is one
     * @param ids of these, where they have to differ
     */
    private record Join(
            FlinkJoinType type,
            @Nullable Normalized left,
            @Nullable Normalized right,
            boolean keyOnlyDeletes,
            boolean hasCondition,
            int keys,
            int bundleSize,
            List<BinaryRowData> others,
            AtomicLong ids) {

        /** One that the planner would accelerate. */
        static Join random(Random random) {
            FlinkJoinType[] types = FlinkJoinType.values();
            int[] sizes = {1, 3, 1_000_000};
            while (true) {
                int which = random.nextInt(3);
                Join join =
                        new Join(
                                types[random.nextInt(types.length)],
                                which == 0 ? null : Normalized.random(random),
                                which == 1 ? null : Normalized.random(random),
                                random.nextBoolean(),
                                random.nextInt(3) == 0,
                                random.nextInt(8) == 0
                                        ? MANY + random.nextInt(MANY)
                                        : 1 + random.nextInt(8),
                                sizes[random.nextInt(sizes.length)],
                                new ArrayList<>(),
                                new AtomicLong());
                boolean leftDecides = join.type.isRightOuter();
                boolean rightDecides = join.type.isLeftOuter() || join.filters();
                if (!(join.readsUpserts() && join.hasCondition)
                        && !(leftDecides && join.readsUpserts(true))
                        && !(rightDecides && join.readsUpserts(false))) {
                    return join;
                }
            }
        }

        private boolean readsUpserts() {
            return readsUpserts(true) || readsUpserts(false);
        }

        private boolean readsUpserts(boolean isLeft) {
            return normalizes(isLeft) && !normalized(isLeft).updatesBefore();
        }

        @Nullable
        Normalized normalized(boolean isLeft) {
            return isLeft ? left : right;
        }

        /**
         * What is in the result: rows and how often each is there, or, if nobody takes back what is
         * replaced, rows by their keys.
         */
        void apply(Map<String, String> rows, List<RowData> changes) {
            for (RowData change : changes) {
                boolean adds =
                        change.getRowKind() == RowKind.INSERT
                                || change.getRowKind() == RowKind.UPDATE_AFTER;
                if (!readsUpserts()) {
                    rows.merge(
                            text(change, false),
                            adds ? "1" : "-1",
                            (some, more) ->
                                    String.valueOf(
                                            Integer.parseInt(some) + Integer.parseInt(more)));
                } else if (adds) {
                    rows.put(text(change, true), text(change, false));
                } else if (change.getRowKind() == RowKind.DELETE) {
                    rows.remove(text(change, true));
                }
            }
            rows.values().removeIf("0"::equals);
        }

        /** Of all columns, or of the keys of both sides alone. */
        private String text(RowData row, boolean keyOnly) {
            StringBuilder text = new StringBuilder();
            for (int column = 0; column < row.getArity(); column += 3) {
                if (row.isNullAt(column + JoinCase.KEY)) {
                    text.append("none;");
                    continue;
                }
                text.append(row.getString(column + JoinCase.KEY));
                boolean hasOneRow = normalizes(column == 0);
                if (!keyOnly || !hasOneRow) {
                    text.append(',').append(row.getLong(column + JoinCase.ID));
                }
                if (!keyOnly) {
                    text.append(',').append(row.getInt(column + JoinCase.VALUE));
                }
                text.append(';');
            }
            return text.toString();
        }

        boolean normalizes(boolean isLeft) {
            return normalized(isLeft) != null;
        }

        /** As it comes from a topic, or as a regular changelog has it. */
        BinaryRowData change(boolean isLeft, Random random) {
            BinaryRowData row =
                    JoinCase.row("k" + random.nextInt(keys), random.nextInt(3), random.nextInt(3));
            if (normalizes(isLeft)) {
                RowKind[] kinds = RowKind.values();
                row.setRowKind(
                        random.nextInt(3) == 0
                                ? RowKind.UPDATE_AFTER
                                : kinds[random.nextInt(kinds.length)]);
                if (keyOnlyDeletes && !RowDataUtil.isAccumulateMsg(row)) {
                    row.setNullAt(JoinCase.ID);
                    row.setNullAt(JoinCase.VALUE);
                }
            } else if (!others.isEmpty() && random.nextInt(3) == 0) {
                row = others.remove(random.nextInt(others.size())).copy();
                row.setRowKind(RowKind.DELETE);
            } else {
                if (readsUpserts()) {
                    row.setLong(JoinCase.ID, ids.getAndIncrement());
                }
                others.add(row.copy());
            }
            return row;
        }

        JoinCase.Side side(boolean isLeft) {
            if (normalizes(isLeft)) {
                return new JoinCase.Side(
                        JoinCase.UniqueKey.JOIN_KEY, normalized(isLeft).changelog());
            }
            return new JoinCase.Side(
                    readsUpserts() ? JoinCase.UniqueKey.ID : JoinCase.UniqueKey.NONE,
                    InputChangelog.RETRACT);
        }

        boolean filters() {
            return type == FlinkJoinType.SEMI || type == FlinkJoinType.ANTI;
        }

        MiniBatchJoinOperator ours() {
            return new MiniBatchJoinOperator(
                    new MiniBatchJoinSpec(
                            type,
                            sideSpec(true),
                            sideSpec(false),
                            new JoinCase.TestCondition(hasCondition),
                            new boolean[] {true},
                            true,
                            new BundleSettings(bundleSize, 1L << 60)));
        }

        private JoinSideSpec sideSpec(boolean isLeft) {
            return new JoinSideSpec(
                    JoinCase.ROW,
                    KEY,
                    side(isLeft).spec(),
                    side(isLeft).changelog(),
                    TimeToLive.FOREVER,
                    normalizes(isLeft)
                            ? new NormalizedInput(
                                    normalized(isLeft).updatesBefore(),
                                    normalized(isLeft).filter(),
                                    new RowEqualiser())
                            : null);
        }
    }

    /** Flink's two operators, or three. */
    private static final class Stock implements AutoCloseable {
        private final Join join;
        private final Map<
                        Boolean, KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData>>
                normalizers = new TreeMap<>();
        private final KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>
                joiner;

        Stock(Join join) throws Exception {
            this.join = join;
            for (boolean isLeft : new boolean[] {true, false}) {
                if (join.normalizes(isLeft)) {
                    var normalizer =
                            new KeyedOneInputStreamOperatorTestHarness<>(
                                    new KeyedProcessOperator<>(
                                            StockFunctions.normalize(
                                                    JoinCase.ROW,
                                                    0,
                                                    join.normalized(isLeft).updatesBefore(),
                                                    join.normalized(isLeft).filter(),
                                                    new RowEqualiser())),
                                    KEY,
                                    KEY.getProducedType());
                    normalizer.open();
                    normalizers.put(isLeft, normalizer);
                }
            }
            boolean[] filterNullKeys = {true};
            var condition = new JoinCase.TestCondition(join.hasCondition());
            joiner =
                    new KeyedTwoInputStreamOperatorTestHarness<>(
                            join.filters()
                                    ? new StreamingSemiAntiJoinOperator(
                                            join.type() == FlinkJoinType.ANTI,
                                            JoinCase.ROW,
                                            JoinCase.ROW,
                                            condition,
                                            join.side(true).spec(),
                                            join.side(false).spec(),
                                            filterNullKeys,
                                            0,
                                            0)
                                    : new StreamingJoinOperator(
                                            JoinCase.ROW,
                                            JoinCase.ROW,
                                            condition,
                                            join.side(true).spec(),
                                            join.side(false).spec(),
                                            join.type().isLeftOuter(),
                                            join.type().isRightOuter(),
                                            filterNullKeys,
                                            0,
                                            0),
                            KEY,
                            KEY,
                            KEY.getProducedType());
            joiner.open();
        }

        void process(boolean isLeft, RowData change) throws Exception {
            var normalizer = normalizers.get(isLeft);
            if (normalizer == null) {
                join(isLeft, change);
                return;
            }
            RowDataSerializer serializer = JoinCase.ROW.toRowSerializer();
            normalizer.setProcessingTime(0);
            normalizer.processElement(new StreamRecord<>(change));
            for (RowData row : normalizer.extractOutputValues()) {
                join(isLeft, serializer.copy(row));
            }
            normalizer.getOutput().clear();
        }

        private void join(boolean isLeft, RowData change) throws Exception {
            if (isLeft) {
                joiner.processElement1(new StreamRecord<>(change));
            } else {
                joiner.processElement2(new StreamRecord<>(change));
            }
        }

        List<RowData> results() {
            List<RowData> results = joiner.extractOutputValues();
            joiner.getOutput().clear();
            return results;
        }

        @Override
        public void close() throws Exception {
            for (var normalizer : normalizers.values()) {
                normalizer.close();
            }
            joiner.close();
        }
    }

    /** Our one operator. */
    private static final class Ours implements AutoCloseable {
        private final Join join;
        private final String backend;
        private final boolean reusesRows;
        private final Subtasks<
                        KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>>
                subtasks = new Subtasks<>();

        /**
         * @param reusesRows whether a row is overwritten as soon as ours has seen it
         */
        Ours(Join join, String backend, boolean reusesRows) throws Exception {
            this.join = join;
            this.backend = backend;
            this.reusesRows = reusesRows;
            subtasks.start(this::create, 1);
        }

        private KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> create(
                int maxParallelism, int parallelism, int index) throws Exception {
            var subtask =
                    new KeyedTwoInputStreamOperatorTestHarness<>(
                            join.ours(),
                            KEY,
                            KEY,
                            KEY.getProducedType(),
                            maxParallelism,
                            parallelism,
                            index);
            subtask.setStateBackend(TestBackends.of(backend));
            if (reusesRows) {
                subtask.getExecutionConfig().enableObjectReuse();
            }
            return subtask;
        }

        void process(boolean isLeft, BinaryRowData change) throws Exception {
            var subtask = subtasks.of(KEY.getKey(change));
            if (isLeft) {
                subtask.processElement1(new StreamRecord<>(change));
            } else {
                subtask.processElement2(new StreamRecord<>(change));
            }
            if (reusesRows) {
                Arrays.fill(change.getSegments()[0].getArray(), (byte) 0x55);
            }
        }

        List<RowData> flush() throws Exception {
            List<RowData> emitted = new ArrayList<>();
            for (var subtask : subtasks.all()) {
                subtask.prepareSnapshotPreBarrier(1);
                emitted.addAll(subtask.extractOutputValues());
                subtask.getOutput().clear();
            }
            return emitted;
        }

        void restart(int parallelism) throws Exception {
            subtasks.restore(this::create, parallelism, subtasks.snapshot(1));
        }

        @Override
        public void close() throws Exception {
            subtasks.close();
        }
    }
}
