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
package io.stateaccel.operators.over;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.views.time.TimeToLive;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random rows at the same times through Flink's OVER aggregates by processing time and
 * through ours, with bundles that end anywhere, rows that come in one millisecond, partitions that
 * expire or are dropped within a bundle and beside it, checkpoints, and restarts with more
 * sub-tasks or fewer: each checkpoint has the same results before it, those of a partition in the
 * same order.
 */
class ProcessingTimeOverDifferentialTest {

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(5);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameResultsAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        ProcessingTimeOverCase over = ProcessingTimeOverCase.random(random);
        ProcessingTimeOverRun run = new ProcessingTimeOverRun(over, random.nextLong(), backend);

        assertThat(run.play(restarts -> over.accelerated()))
                .as("-Dstateaccel.seed=%d, %s: %s", seed, backend, over)
                .isEqualTo(run.play(restarts -> over.stock()));
    }

    static Stream<Arguments> fewerCases() {
        return RandomCases.onBothBackends(4);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("fewerCases")
    void goesOnFromStockAndBackWhereFramesHaveNoFirstRow(long seed, String backend)
            throws Exception {
        Random random = new Random(seed);
        ProcessingTimeOverCase over = ProcessingTimeOverCase.unbounded(random);
        ProcessingTimeOverRun run = new ProcessingTimeOverRun(over, random.nextLong(), backend);

        assertThat(
                        run.play(
                                restarts ->
                                        (restarts + seed) % 2 == 0
                                                ? over.accelerated()
                                                : over.stock()))
                .as("-Dstateaccel.seed=%d, %s: %s", seed, backend, over)
                .isEqualTo(run.play(restarts -> over.stock()));
    }

    /** Flink's loses them where the input ends within their millisecond. */
    @Test
    void rowsOfTheLastMillisecondHaveTheirResults() throws Exception {
        ProcessingTimeOverCase over =
                new ProcessingTimeOverCase(
                        false,
                        10,
                        false,
                        TimeToLive.FOREVER,
                        IdleRetention.FOREVER,
                        new BundleSettings(3, 1000));
        JoinCase.Selector key = new JoinCase.Selector(OverCase.KEY);
        try (var subtask =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        over.accelerated(), key, key.getProducedType())) {
            subtask.open();
            subtask.setProcessingTime(1);
            for (int value = 1; value <= 4; value++) {
                subtask.processElement(new StreamRecord<RowData>(OverCase.row("k", value, 0, "")));
            }
            assertThat(subtask.extractOutputValues()).isEmpty();

            subtask.getOperator().finish();

            assertThat(subtask.extractOutputValues())
                    .extracting(OverCase::text)
                    .hasSize(4)
                    .allMatch(text -> text.contains("count 4, sum 10"));
        }
    }

    /** RocksDB's filter goes by the time of the compaction, whatever waits in a bundle. */
    @Test
    void compactionLeavesWhatTheBundleStillAsksFor() throws Exception {
        ProcessingTimeOverCase over =
                new ProcessingTimeOverCase(
                        false,
                        RowTimeOverSpec.UNBOUNDED,
                        false,
                        TimeToLive.ofMillis(100),
                        IdleRetention.FOREVER,
                        new BundleSettings(1000, 50));
        JoinCase.Selector key = new JoinCase.Selector(OverCase.KEY);
        try (var subtask =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        over.accelerated(), key, key.getProducedType())) {
            subtask.setStateBackend(new EmbeddedRocksDBStateBackend(false));
            setTime(subtask, 1_000);
            subtask.open();
            subtask.processElement(new StreamRecord<RowData>(OverCase.row("k", 1, 0, "")));
            setTime(subtask, 1_090);
            subtask.processElement(new StreamRecord<RowData>(OverCase.row("k", 2, 0, "")));

            subtask.setStateTtlProcessingTime(1_110);
            assertThat(entriesAfterCompaction(subtask)).isEqualTo(1);
            setTime(subtask, 1_140);

            assertThat(subtask.extractOutputValues())
                    .extracting(OverCase::text)
                    .satisfiesExactly(
                            first -> assertThat(first).contains("count 1, sum 1"),
                            second -> assertThat(second).contains("count 2, sum 3"));

            subtask.setStateTtlProcessingTime(1_090 + 100 + 50 + 60_000 + 1);
            assertThat(entriesAfterCompaction(subtask)).isZero();
        }
    }

    private static void setTime(
            KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> subtask, long now)
            throws Exception {
        subtask.setStateTtlProcessingTime(now);
        subtask.setProcessingTime(now);
    }

    private static int entriesAfterCompaction(
            KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> subtask)
            throws Exception {
        var backend =
                (RocksDBKeyedStateBackend<?>)
                        ((ProcessingTimeOverOperator) subtask.getOperator()).getKeyedStateBackend();
        backend.compactState(new ValueStateDescriptor<>("accState", Integer.class));
        return backend.numKeyValueStateEntries();
    }
}
