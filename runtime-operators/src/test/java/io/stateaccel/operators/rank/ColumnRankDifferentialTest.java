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
package io.stateaccel.operators.rank;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.Changelog;
import io.stateaccel.operators.DisturbedRun;
import io.stateaccel.operators.MaterialisedRows;
import io.stateaccel.operators.RandomCases;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.metrics.Counter;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.metrics.groups.TaskManagerMetricGroup;
import org.apache.flink.runtime.metrics.util.TestingMetricRegistry;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.operators.rank.ConstantRankRange;
import org.apache.flink.table.runtime.operators.rank.VariableRankRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Top-N whose N is a column, the same in all rows of a partition or not, with checkpoints and
 * restores in between. What is live in the end is what Flink's functions have of the rows of each
 * partition for its N as a constant, and what Flink's for a column have where they are right; from
 * snapshots of these ours goes on, and the other way round.
 */
class ColumnRankDifferentialTest {

    /**
     * For a column Flink buffers as many rows, and drops others that it does not know to be few.
     */
    private static final int ROWS_IN_FLINKS_BUFFER = 100;

    private static final RankCase.Selector PARTITION = new RankCase.Selector(RankCase.PARTITION);

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(12);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameLiveRowsAsForConstants(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        ColumnCase upTo = ColumnCase.random(random);
        DisturbedRun run = new DisturbedRun(upTo.changes(), PARTITION, random.nextLong(), backend);
        String description = "-Dstateaccel.seed=%d, %s: %s".formatted(seed, backend, upTo);

        MaterialisedRows ours = upTo.rank.materialisedRows();
        Changelog<String> rules =
                new Changelog<>(
                        description,
                        upTo.rank::text,
                        upTo.rank.outputRankNumber() ? upTo.rank::key : null,
                        upTo.rank.generateUpdateBefore());
        run.play(
                start -> upTo.accelerated(),
                emitted -> {
                    emitted.forEach(ours::take);
                    rules.bundle(emitted);
                });
        rules.end();

        assertThat(ours.rows()).as(description).isEqualTo(upTo.ofConstants(run).rows());
        if (upTo.rank.input() != RankInput.UPDATE) {
            assertThat(ours.rows()).as("sorted, " + description).isEqualTo(upTo.sorted().rows());
        }
        if (upTo.isRightInFlink()) {
            MaterialisedRows stock = upTo.rank.materialisedRows();
            run.play(start -> upTo.stock(), emitted -> emitted.forEach(stock::take));
            assertThat(ours.rows()).as("of a column, " + description).isEqualTo(stock.rows());
            assertThat(ours.changes())
                    .as("emitted rows, " + description)
                    .isLessThanOrEqualTo(stock.changes());
        }
    }

    /** In turn, from each other's snapshots. */
    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void goesOnWhereStockLeftOffAndBack(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        ColumnCase some;
        do {
            some = ColumnCase.random(random);
        } while (!some.isRightInFlink());
        ColumnCase upTo = some;
        int ours = random.nextInt(2);
        DisturbedRun run = new DisturbedRun(upTo.changes(), PARTITION, random.nextLong(), backend);

        MaterialisedRows both = upTo.rank.materialisedRows();
        run.play(
                start -> start % 2 == ours ? upTo.accelerated() : upTo.stock(),
                emitted -> emitted.forEach(both::take));

        assertThat(both.rows())
                .as("-Dstateaccel.seed=%d, %s: %s", seed, backend, upTo)
                .isEqualTo(upTo.ofConstants(run).rows());
    }

    /** Flink's metric of rows whose N is not that of their partition. */
    @ParameterizedTest
    @EnumSource(RankInput.class)
    void countsRowsWithAnotherN(RankInput input) throws Exception {
        ColumnCase upTo =
                new ColumnCase(ColumnCase.rank(input, true, true, 10, 7), true, List.of());
        List<BinaryRowData> rows = new ArrayList<>();
        for (int id = 0; id < 40; id++) {
            rows.add(RankCase.row(id % 3, id, id % 5, 1 + id % 2));
        }
        long counted = counted(upTo.accelerated(), rows);
        assertThat(counted).isEqualTo(counted(upTo.stock(), rows)).isEqualTo(19);
    }

    private static long counted(
            OneInputStreamOperator<RowData, RowData> operator, List<BinaryRowData> rows)
            throws Exception {
        AtomicReference<Counter> counter = new AtomicReference<>();
        TestingMetricRegistry registry =
                TestingMetricRegistry.builder()
                        .setRegisterConsumer(
                                (metric, name, group) -> {
                                    if (name.equals("topn.invalidTopSize")) {
                                        counter.set((Counter) metric);
                                    }
                                })
                        .build();
        try (var environment =
                        new MockEnvironmentBuilder()
                                .setMetricGroup(
                                        TaskManagerMetricGroup.createTaskManagerMetricGroup(
                                                        registry, "host", ResourceID.generate())
                                                .addJob(new JobID(), "job")
                                                .addTask(ExecutionAttemptID.randomId(), "task"))
                                .setMaxParallelism(1)
                                .build();
                var harness =
                        new KeyedOneInputStreamOperatorTestHarness<>(
                                operator, PARTITION, PARTITION.getProducedType(), environment)) {
            harness.open();
            for (BinaryRowData row : rows) {
                harness.processElement(new StreamRecord<>(row.copy()));
            }
            harness.prepareSnapshotPreBarrier(1);
            return counter.get().getCount();
        }
    }

