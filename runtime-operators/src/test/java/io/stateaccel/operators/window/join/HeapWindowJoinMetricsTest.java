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
package io.stateaccel.operators.window.join;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.join.JoinCase;
import java.time.ZoneId;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.JobID;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.clusterframework.types.ResourceID;
import org.apache.flink.runtime.executiongraph.ExecutionAttemptID;
import org.apache.flink.runtime.metrics.groups.TaskManagerMetricGroup;
import org.apache.flink.runtime.metrics.groups.TaskMetricGroup;
import org.apache.flink.runtime.metrics.util.TestingMetricRegistry;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.junit.jupiter.api.Test;

/** What is shown of a join of windows, and that it is what Flink's shows. */
class HeapWindowJoinMetricsTest {

    private static final WindowJoinCase JOIN =
            new WindowJoinCase(
                    FlinkJoinType.INNER, false, true, 10, 1, ZoneId.of("UTC"), 0, 1 << 20);

    @Test
    void countsLateRowsOfEachSide() throws Exception {
        Map<String, Object> shown = shownBy(JOIN.accelerated());
        assertThat(shown)
                .isEqualTo(shownBy(JOIN.stock()))
                .containsEntry("leftNumLateRecordsDropped", 2L)
                .containsEntry("rightNumLateRecordsDropped", 1L)
                .containsKeys("leftLateRecordsDroppedRate", "rightLateRecordsDroppedRate")
                .containsEntry("watermarkLatency", 80L);
    }

    private static Map<String, Object> shownBy(
            TwoInputStreamOperator<RowData, RowData, RowData> join) throws Exception {
        Map<String, Metric> metrics = new TreeMap<>();
        TestingMetricRegistry registry =
                TestingMetricRegistry.builder()
                        .setRegisterConsumer((metric, name, group) -> metrics.put(name, metric))
                        .build();
        TaskMetricGroup task =
                TaskManagerMetricGroup.createTaskManagerMetricGroup(
                                registry, "host", ResourceID.generate())
                        .addJob(new JobID(), "job")
                        .addTask(ExecutionAttemptID.randomId(), "task");
        try (var environment =
                        new MockEnvironmentBuilder()
                                .setMetricGroup(task)
                                .setMaxParallelism(1)
                                .build();
                var harness = new Harness(join, environment)) {
            harness.open();
            harness.setProcessingTime(100);
            join.processWatermark1(new Watermark(20));
            join.processWatermark2(new Watermark(20));
            for (int late : new int[] {5, 6}) {
                join.setKeyContextElement1(row(late));
                join.processElement1(row(late));
            }
            join.setKeyContextElement2(row(7));
            join.processElement2(row(7));
            Map<String, Object> shown = new TreeMap<>();
            metrics.forEach(
                    (name, metric) -> {
                        if (name.contains("Late") || name.contains("Latency")) {
                            shown.put(name, value(metric));
                        }
                    });
            return shown;
        }
    }

    /** Of two inputs by the same key. */
    private static final class Harness extends AbstractStreamOperatorTestHarness<RowData> {

        private Harness(
                TwoInputStreamOperator<RowData, RowData, RowData> join, MockEnvironment environment)
                throws Exception {
            super(join, environment);
            JoinCase.Selector key = new JoinCase.Selector(JoinCase.KEY);
            config.setStatePartitioner(0, key);
            config.setStatePartitioner(1, key);
            config.setStateKeySerializer(key.getProducedType().toSerializer());
            config.serializeAllConfigs();
        }
    }

    private static StreamRecord<RowData> row(long time) {
        return new StreamRecord<>(JOIN.row("k", 1, time, 0));
    }

    private static Object value(Metric metric) {
        if (metric instanceof Counter counter) {
            return counter.getCount();
        }
        return metric instanceof Gauge<?> gauge ? gauge.getValue() : metric.getClass();
    }
}
