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

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BundlePaceTest {

    private static final int MOST_ROWS = 20_000;
    private static final int TOLERATED_MILLIS = 20;

    private final BundlePace pace =
            new BundlePace(MOST_ROWS, new HoldUpTolerance(TOLERATED_MILLIS, 0));

    @Test
    void theFirstBundleRestsForNothing() {
        assertThat(pace.restNanos(Long.MIN_VALUE)).isZero();
        assertThat(pace.size()).isEqualTo(MOST_ROWS);
    }

    @Test
    void flushesForIdlenessTakeATenthOfTheTime() {
        pace.flushed(10, millis(100), millis(103), 0);

        assertThat(pace.restNanos(millis(103))).isEqualTo(millis(27));
        assertThat(pace.restNanos(millis(129))).isEqualTo(millis(1));
        assertThat(pace.restNanos(millis(130))).isZero();
    }

    @Test
    void whatTheOutputHoldsUpIsNoWork() {
        pace.flushed(10, millis(100), millis(113), millis(10));

        assertThat(pace.restNanos(millis(113))).isEqualTo(millis(27));
    }

    @Test
    void aClockThatHasPassedItsLargestValueIsNoTrouble() {
        long start = Long.MAX_VALUE - millis(1);
        pace.flushed(10, start, start + millis(3), 0);

        assertThat(pace.restNanos(start + millis(3))).isEqualTo(millis(27));
        assertThat(pace.restNanos(start + millis(31))).isZero();
    }

    @Test
    void bundlesAreSoSmallThatTheOutputHoldsThemUpForNoLongerThanTolerated() {
        pace.flushed(1000, 0, millis(80), millis(80));
        assertThat(pace.size()).isEqualTo(250);

        pace.flushed(250, 0, millis(40), millis(40));
        assertThat(pace.size()).isEqualTo(125);
    }

    @Test
    void bundlesAreCutToAnEighthAtOnceAtMostAndToOneRow() {
        pace.flushed(1000, 0, millis(8000), millis(8000));
        assertThat(pace.size()).isEqualTo(125);

        for (int flush = 0; flush < 10; flush++) {
            pace.flushed(pace.size(), 0, millis(8000), millis(8000));
        }
        assertThat(pace.size()).isEqualTo(1);
    }

    @Test
    void aSmallBundleThatIsHeldUpDoesNotMakeLaterOnesLarger() {
        pace.flushed(16, 0, millis(1000), millis(1000));
        assertThat(pace.size()).isEqualTo(2);

        pace.flushed(1000, 0, millis(21), millis(21));
        assertThat(pace.size()).isEqualTo(2);
    }

    @Test
    void bundlesGrowAgainUpToTheirLimit() {
        pace.flushed(8, 0, millis(1000), millis(1000));
        assertThat(pace.size()).isEqualTo(1);

        long before = 0;
        int flushes = 0;
        while (pace.size() < MOST_ROWS) {
            assertThat(pace.size()).isGreaterThan(before);
            before = pace.size();
            pace.flushed(pace.size(), millis(1000), millis(1030), millis(TOLERATED_MILLIS));
            flushes++;
        }
        assertThat(flushes).isBetween(100, 200);
        pace.flushed(MOST_ROWS, 0, millis(5), 0);
        assertThat(pace.size()).isEqualTo(MOST_ROWS);
    }

    @Test
    void bundlesGrowAgainOnceNothingWasHeldUpForAWhile() {
        BundlePace calm = new BundlePace(MOST_ROWS, new HoldUpTolerance(TOLERATED_MILLIS, 100));
        long start = Long.MAX_VALUE - millis(1_050);
        calm.flushed(800, start, start + millis(1_000), millis(1_000));
        assertThat(calm.size()).isEqualTo(100);

        calm.flushed(100, start + millis(1_080), start + millis(1_099), 0);
        assertThat(calm.size()).isEqualTo(100);
        calm.flushed(100, start + millis(1_080), start + millis(1_100), 0);
        assertThat(calm.size()).isEqualTo(107);
    }

    @Test
    void bundlesThatWereNeverHeldUpAreAsLargeAsTheyMay() {
        BundlePace calm = new BundlePace(MOST_ROWS, new HoldUpTolerance(TOLERATED_MILLIS, 100));
        calm.flushed(800, 0, millis(80), 0);
        assertThat(calm.size()).isEqualTo(MOST_ROWS);
    }

    private static long millis(long millis) {
        return MILLISECONDS.toNanos(millis);
    }
}
