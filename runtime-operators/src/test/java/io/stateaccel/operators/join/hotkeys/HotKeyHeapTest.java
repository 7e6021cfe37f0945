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
package io.stateaccel.operators.join.hotkeys;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.SmallHeap;
import io.stateaccel.operators.join.fused.FusedCase.Above;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A join key with far more rows than the heap could hold. {@code -Dstateaccel.hot-rows=5000000} for
 * the size users have.
 */
class HotKeyHeapTest {

    private static final int ROWS = Integer.getInteger("stateaccel.hot-rows", 1_000_000);

    private static final long LARGEST_VALUE = 1 << 20;

    @ParameterizedTest
    @ValueSource(strings = {"inserts", "distinct", "equal"})
    void joinsWithinABoundedHeap(String what) throws Exception {
        String output = run(HotKeyRun.class, Integer.toString(ROWS), what);
        String[] words = output.substring(output.lastIndexOf("rows ")).split("\\s+");
        assertThat(words[3]).as("padded: " + output).isEqualTo(words[1]);
        assertThat(words[5]).as("pairs: " + output).isEqualTo(words[7]);
        assertThat(Long.parseLong(words[9])).as(output).isPositive().isLessThan(LARGEST_VALUE);
    }

    /** A group per row of the key, which all come with one row of the other side. */
    @Test
    void aggregatesManyGroupsOfAKey() throws Exception {
        int rows = ROWS / 5 * 2;
        assertThat(fused(Above.SUM, rows, 0, false)).isEqualTo(live(rows, sumOfValues(rows)));
    }

    /** Accumulators that are long, and empty when their group is first seen. */
    @Test
    void aggregatesGroupsWithLongAccumulators() throws Exception {
        int rows = ROWS / 50;
        assertThat(fused(Above.TEXT, rows, 0, false)).isEqualTo(live(rows, rows));
    }

    @Test
    void aggregatesWithViewsInState() throws Exception {
        assertThat(fused(Above.DISTINCT, ROWS / 5, 0, false)).isEqualTo(live(1, 0));
    }

    /** A partial per group and bundle of the input, or more: what counts is what they come to. */
    @Test
    void aggregatesManyGroupsLocally() throws Exception {
        assertThat(fused(Above.LOCAL_SUM, ROWS, 0, false)).endsWith("sum " + sumOfValues(ROWS));
    }

    /** One group, whose accumulator grows with each row. */
    @Test
    void aggregatesLocallyWithViewsOnTheHeap() throws Exception {
        assertThat(fused(Above.LOCAL_IDS, 2 * ROWS, 0, false)).endsWith("sum " + 2 * ROWS);
    }

    @Test
    void ranksInsertions() throws Exception {
        assertThat(fused(Above.TOP_APPEND, ROWS, 0, false)).isEqualTo(live(5, 5 * lastValue(ROWS)));
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "50, 4000"})
    void ranksUpserts(int part, int keyLength) throws Exception {
        int rows = ROWS / part;
        assertThat(fused(Above.TOP_UPDATE, rows, keyLength, false))
                .isEqualTo(live(5, 5 * lastValue(rows)));
    }

    @ParameterizedTest
    @CsvSource({"1, 0", "50, 4000"})
    void ranksRetractions(int part, int keyLength) throws Exception {
        int rows = ROWS / part;
        assertThat(fused(Above.TOP_RETRACT, rows, keyLength, false))
                .isEqualTo(live(5, 5 * lastValue(rows)));
    }

    /** Each part of the rows has some of every sort key, all of whose rows are too many. */
    @Test
    void ranksRetractionsAmongManyThatTie() throws Exception {
        int rows = ROWS / 50;
        assertThat(fused(Above.TOP_RETRACT, rows, 4000, true))
                .isEqualTo(live(5, 5 * lastValue(rows)));
    }

    private static long sumOfValues(int rows) {
        return LongStream.range(0, rows).map(i -> i / FusedHotKeyRun.ROWS_PER_VALUE).sum();
    }

    private static long lastValue(int rows) {
        return (rows - 1) / FusedHotKeyRun.ROWS_PER_VALUE;
    }

    private static String live(long rows, long sum) {
        return "live %d sum %d".formatted(rows, sum);
    }

    /**
     * @return what is live in the end
     */
    private static String fused(Above above, int rows, int keyLength, boolean interleaved)
            throws Exception {
        String output =
                run(
                        FusedHotKeyRun.class,
                        Integer.toString(rows),
                        above.name(),
                        Integer.toString(keyLength),
                        Boolean.toString(interleaved));
        return output.substring(output.lastIndexOf("live ")).trim();
    }

    /** Returns what a program prints. */
    private static String run(Class<?> program, String... arguments) throws Exception {
        SmallHeap.Run run = SmallHeap.run(program, arguments);
        assertThat(run.exitCode()).as(run.output()).isZero();
        return run.output();
    }
}
