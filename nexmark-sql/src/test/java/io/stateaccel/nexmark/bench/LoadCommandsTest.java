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

import io.stateaccel.nexmark.bench.common.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./bench latency}, {@code slow-sink} and {@code plateau}, with runs of a few seconds. */
class LoadCommandsTest {

    @TempDir private Path directory;

    @Test
    void latenciesAreMeasuredReportedAndCleanedUp() throws IOException {
        Path json = directory.resolve("latency.json");
        Path markdown = directory.resolve("latency.md");
        Path state = Files.createDirectories(directory.resolve("state"));
        BenchOutcome outcome =
                BenchOutcome.of(
                        "latency",
                        "q4",
                        "--rates=200,10%",
                        "--variants=accel",
                        "--seconds=4",
                        "--warm-up-seconds=2",
                        "--state-dir=" + state,
                        "--markdown=" + markdown,
                        "--json=" + json);
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out())
                .containsPattern("stock's highest rate: [\\d,]+ rows per second")
                .contains("q4, 200 rows/s (200 per second)", "q4, 10% of the highest rate (");
        assertThat(markdown).content().contains("| 200 rows/s | accel | ");
        assertThat(state).isEmptyDirectory();

        JsonNode report = Json.MAPPER.readTree(json.toFile());
        assertThat(report.at("/loads")).hasSize(2);
        long share = report.at("/loads/1/rowsPerSecond").asLong();
        assertThat(share).isPositive();
        for (JsonNode load : report.at("/loads")) {
            JsonNode run = load.at("/runs/0");
            JsonNode rows = run.at("/latency/rows");
            assertThat(load.at("/rowsPerSecond").asLong()).isIn(200L, share);
            assertThat(rows.get("count").asLong()).isPositive();
            assertThat(rows.get("p50").asDouble()).isPositive();
            assertThat(rows.get("p99").asDouble())
                    .isBetween(rows.get("p50").asDouble(), rows.get("p999").asDouble());
            assertThat(rows.get("max").asDouble())
                    .isGreaterThanOrEqualTo(rows.get("p999").asDouble());
            assertThat(run.at("/latency/results/count").asLong())
                    .isBetween(1L, rows.get("count").asLong());
            assertThat(run.at("/cpuSeconds").asDouble()).isPositive();
        }
        // 200 rows per second for four seconds, of which a slow machine may see some too late.
        assertThat(report.at("/loads/0/runs/0/latency/rows/count").asLong())
                .isLessThanOrEqualTo(800L);
    }

    @Test
    void checkpointsBehindASlowSinkAreMeasured() throws IOException {
        Path json = directory.resolve("slow.json");
        Path state = Files.createDirectories(directory.resolve("state"));
        BenchOutcome outcome =
                BenchOutcome.of(
                        "slow-sink",
                        "--chained",
                        "--rows-per-second=5k",
                        "--variants=stock",
                        "--interval-seconds=1",
                        "--seconds=10",
                        "--warm-up-seconds=2",
                        "--set=execution.checkpointing.min-pause=100ms",
                        "--state-dir=" + state,
                        "--json=" + json);
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out())
                .contains("left-updates, sink chained")
                .contains("left-updates, aligned (5,000 per second)")
                .contains("left-updates, unaligned (5,000 per second)");
        assertThat(state).isEmptyDirectory();
        JsonNode report = Json.MAPPER.readTree(json.toFile());
        assertThat(report.at("/loads")).hasSize(2);
        for (JsonNode load : report.at("/loads")) {
            assertThat(load.at("/runs/0/latency").isNull()).isTrue();
        }
        // An aligned one that was triggered while warming up may be all there is.
        assertThat(report.at("/loads/0/runs/0/checkpoints").isObject()).isTrue();
        JsonNode unaligned = report.at("/loads/1/runs/0/checkpoints");
        assertThat(
                        unaligned.get("completed").asInt() > 0
                                || !unaligned.get("unfinishedMillis").isNull())
                .isTrue();
    }

    @Test
    void whatAJobOccupiesIsMeasuredOverTime() throws IOException {
        Path json = directory.resolve("plateau.json");
        Path state = Files.createDirectories(directory.resolve("state"));
        BenchOutcome outcome =
                BenchOutcome.of(
                        "plateau",
                        "--rows-per-second=1k",
                        "--ttl-seconds=2",
                        "--variants=stock,accel",
                        "--seconds=6",
                        "--warm-up-seconds=2",
                        "--interval-seconds=1",
                        // What is small is on disk only when a checkpoint flushes it.
                        "--set=execution.checkpointing.interval=1 s",
                        "--state-dir=" + state,
                        "--json=" + json);
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out())
                .contains("new-keys, state expires after 2 s")
                .contains("new-keys, TTL 2 s (1,000 per second)");
        assertThat(state).isEmptyDirectory();
        JsonNode runs = Json.MAPPER.readTree(json.toFile()).at("/loads/0/runs");
        assertThat(runs).hasSize(2);
        for (JsonNode run : runs) {
            JsonNode footprints = run.at("/footprints");
            assertThat(footprints).isNotEmpty();
            JsonNode last = footprints.get(footprints.size() - 1);
            assertThat(last.get("seconds").asDouble()).isPositive();
            // On a machine that is busy enough the job has not begun yet.
            assertThat(last.get("diskBytes").asLong() > 0).isEqualTo(last.get("files").asInt() > 0);
            assertThat(last.get("heapBytes").asLong()).isPositive();
        }
    }

    @Test
    void aRateIsGivenOrAShare() {
        Rate.Converter rates = new Rate.Converter();
        assertThat(rates.convert("10").of(OptionalLong.empty())).isEqualTo(10);
        assertThat(rates.convert("50k").of(OptionalLong.empty())).isEqualTo(50_000);
        assertThat(rates.convert("90%").of(OptionalLong.of(81_000))).isEqualTo(72_900);
        assertThat(rates.convert("1%").of(OptionalLong.of(3))).isEqualTo(1);
    }
}
