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
package io.stateaccel.operators.window.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.window.WindowCase;
import io.stateaccel.operators.window.WindowFunctions;
import io.stateaccel.operators.window.WindowQuery;
import io.stateaccel.operators.window.WindowRun;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.generated.RecordComparator;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Window aggregates of whose results only the best are wanted, here those with the highest sum:
 * they come when Flink's come, and of those that do not, a better one of the same window does.
 */
class BestResultsDifferentialTest {

    private static final int SUM = 2;
    private static final int WINDOW = 5;

    private static final BestResultsSpec HIGHEST_SUM =
            new BestResultsSpec(
                    InternalTypeInfo.ofFields(
                            Stream.concat(
                                            Stream.of(VarCharType.STRING_TYPE),
                                            Stream.of(WindowFunctions.RESULT))
                                    .toArray(LogicalType[]::new)),
                    new OfWindow(),
                    new BySum());

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(4);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void whatIsLeftOutHasABetterOne(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        WindowCase window = WindowCase.random(random);
        WindowRun run = new WindowRun(window, random.nextLong(), backend);

        List<List<String>> stock = run.play(starts -> window.stock());
        String description = "-Dstateaccel.seed=%d, %s: %s".formatted(seed, backend, window);
        check(run.play(starts -> window.accelerated(HIGHEST_SUM)), stock, description);
        check(
                run.play(
                        starts ->
                                starts % 2 == 0 ? window.accelerated(HIGHEST_SUM) : window.stock()),
                stock,
                "taking turns, " + description);
    }

    private static void check(
            List<List<String>> best, List<List<String>> stock, String description) {
        assertThat(best).as(description).hasSameSizeAs(stock);
        for (int i = 0; i < stock.size(); i++) {
            List<String> leftOut = new ArrayList<>(stock.get(i));
            for (String result : best.get(i)) {
                assertThat(leftOut.remove(result)).as("%s: %s", description, result).isTrue();
            }
            for (String result : leftOut) {
                assertThat(best.get(i))
                        .as("%s: %s", description, result)
                        .anyMatch(
                                other ->
                                        windowOf(other).equals(windowOf(result))
                                                && sumOf(other) > sumOf(result));
            }
        }
    }

    private static String windowOf(String result) {
        int colon = result.indexOf(':');
        int from = result.indexOf(" until ");
        return from < 0 ? "" : result.substring(from, colon);
    }

    private static long sumOf(String result) {
        return Long.parseLong(result.substring(result.indexOf(':') + 2).split(" ")[2]);
    }

    @Test
    void leavesOutAllOthersOfAWindow() throws Exception {
        assertThat(sums(1, 5, 3, 5, 4)).containsExactly(5L, 5L);
    }

    /** More than are held back. */
    @Test
    void allThatAreEqualComeHoweverManyThereAre() throws Exception {
        assertThat(sums(LongStream.generate(() -> 7).limit(25_000).toArray())).hasSize(25_000);
    }

    /**
     * @param values the one of each key, in one window
     * @return the results
     */
    private static List<Long> sums(long... values) throws Exception {
        WindowCase window =
                new WindowCase(
                        WindowCase.Kind.TUMBLE,
                        true,
                        false,
                        false,
                        false,
                        false,
                        10,
                        1,
                        ZoneId.of("UTC"),
                        0,
                        1L << 30);
        JoinCase.Selector key = new JoinCase.Selector(WindowQuery.KEY);
        try (var subtask =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        window.accelerated(HIGHEST_SUM), key, key.getProducedType())) {
            subtask.open();
            for (int i = 0; i < values.length; i++) {
                subtask.processElement(
                        new StreamRecord<RowData>(
                                window.row(RowKind.INSERT, "k" + i, values[i], 5, i)));
            }
            subtask.processWatermark(new Watermark(100));
            return subtask.extractOutputValues().stream().map(row -> row.getLong(SUM)).toList();
        }
    }

    private static final class OfWindow implements RowDataKeySelector {

        private static final long serialVersionUID = 1L;

        @Override
        public RowData getKey(RowData result) {
            BinaryRowData key = new BinaryRowData(1);
            BinaryRowWriter writer = new BinaryRowWriter(key);
            writer.writeString(0, result.getString(WINDOW));
            writer.complete();
            return key;
        }

        @Override
        public InternalTypeInfo<RowData> getProducedType() {
            return InternalTypeInfo.ofFields(VarCharType.STRING_TYPE);
        }

        public RowDataKeySelector copy() {
            return this;
        }
    }

    private static final class BySum extends GeneratedRecordComparator {

        private static final long serialVersionUID = 1L;

        private BySum() {
            super("BySum", "", new Object[0]);
        }

        @Override
        public RecordComparator newInstance(ClassLoader classLoader) {
            return (one, other) -> Long.compare(one.getLong(SUM), other.getLong(SUM));
        }
    }
}