    /**
     * @param varies whether N is the payload, which rows of a partition have different ones of, and
     *     not the partition
     */
    private record ColumnCase(RankCase rank, boolean varies, List<BinaryRowData> changes) {

        static ColumnCase random(Random random) {
            RankInput[] inputs = RankInput.values();
            int[] sizes = {1, 2, 7, 1000};
            RankCase rank =
                    rank(
                            inputs[random.nextInt(inputs.length)],
                            random.nextBoolean(),
                            random.nextBoolean(),
                            random.nextInt(1000),
                            sizes[random.nextInt(sizes.length)]);
            boolean varies = random.nextInt(3) > 0;
            boolean beyondTheBuffer = varies && random.nextInt(5) == 0;
            int[] last = {-1, 0, 1, 2, 3, 10, 40, beyondTheBuffer ? 120 : 100};
            int[] ofPartitions = random.ints(4, 0, last.length).map(i -> last[i]).toArray();
            if (beyondTheBuffer) {
                ofPartitions[0] = 120;
            }
            int often = random.nextInt(3);
            List<BinaryRowData> changes = new ArrayList<>();
            for (BinaryRowData row :
                    rank.changes(random, random.nextInt(beyondTheBuffer ? 600 : 250))) {
                int ofPartition = ofPartitions[(int) row.getLong(RankCase.PARTITION)];
                // The same for equal rows, and for what retracts them.
                boolean isOther = row.getInt(RankCase.PAYLOAD) < often;
                int ofRow =
                        isOther ? last[(int) row.getLong(RankCase.ID) % last.length] : ofPartition;
                changes.add(varies ? withPayload(row, ofRow) : row);
            }
            return new ColumnCase(rank, varies, changes);
        }

        /** Its last rank is no constant, and what Flink takes for it is the size of its buffer. */
        static RankCase rank(
                RankInput input,
                boolean outputRankNumber,
                boolean generateUpdateBefore,
                long heapRows,
                int bundleSize) {
            return new RankCase(
                    input,
                    1,
                    ROWS_IN_FLINKS_BUFFER,
                    outputRankNumber,
                    generateUpdateBefore,
                    true,
                    heapRows,
                    bundleSize);
        }

        private static BinaryRowData withPayload(BinaryRowData row, int payload) {
            return RankCase.kind(
                    RankCase.row(
                            row.getLong(RankCase.PARTITION),
                            row.getLong(RankCase.ID),
                            row.isNullAt(RankCase.SORTED) ? null : row.getInt(RankCase.SORTED),
                            payload),
                    row.getRowKind());
        }

        MiniBatchRankOperator accelerated() {
            return rank.upTo(column());
        }

        OneInputStreamOperator<RowData, RowData> stock() {
            return rank.stock(new VariableRankRange(column()));
        }

        private int column() {
            return varies ? RankCase.PAYLOAD : RankCase.PARTITION;
        }

        /** The N of each partition. */
        private Map<Long, Long> lastRanks() {
            Map<Long, Long> lastRanks = new HashMap<>();
            for (BinaryRowData row : changes) {
                long partition = row.getLong(RankCase.PARTITION);
                lastRanks.putIfAbsent(partition, varies ? row.getInt(RankCase.PAYLOAD) : partition);
            }
            return lastRanks;
        }

        /**
         * Without rank numbers Flink emits an upsert that is ranked behind N as a row that goes and
         * then comes. Of rows behind the hundredth it stores none, as it does not expect so many.
         */
        boolean isRightInFlink() {
            return (rank.input() != RankInput.UPDATE || rank.outputRankNumber())
                    && lastRanks().values().stream().noneMatch(n -> n > ROWS_IN_FLINKS_BUFFER);
        }

        /** What Flink has for the N of each partition as a constant. */
        MaterialisedRows ofConstants(DisturbedRun run) throws Exception {
            Map<Long, List<BinaryRowData>> byLastRank = new TreeMap<>();
            Map<Long, Long> lastRanks = lastRanks();
            for (BinaryRowData row : changes) {
                long last = lastRanks.get(row.getLong(RankCase.PARTITION));
                byLastRank.computeIfAbsent(last, n -> new ArrayList<>()).add(row);
            }
            MaterialisedRows all = rank.materialisedRows();
            for (Map.Entry<Long, List<BinaryRowData>> some : byLastRank.entrySet()) {
                // Flink divides by it.
                if (some.getKey() > 0) {
                    ConstantRankRange ranks = new ConstantRankRange(1, some.getKey());
                    new DisturbedRun(some.getValue(), run.key(), run.disturbance(), run.backend())
                            .play(
                                    start -> rank.stock(ranks),
                                    emitted -> emitted.forEach(all::take));
                }
            }
            return all;
        }

        /** The first rows of each partition by a sort of all that are live. */
        MaterialisedRows sorted() {
            MaterialisedRows live = rank.materialisedRows();
            Map<Long, Long> lastRanks = lastRanks();
            rank.live(changes)
                    .forEach(
                            (partition, rows) -> {
                                long last = Math.min(lastRanks.get(partition), rows.size());
                                for (int i = 0; i < last; i++) {
                                    live.take(
                                            rank.outputRankNumber()
                                                    ? new JoinedRowData(
                                                            rows.get(i), GenericRowData.of(1L + i))
                                                    : rows.get(i));
                                }
                            });
            return live;
        }

        @Override
        public String toString() {
            return rank + " up to column " + column() + " " + lastRanks();
        }
    }
}
