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
package io.stateaccel.rocksdb.cache;

import static io.stateaccel.rocksdb.cache.HitRatioMonitor.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.rocksdb.cache.HitRatioMonitor.Change;
import io.stateaccel.views.batch.KeyHash;
import org.junit.jupiter.api.Test;

/** When the cache of a state steps aside and when it returns. */
class HitRatioMonitorTest {

    private final HitRatioMonitor monitor = new HitRatioMonitor(0.1);

    @Test
    void staysWhileHitsAreFrequentEnough() {
        assertThat(window(0.11, 5)).isEqualTo(Change.NONE);
        assertThat(window(0.09, 10)).isEqualTo(Change.BYPASS);
        assertThat(monitor.isBypassed()).isTrue();
    }

    @Test
    void isNotJudgedBeforeItIsFull() {
        assertThat(window(0, 0)).isEqualTo(Change.NONE);
        assertThat(window(0, 1)).isEqualTo(Change.BYPASS);
    }

    @Test
    void zeroNeverStepsAside() {
        HitRatioMonitor always = new HitRatioMonitor(0);
        for (int i = 0; i < 3 * WINDOW; i++) {
            assertThat(always.covered(false, i)).isEqualTo(Change.NONE);
        }
    }

    @Test
    void returnsWhenTheSampleWouldHit() {
        window(0, 1);
        assertThat(monitor.covers(KeyHash.of(new byte[] {1}))).isFalse();
        int covered = 0;
        for (int i = 0; i < 1 << 20; i++) {
            covered += monitor.covers(i * 0x9E3779B9) ? 1 : 0;
        }
        assertThat(covered).isBetween((1 << 20) / 33, (1 << 20) / 31);

        Change change = Change.NONE;
        for (int i = 0; i < WINDOW / HitRatioMonitor.SAMPLED_PART; i++) {
            assertThat(change).isEqualTo(Change.NONE);
            change = monitor.covered(i % 5 == 0, 1);
        }
        assertThat(change).isEqualTo(Change.RETURN);
        assertThat(monitor.isBypassed()).isFalse();
    }

    @Test
    void returnsForHotKeysThatAreNotInTheSample() {
        window(0, 1);
        Change change = Change.NONE;
        for (int i = 0; i < WINDOW; i++) {
            assertThat(change).isEqualTo(Change.NONE);
            change = monitor.uncovered(i % 2 == 0 ? 77 : i * 0x9E3779B9, 1);
        }
        assertThat(change).isEqualTo(Change.RETURN);
    }

    @Test
    void staysAsideForKeysThatDoNotRepeat() {
        window(0, 1);
        for (int i = 0; i < 3 * WINDOW; i++) {
            assertThat(monitor.uncovered(i * 0x9E3779B9, 1)).isEqualTo(Change.NONE);
        }
        assertThat(monitor.isBypassed()).isTrue();
    }

    private Change window(double hitRatio, long evictions) {
        Change change = Change.NONE;
        for (int i = 0; i < WINDOW; i++) {
            assertThat(change).isEqualTo(Change.NONE);
            change = monitor.covered(i < hitRatio * WINDOW, evictions);
        }
        return change;
    }
}
