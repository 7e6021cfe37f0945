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

import io.stateaccel.flink.testing.GeneralizedWatermarks;
import io.stateaccel.operators.join.JoinCase;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributesBuilder;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a stream carries beside rows does not overtake those that wait in a bundle of one input.
 * {@code MiniBatchJoinStreamOrderTest} has two.
 */
class StreamOrderTest {

    private static final BundleSettings SETTINGS = new BundleSettings(1000, 1000);

    static Stream<Arguments> elements() {
        RecordAttributes backlog = new RecordAttributesBuilder(List.of()).setBacklog(true).build();
        Stream<Arguments> all =
                Stream.of(
                        element(
                                "watermark",
                                operator -> operator.processWatermark(new Watermark(1))),
                        element(
                                "idle",
                                operator -> operator.processWatermarkStatus(WatermarkStatus.IDLE)),
                        element(
                                "active",
                                operator ->
                                        operator.processWatermarkStatus(WatermarkStatus.ACTIVE)),
                        element(
                                "attributes",
                                operator -> operator.processRecordAttributes(backlog)));
        return Stream.concat(
                all,
                GeneralizedWatermarks.ofOneInput().entrySet().stream()
                        .map(
                                generalized ->
                                        element(
                                                generalized.getKey(),
                                                operator ->
                                                        generalized
                                                                .getValue()
                                                                .to((Echo) operator))));
    }

    @ParameterizedTest
    @MethodSource("elements")
    void nothingOvertakesRows(Send element) throws Exception {
        try (var harness = open()) {
            harness.processElement(new StreamRecord<>(JoinCase.row("a", 1, 1)));
            element.to(harness.getOneInputOperator());

            List<Object> output = new ArrayList<>(harness.getOutput());
            assertThat(output).hasSize(2);
            assertThat(output.get(0)).isInstanceOf(StreamRecord.class);
            assertThat(output.get(1)).isNotInstanceOf(StreamRecord.class);
        }
    }

    /** Else a bundle would end with every marker, of which each source may send many. */
    @Test
    void latencyMarkersDoNotEndABundle() throws Exception {
        try (var harness = open()) {
            harness.processElement(new StreamRecord<>(JoinCase.row("a", 1, 1)));
            harness.getOneInputOperator()
                    .processLatencyMarker(new LatencyMarker(1, new OperatorID(), 0));

            assertThat(harness.getOutput()).hasSize(1).first().isInstanceOf(LatencyMarker.class);
        }
    }

    @Test
    void watermarksThatNobodyReadsPassABundleByButForTheLast() throws Exception {
        try (var harness = open(SETTINGS.endingAtWatermarks(false))) {
            harness.processElement(new StreamRecord<>(JoinCase.row("a", 1, 1)));
            harness.processWatermark(new Watermark(1));
            harness.processWatermarkStatus(WatermarkStatus.IDLE);
            harness.processWatermarkStatus(WatermarkStatus.ACTIVE);
            assertThat(harness.getOutput()).hasSize(3).noneMatch(StreamRecord.class::isInstance);
            harness.getOutput().clear();

            harness.processWatermark(Watermark.MAX_WATERMARK);
            List<Object> output = new ArrayList<>(harness.getOutput());
            assertThat(output).hasSize(2);
            assertThat(output.get(0)).isInstanceOf(StreamRecord.class);
            assertThat(output.get(1)).isEqualTo(Watermark.MAX_WATERMARK);
        }
    }

    private static KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> open()
            throws Exception {
        return open(SETTINGS);
    }

    private static KeyedOneInputStreamOperatorTestHarness<RowData, RowData, RowData> open(
            BundleSettings settings) throws Exception {
        JoinCase.Selector key = new JoinCase.Selector(JoinCase.KEY);
        var harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new Echo(key, settings), key, key.getProducedType());
        harness.open();
        return harness;
    }

    private static Arguments element(String name, Send element) {
        return Arguments.of(Named.of(name, element));
    }

    interface Send {
        void to(OneInputStreamOperator<RowData, RowData> operator) throws Exception;
    }

    /** Emits the rows of a bundle as they came. */
    private static final class Echo extends BundlingOperator
            implements OneInputStreamOperator<RowData, RowData> {

        private static final long serialVersionUID = 1L;

        private final JoinCase.Selector selector;
        private final List<StreamRecord<RowData>> bundle = new ArrayList<>();

        Echo(JoinCase.Selector selector, BundleSettings settings) {
            super(OperatorKind.RANK, settings, selector.getProducedType());
            this.selector = selector;
        }

        @Override
        public void processElement(StreamRecord<RowData> row) throws Exception {
            bundle.add(row);
            rowAdded(selector.getKey(row.getValue()), 1);
        }

        @Override
        protected void finishBundle() {
            bundle.forEach(output::collect);
            bundle.clear();
        }
    }
}
