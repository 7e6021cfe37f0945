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

/** A pace is never exceeded by more than what a sleep is too long by. */
class PaceTest {

    @Test
    void rowsPassNoFaster() throws Exception {
        long start = System.nanoTime();
        Pace pace = new Pace(2_000);
        for (int i = 0; i < 1_000; i++) {
            pace.await();
        }
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(480_000_000L);
    }

    @Test
    void aPauseIsNotMadeUpFor() throws Exception {
        Pace pace = new Pace(1_000);
        pace.await();
        Thread.sleep(200);
        long start = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            pace.await();
        }
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(80_000_000L);
    }
}
