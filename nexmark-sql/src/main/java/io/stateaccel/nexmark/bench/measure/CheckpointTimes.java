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

import java.util.Arrays;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * The checkpoints that were triggered in the measured time, from trigger to completion.
 *
 * @param completed number of those that were completed
 * @param failed number of those that failed
 * @param medianMillis median of the completed ones; null, as is the next, if there is none
 * @param maxMillis the longest of them
 * @param unfinishedMillis for how long the oldest one was under way that was not done when this was
 *     asked; null if there was none
 */
public record CheckpointTimes(
        int completed, int failed, Double medianMillis, Double maxMillis, Double unfinishedMillis) {

    /**
     * Reads Flink's checkpoint statistics, whose history must go back far enough.
     *
     * @param statistics answer of {@code jobs/ID/checkpoints}
     * @param fromMillis when the measured time began, milliseconds since the epoch
     * @param nowMillis when the answer was given
     */
    static CheckpointTimes of(JsonNode statistics, long fromMillis, long nowMillis) {
        JsonNode[] measured =
                StreamSupport.stream(statistics.path("history").spliterator(), false)
                        .filter(one -> one.path("trigger_timestamp").asLong() >= fromMillis)
                        .toArray(JsonNode[]::new);
        double[] millis =
                withStatus("COMPLETED", measured)
                        .mapToDouble(one -> one.path("end_to_end_duration").asDouble())
                        .sorted()
                        .toArray();
        int middle = millis.length / 2;
        Double median = null;
        if (millis.length > 0) {
            median =
                    millis.length % 2 == 1
                            ? millis[middle]
                            : (millis[middle - 1] + millis[middle]) / 2;
        }
        return new CheckpointTimes(
                millis.length,
                (int) withStatus("FAILED", measured).count(),
                median,
                millis.length == 0 ? null : millis[millis.length - 1],
                withStatus("IN_PROGRESS", measured)
                        .map(one -> (double) (nowMillis - one.path("trigger_timestamp").asLong()))
                        .max(Double::compare)
                        .orElse(null));
    }

    private static Stream<JsonNode> withStatus(String status, JsonNode[] among) {
        return Arrays.stream(among).filter(one -> one.path("status").asText().equals(status));
    }
}
