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

import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * The checkpoints of a run, as the JobManager tells.
 *
 * @param completed number of completed checkpoints
 * @param failed number of failed ones
 * @param millis from trigger to completion
 * @param checkpointedBytes what each checkpoint wrote; less than the full size if incremental
 * @param fullBytes what a restore of each checkpoint would read
 */
public record CheckpointStats(
        long completed,
        long failed,
        Distribution millis,
        Distribution checkpointedBytes,
        Distribution fullBytes) {

    /** A distribution over the checkpoints; Flink estimates the percentiles of many. */
    public record Distribution(double p50, double p90, double p99, double p999, double max) {

        private static Distribution of(JsonNode node) {
            return new Distribution(
                    node.path("p50").asDouble(),
                    node.path("p90").asDouble(),
                    node.path("p99").asDouble(),
                    node.path("p999").asDouble(),
                    node.path("max").asDouble());
        }
    }

    /**
     * Reads Flink's checkpoint statistics.
     *
     * @param statistics answer of {@code jobs/ID/checkpoints}
     */
    static CheckpointStats of(JsonNode statistics) {
        JsonNode counts = statistics.path("counts");
        long completed = counts.path("completed").asLong();
        JsonNode summary = statistics.path("summary");
        return new CheckpointStats(
                completed,
                counts.path("failed").asLong(),
                completed == 0 ? null : Distribution.of(summary.path("end_to_end_duration")),
                completed == 0 ? null : Distribution.of(summary.path("checkpointed_size")),
                completed == 0 ? null : Distribution.of(summary.path("state_size")));
    }
}
