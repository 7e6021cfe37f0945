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
package io.stateaccel.nexmark.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is measured between two moments, and when rows come. */
class LoadMeterTest {

    @Test
    void onlySamplesOfTheMeasuredTimeCount() {
        Instant from = Instant.now().plusSeconds(1000);
        try (LoadMeter meter = new LoadMeter(from, from.plusSeconds(20))) {
            meter.sample(from.minusSeconds(1), 5);
            meter.sample(from.plusSeconds(1), 1_000);
            assertThat(meter.rowsPerSecond()).isNull();
            meter.sample(from.plusSeconds(3), 1_500);
            meter.sample(from.plusSeconds(11), 6_000);
            meter.sample(from.plusSeconds(21), 60_000);
            assertThat(meter.rowsPerSecond()).isCloseTo(500, within(1e-3));
        }
    }

    @Test
    void cpuTimeIsThatOfTheProcess() {
        Instant now = Instant.now();
        try (LoadMeter meter = new LoadMeter(now, now.plusMillis(300))) {
            long end = System.nanoTime() + 200_000_000;
            long turns = 0;
            while (System.nanoTime() < end) {
                turns++;
            }
            assertThat(turns).isPositive();
            assertThat(meter.cpuSeconds()).isPositive();
        }
    }

    @Test
    void rowsEndSomeSecondsAfterTheMeasuredTime() {
        Load load = new Load(100, 8, 20, true, 0, Map.of());
        // Four seconds at half the rate, four to the end of the warm-up, 20 measured, four more.
        assertThat(load.rows()).isEqualTo(200 + 400 + 2_000 + 400);
        assertThat(new Load(100, 8, 20, false, 0, Map.of()).rows()).isZero();
        Instant start = Instant.parse("2026-01-02T03:04:05Z");
        assertThat(load.statements(start).get(0))
                .contains("'rate.start' = '2026-01-02T03:04:05Z'", "'rate.ramp' = '4000 ms'");
        assertThat(load.statements(start).get(1))
                .contains("'measure.from' = '2026-01-02T03:04:13Z'")
                .contains("'measure.until' = '2026-01-02T03:04:33Z'");
    }
}
