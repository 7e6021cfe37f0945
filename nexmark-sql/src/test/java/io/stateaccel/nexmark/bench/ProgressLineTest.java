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
package io.stateaccel.nexmark.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.nexmark.bench.run.Progress;
import org.junit.jupiter.api.Test;

class ProgressLineTest {

    @Test
    void tellsSpeedTimeLeftAndState() {
        assertThat(
                        ProgressLine.text(
                                "run 1", new Progress(1_000_000, 45_000_000L), 5_000_000, 2000))
                .isEqualTo("run 1: 1,000,000 of 5,000,000 events, 500 K/s, 8 s left, state 45 MB");
        assertThat(ProgressLine.text("run 1", new Progress(0, null), 5_000_000, 2000))
                .isEqualTo("run 1: 0 of 5,000,000 events");
    }
}
