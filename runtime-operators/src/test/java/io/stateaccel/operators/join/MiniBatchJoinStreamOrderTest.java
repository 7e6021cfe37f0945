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
package io.stateaccel.operators.join;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.GeneralizedWatermarks;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.JoinCase.Side;
import io.stateaccel.operators.join.JoinCase.UniqueKey;
import io.stateaccel.views.join.InputChangelog;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributesBuilder;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What the streams of a join carry beside rows does not overtake those that wait in a bundle. */
class MiniBatchJoinStreamOrderTest {

    private static final JoinCase JOIN =
            new JoinCase(
                    FlinkJoinType.LEFT,
                    new Side(UniqueKey.NONE, InputChangelog.INSERT_ONLY),
                    new Side(UniqueKey.NONE, InputChangelog.INSERT_ONLY),
                    false,
                    false,
                    1000,
                    0,
                    0);

    static Stream<Arguments> elements() {
        RecordAttributes backlog = new RecordAttributesBuilder(List.of()).setBacklog(true).build();
        Stream<Arguments> all =
                Stream.of(
                        element("attributes 1", join -> join.processRecordAttributes1(backlog)),
                        element("attributes 2", join -> join.processRecordAttributes2(backlog)),
                        element(
                                "watermarks",
                                join -> join.processBothWatermarks(new Watermark(1))));
        return Stream.concat(
                all,
                GeneralizedWatermarks.ofTwoInputs().entrySet().stream()
                        .map(
                                generalized ->
                                        element(
                                                generalized.getKey(),
                                                join ->
                                                        generalized
                                                                .getValue()
                                                                .to(operator(join)))));
    }

    @ParameterizedTest
    @MethodSource("elements")
    void nothingOvertakesRows(Send element) throws Exception {
        try (var join = open()) {
            join.processElement1(row());
            element.to(join);

            assertRowsComeFirst(join, 1);
        }
    }

    @Test
    void inputsThatGoIdleDoNotOvertakeRows() throws Exception {
        try (var join = open()) {
            join.processElement1(row());
            join.processWatermarkStatus1(WatermarkStatus.IDLE);
            join.processWatermarkStatus2(WatermarkStatus.IDLE);

            assertRowsComeFirst(join, 1);
        }
    }

    @Test
    void idlenessOfTheSecondInputOnlyDoesNotOvertakeRows() throws Exception {
        try (var join = open()) {
            join.processWatermarkStatus1(WatermarkStatus.IDLE);
            join.processElement2(row());
            join.processElement1(row());
            join.processWatermarkStatus2(WatermarkStatus.IDLE);

            assertRowsComeFirst(join, 1);
        }
    }

    @Test
    void inputsThatComeBackDoNotOvertakeRows() throws Exception {
        try (var join = open()) {
            join.processWatermarkStatus1(WatermarkStatus.IDLE);
            join.processWatermarkStatus2(WatermarkStatus.IDLE);
            join.getOutput().clear();
            join.processElement1(row());
            join.processWatermarkStatus1(WatermarkStatus.ACTIVE);

            assertRowsComeFirst(join, 1);
        }
    }

    /** The combined watermark is that of the other input then. */
    @Test
    void theWatermarkThatIdlenessLetsGoDoesNotOvertakeRows() throws Exception {
        try (var join = open()) {
            join.processWatermark1(new Watermark(7));
            join.processElement1(row());
            join.processWatermarkStatus2(WatermarkStatus.IDLE);

            assertRowsComeFirst(join, 1);
            assertThat(join.getOutput()).contains(new Watermark(7));
        }
    }

    private static void assertRowsComeFirst(
            KeyedTwoInputStreamOperatorTestHarness<?, ?, ?, RowData> join, int rows) {
        List<Object> output = new ArrayList<>(join.getOutput());
        assertThat(output).hasSize(rows + 1);
        assertThat(output.subList(0, rows)).hasOnlyElementsOfType(StreamRecord.class);
        assertThat(output.get(rows)).isNotInstanceOf(StreamRecord.class);
    }

    private static MiniBatchJoinOperator operator(
            KeyedTwoInputStreamOperatorTestHarness<?, ?, ?, ?> join) {
        return (MiniBatchJoinOperator) join.getOperator();
    }

    private static StreamRecord<RowData> row() {
        return new StreamRecord<>(JoinCase.row("a", 1, 1));
    }

    private static KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> open()
            throws Exception {
        Selector key = new Selector(JoinCase.KEY);
        var harness =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        JOIN.acceleratedBelowReadersOfWatermarks(),
                        key,
                        key,
                        key.getProducedType());
        harness.open();
        return harness;
    }

    private static Arguments element(String name, Send element) {
        return Arguments.of(Named.of(name, element));
    }

    interface Send {
        void to(KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> join)
                throws Exception;
    }
}
