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
package io.stateaccel.operators.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.join.JoinCase;
import java.util.List;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.runtime.io.network.partition.MockResultPartitionWriter;
import org.apache.flink.runtime.io.network.partition.ResultPartitionType;
import org.apache.flink.runtime.jobgraph.IntermediateDataSetID;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.runtime.operators.testutils.MockEnvironmentBuilder;
import org.apache.flink.streaming.api.graph.NonChainedOutput;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Test;

/** What a task does with its results when it is idle. */
class StreamTaskActivityTest {

    private final Writer writer = new Writer();

    @Test
    void anIdleTaskSendsResultsAtOnce() throws Exception {
        try (var harness = open(100, true)) {
            add(harness);
            assertThat(writer.flushes).isZero();
            IdleTask.idle(harness);
            assertThat(writer.flushes).isEqualTo(1);
            IdleTask.idle(harness);

            assertThat(writer.flushes).isEqualTo(1);
        }
    }

    @Test
    void aBusyTaskLeavesThatToFlink() throws Exception {
        try (var harness = open(100, true)) {
            add(harness);
            harness.getOneInputOperator().finish();

            assertThat(writer.flushes).isZero();
        }
    }

    @Test
    void buffersThatAreToBeFullAreNotSent() throws Exception {
        try (var harness = open(-1, true)) {
            add(harness);
            IdleTask.idle(harness);

            assertThat(writer.flushes).isZero();
        }
    }

    @Test
    void norAreThoseOfBundlesThatDoNotFollowTheLoad() throws Exception {
        try (var harness = open(100, false)) {
            add(harness);
            IdleTask.idle(harness);
            harness.setProcessingTime(1000);

            assertThat(writer.flushes).isZero();
        }
    }

    private static void add(
            KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> harness)
            throws Exception {
        harness.processElement(new StreamRecord<>(JoinCase.row("a", 1, 1)));
    }

    private KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> open(
            long bufferTimeoutMillis, boolean followsLoad) throws Exception {
        MockEnvironment environment = new MockEnvironmentBuilder().setMaxParallelism(1).build();
        environment.addOutputs(List.of(writer));
        JoinCase.Selector selector = new JoinCase.Selector(JoinCase.KEY);
        var harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new Counting(selector, followsLoad),
                        selector,
                        selector.getProducedType(),
                        environment);
        StreamConfig config = harness.getStreamConfig();
        config.setVertexNonChainedOutputs(
                List.of(
                        new NonChainedOutput(
                                true,
                                0,
                                1,
                                1,
                                bufferTimeoutMillis,
                                false,
                                new IntermediateDataSetID(),
                                null,
                                null,
                                ResultPartitionType.PIPELINED_BOUNDED)));
        config.serializeAllConfigs();
        harness.open();
        return harness;
    }

    private static final class Writer extends MockResultPartitionWriter {

        private int flushes;

        @Override
        public void flushAll() {
            flushes++;
        }
    }

    private static final class Counting extends BundlingOperator
            implements OneInputStreamOperator<RowData, RowData> {

        private static final long serialVersionUID = 1L;

        private final JoinCase.Selector selector;

        Counting(JoinCase.Selector selector, boolean followsLoad) {
            super(
                    OperatorKind.RANK,
                    new BundleSettings(1000, 1000, new MemorySize(1000), followsLoad, true),
                    selector.getProducedType());
            this.selector = selector;
        }

        @Override
        public void processElement(StreamRecord<RowData> row) throws Exception {
            rowAdded(selector.getKey(row.getValue()), 1);
        }

        @Override
        protected void finishBundle() {
            visited(1, 1);
        }
    }
}
