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
package io.stateaccel.operators.bundle.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.HottestKeyMode;
import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.operators.bundle.FlushReason;
import io.stateaccel.operators.bundle.IdleTask;
import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.operators.join.JoinCase;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.JobID;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.metrics.groups.TaskManagerMetricGroup;
import org.apache.flink.runtime.metrics.groups.TaskMetricGroup;
import org.apache.flink.runtime.metrics.util.TestingMetricRegistry;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an operator's bundles show, of one that knows two rows of each key to be one change. */
class BundleMetricsTest {

    private static final long LATENCY = 1000;
    private static final int MAX_BYTES = 100;

    private final Map<String, Metric> shown = new TreeMap<>();

    @Test
    void countRowsKeysChangesAndFlushesByReason() throws Exception {
        try (var harness = open(new Configuration())) {
            add(harness, "a", "a", "b");
            assertThat(gauge("bundleSize")).isEqualTo(3L);
            assertThat(gauge("rows")).isEqualTo(0L);
            harness.processWatermark(new Watermark(1));
            assertThat(gauge("bundleSize")).isEqualTo(0L);
            assertThat(gauge("rows")).isEqualTo(3L);
            assertThat(gauge("keys")).isEqualTo(2L);
            assertThat(gauge("changes")).isEqualTo(1L);
            harness.processWatermark(new Watermark(2));
            add(harness, "a", "b", "c", "d", "e");
            add(harness, "a");
            harness.setProcessingTime(LATENCY);
            add(harness, "a");
            harness.prepareSnapshotPreBarrier(1);
            add(harness, "a", "a");
            harness.processWatermarkStatus(WatermarkStatus.IDLE);
            add(harness, "a", MAX_BYTES - 1);
            assertThat(gauge("bundleBytes")).isEqualTo(MAX_BYTES - 1L);
            add(harness, "a");
            add(harness, "a");
            IdleTask.idle(harness);
            add(harness, "a");
            harness.getOneInputOperator().finish();

            assertThat(flushes())
                    .containsExactlyInAnyOrderEntriesOf(
                            Map.of(
                                    "full", 1L,
                                    "bytes", 1L,
                                    "latency", 1L,
                                    "idle", 1L,
                                    "watermark", 1L,
                                    "status", 1L,
                                    "checkpoint", 1L,
                                    "end-of-input", 1L));
            assertThat(gauge("rows")).isEqualTo(16L);
            Histogram rowsPerFlush = (Histogram) shown.get("rowsPerFlush");
            assertThat(rowsPerFlush.getCount()).isEqualTo(8);
            assertThat(rowsPerFlush.getStatistics().getMax()).isEqualTo(5);
            assertThat(((Histogram) shown.get("waitMillis")).getCount()).isEqualTo(8);
            assertThat(gauge("fullAt")).isEqualTo(5L);
        }
    }

    /** {@code printf %s hot | sha256sum | cut -c1-16}. */
    @Test
    void showTheHashOfTheHottestKey() throws Exception {
        try (var harness = open(new Configuration())) {
            assertThat(gauge("hottestKey")).isEqualTo("");
            assertThat(gauge("hottestKeyPercent")).isEqualTo(0.0);
            addHotRows(harness);
            assertThat(gauge("hottestKey")).isEqualTo("sha256:7f5d1618e7d28cc7");
            assertThat(gauge("hottestKeyPercent")).isEqualTo(100.0);
        }
    }

    @ParameterizedTest
    @CsvSource({"VALUE, hot", "OFF, ''"})
    void showOfTheHottestKeyWhatTheJobAsksFor(HottestKeyMode mode, String shown) throws Exception {
        Configuration job = new Configuration();
        job.set(StateAccelOptions.METRICS_HOTTEST_KEY, mode);
        try (var harness = open(job)) {
            addHotRows(harness);
            assertThat(gauge("hottestKey")).isEqualTo(shown);
            assertThat(gauge("hottestKeyPercent")).isEqualTo(100.0);
        }
    }

    private static void addHotRows(
            KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> harness)
            throws Exception {
        for (int row = 0; row < 40_000; row++) {
            add(harness, "hot");
        }
    }

    @Test
    void areNoneWhenTheyAreOff() throws Exception {
        Configuration off = new Configuration();
        off.set(StateAccelOptions.METRICS_ENABLED, false);
        try (var harness = open(off)) {
            add(harness, "a");
            assertThat(shown).isEmpty();
        }
    }

    private Object gauge(String name) {
        return ((Gauge<?>) shown.get(name)).getValue();
    }

    private Map<String, Object> flushes() {
        Map<String, Object> flushes = new HashMap<>();
        for (FlushReason reason : FlushReason.values()) {
            flushes.put(reason.toString(), gauge("reason." + reason + ".flushes"));
        }
        return flushes;
    }

    private static void add(
            KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> harness,
            String... keys)
            throws Exception {
        for (String key : keys) {
            harness.processElement(new StreamRecord<>(JoinCase.row(key, 1, 1)));
        }
    }

    private static void add(
            KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> harness,
            String key,
            int bytes)
            throws Exception {
        harness.processElement(new StreamRecord<>(JoinCase.row(key, 1, bytes)));
    }

    private KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> open(
            Configuration job) throws Exception {
        TestingMetricRegistry registry =
                TestingMetricRegistry.builder()
                        .setRegisterConsumer(
                                (metric, name, group) -> {
                                    String id = group.getMetricIdentifier(name);
                                    int at = id.indexOf("state-accel.bundle.");
                                    if (at >= 0) {
                                        shown.put(
                                                id.substring(at + "state-accel.bundle.".length()),
                                                metric);
                                    }
                                })
                        .build();
        TaskMetricGroup task =
                TaskManagerMetricGroup.createTaskManagerMetricGroup(
                                registry, "host", ResourceID.generate())
                        .addJob(new JobID(), "job")
                        .addTask(ExecutionAttemptID.randomId(), "task");
        MockEnvironment environment =
                new MockEnvironmentBuilder().setMetricGroup(task).setMaxParallelism(1).build();
        environment.getJobConfiguration().addAll(job);
        JoinCase.Selector selector = new JoinCase.Selector(JoinCase.KEY);
        var harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new Bundling(selector), selector, selector.getProducedType(), environment);
        harness.open();
        return harness;
    }

    /** Flushes at five rows. */
    private static final class Bundling extends BundlingOperator
            implements OneInputStreamOperator<RowData, RowData> {

        private static final long serialVersionUID = 1L;

        private final JoinCase.Selector selector;

        Bundling(JoinCase.Selector selector) {
            super(
                    OperatorKind.RANK,
                    new BundleSettings(5, LATENCY, new MemorySize(MAX_BYTES), true, true),
                    selector.getProducedType());
            this.selector = selector;
        }

        @Override
        public void processElement(StreamRecord<RowData> row) throws Exception {
            rowAdded(selector.getKey(row.getValue()), row.getValue().getInt(JoinCase.VALUE));
        }

        @Override
        protected void finishBundle() {
            visited(2, 1);
        }
    }
}
