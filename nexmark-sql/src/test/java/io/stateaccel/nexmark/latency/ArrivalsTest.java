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
package io.stateaccel.nexmark.latency;

import static org.assertj.core.api.Assertions.assertThat;

import org.HdrHistogram.Histogram;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.Test;

/** Which rows a result counts for, and what becomes of their latencies. */
class ArrivalsTest {

    private static final long KEY = 7;

    private final Arrivals arrivals = new Arrivals(1_000, 2_000);

    @Test
    void aResultOfOneRowTakesWhatItsRowTook() {
        arrivals.arrived(KEY, 1, 1_100, 1_130);
        arrivals.arrived(KEY, 2, 1_100 + 1_200, 1_290);
        // Of another sub-task, which is behind: older than what has arrived already.
        arrivals.arrived(KEY, 3, 1_100 + 1_200 + 1_050, 1_300);
        assertThat(values(arrivals.ofRows())).containsExactly(30, 90, 250);
        assertThat(values(arrivals.ofResults())).containsExactly(30, 90, 250);
    }

    @Test
    void rowsOfABundleLieEvenlyAroundTheirAverage() {
        arrivals.arrived(KEY, 2, 1_100 + 1_200, 1_250);
        // 1,300 to 1,600.
        arrivals.arrived(KEY, 6, 1_100 + 1_200 + 4 * 1_450, 1_610);
        assertThat(values(arrivals.ofRows())).containsExactly(10, 100, 100, 110, 210, 310);
        assertThat(values(arrivals.ofResults())).containsExactly(10, 100);
    }

    @Test
    void noneIsNewerThanItsResult() {
        arrivals.arrived(KEY, 1, 1_000, 1_000);
        arrivals.arrived(KEY, 4, 1_000 + 3 * 1_800, 1_810);
        assertThat(values(arrivals.ofRows())).containsExactly(0, 0, 10, 20);
    }

    @Test
    void keysHaveNothingToDoWithEachOther() {
        arrivals.arrived(1, 1, 1_100, 1_101);
        arrivals.arrived(2, 1, 1_200, 1_202);
        arrivals.arrived(1, 2, 1_100 + 1_300, 1_303);
        assertThat(values(arrivals.ofRows())).containsExactly(1, 2, 3);
    }

    @Test
    void whatSaysNothingNewDoesNotCount() {
        arrivals.arrived(KEY, 5, 5 * 1_100, 1_101);
        // A retraction that is taken back leaves fewer rows for a moment.
        arrivals.arrived(KEY, 2, 2 * 1_100, 1_150);
        arrivals.arrived(KEY, 5, 5 * 1_100, 1_160);
        arrivals.arrived(KEY, 6, 5 * 1_100 + 1_190, 1_200);
        assertThat(values(arrivals.ofRows())).containsExactly(1, 1, 1, 1, 1, 10);
    }

    @Test
    void onlyRowsOfTheMeasuredTimeCount() {
        arrivals.arrived(KEY, 1, 900, 905);
        // Created at 950, 1,000 and 1,050.
        arrivals.arrived(KEY, 4, 900 + 3 * 1_000, 1_060);
        arrivals.arrived(KEY, 5, 900 + 3 * 1_000 + 2_000, 2_001);
        assertThat(values(arrivals.ofRows())).containsExactly(10, 60);
        assertThat(values(arrivals.ofResults())).containsExactly(10);
    }

    @Test
    void aClockThatWasSetBackGivesNoNegativeLatency() {
        arrivals.arrived(KEY, 1, 1_100, 1_000);
        assertThat(values(arrivals.ofRows())).containsExactly(0);
    }

    @Test
    void percentilesAreThoseOfAllSubtasks() throws Exception {
        LatencyHistogram first = new LatencyHistogram();
        LatencyHistogram second = new LatencyHistogram();
        for (int i = 1; i <= 5_000; i++) {
            first.record(2 * i);
            second.record(2 * i - 1);
        }
        second.record(Long.MAX_VALUE);
        LatencyHistogram travelled = InstantiationUtil.clone(second);
        LatencyHistogram all = first.clone();
        all.merge(travelled);
        Histogram read = LatencyHistogram.decode(all.getLocalValue());
        assertThat(read.getTotalCount()).isEqualTo(10_001);
        assertThat(read.getValueAtPercentile(50)).isBetween(4_995L, 5_010L);
        assertThat(read.getValueAtPercentile(99)).isBetween(9_890L, 9_915L);
        assertThat(read.getValueAtPercentile(99.9)).isBetween(9_980L, 10_005L);
        assertThat(read.getMaxValue()).isBetween(3_590_000_000L, 3_610_000_000L);
        assertThat(LatencyHistogram.decode(first.getLocalValue()).getTotalCount()).isEqualTo(5_000);
        all.resetLocal();
        assertThat(LatencyHistogram.decode(all.getLocalValue()).getTotalCount()).isZero();
    }

    private static long[] values(LatencyHistogram histogram) {
        Histogram read = LatencyHistogram.decode(histogram.getLocalValue());
        long[] values = new long[(int) read.getTotalCount()];
        int i = 0;
        for (var value : read.recordedValues()) {
            for (long n = 0; n < value.getCountAtValueIteratedTo(); n++) {
                values[i++] = value.getValueIteratedTo();
            }
        }
        return values;
    }
}
