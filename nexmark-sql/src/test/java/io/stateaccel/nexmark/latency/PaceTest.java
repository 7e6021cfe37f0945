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

import org.junit.jupiter.api.Test;

class PaceTest {

    private static final long MILLI = 1_000_000;

    private long now = Long.MAX_VALUE - 3 * MILLI;
    private final Pace pace = new Pace(2_000, now);

    @Test
    void rowsHaveTheirTurnsAtTheRate() {
        long start = now;
        for (int row = 0; row < 1_000; row++) {
            now += pace.millisToWait(now) * MILLI;
        }
        assertThat(now - start).isBetween(499 * MILLI, 501 * MILLI);
    }

    @Test
    void whatAWaitTakesTooLongIsMadeUpFor() {
        long start = now;
        for (int row = 0; row < 1_000; row++) {
            long millis = pace.millisToWait(now);
            now += millis == 0 ? 0 : (millis + 7) * MILLI;
        }
        assertThat(now - start).isBetween(499 * MILLI, 510 * MILLI);
    }

    @Test
    void aPauseIsNotMadeUpFor() {
        now += 200 * MILLI;
        long start = now;
        for (int row = 0; row < 1_000; row++) {
            now += pace.millisToWait(now) * MILLI;
        }
        assertThat(now - start).isBetween(489 * MILLI, 491 * MILLI);
    }
}
