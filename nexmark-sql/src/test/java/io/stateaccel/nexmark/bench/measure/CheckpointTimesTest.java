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
package io.stateaccel.nexmark.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.nexmark.bench.common.Json;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Checkpoints as Flink's REST interface tells them. */
class CheckpointTimesTest {

    @Test
    void thoseOfTheMeasuredTimeCount() throws IOException {
        String history =
                """
                {"history": [
                  {"trigger_timestamp": 9000, "status": "IN_PROGRESS", "end_to_end_duration": 0},
                  {"trigger_timestamp": 5000, "status": "COMPLETED", "end_to_end_duration": 3000},
                  {"trigger_timestamp": 4000, "status": "FAILED", "end_to_end_duration": 10},
                  {"trigger_timestamp": 3000, "status": "COMPLETED", "end_to_end_duration": 100},
                  {"trigger_timestamp": 2000, "status": "COMPLETED", "end_to_end_duration": 700},
                  {"trigger_timestamp": 1000, "status": "COMPLETED", "end_to_end_duration": 9000}
                ]}""";
        assertThat(CheckpointTimes.of(Json.MAPPER.readTree(history), 2_000, 9_500))
                .isEqualTo(new CheckpointTimes(3, 1, 700.0, 3_000.0, 500.0));
        assertThat(CheckpointTimes.of(Json.MAPPER.readTree(history), 4_000, 9_500).medianMillis())
                .isEqualTo(3_000.0);
        assertThat(CheckpointTimes.of(Json.MAPPER.readTree("{}"), 0, 9_500))
                .isEqualTo(new CheckpointTimes(0, 0, null, null, null));
    }
}
