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
import static org.assertj.core.api.Assertions.tuple;

import io.stateaccel.nexmark.bench.run.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What is read from procfs and from RocksDB's logs. */
class MetersTest {

    private static final String LOG =
            """
            2026/11/21-12:00:00.1 7 [db_impl] something else
            2026/11/21-12:00:00.1 7 EVENT_LOG_v1 {"time_micros": 1, "job": 2, "event": "flush_started", "num_memtables": 1}
            2026/11/21-12:00:00.2 7 EVENT_LOG_v1 {"cf_name": "a", "job": 2, "event": "table_file_creation", "file_size": 100}
            2026/11/21-12:00:00.2 7 EVENT_LOG_v1 {"job": 2, "event": "flush_finished", "lsm_state": [1, 0]}
            2026/11/21-12:00:00.3 7 EVENT_LOG_v1 {"job": 3, "event": "compaction_started", "input_data_size": 500}
            2026/11/21-12:00:00.3 7 EVENT_LOG_v1 {"cf_name": "a", "job": 3, "event": "table_file_creation", "file_size": 300}
            2026/11/21-12:00:00.4 7 EVENT_LOG_v1 {"job": 3, "event": "compaction_finished", "compaction_time_cpu_micros": 1500000, "total_output_size": 300}
            2026/11/21-12:00:00.5 7 EVENT_LOG_v1 {"job": 4, "event": "flush_sta""";

    @TempDir private Path directory;

    @Test
    void flushesAndCompactionsAreSummedOverLogs() throws IOException {
        Path log = Files.writeString(directory.resolve("LOG"), LOG);
        assertThat(RocksDbUse.of(List.of(log, log)))
                .isEqualTo(new RocksDbUse(2, 200, 2, 1000, 600, 3));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void theProcessAndItsStateAreMeasured() throws IOException {
        Path state = Files.createDirectories(directory.resolve("state/db"));
        Path log = Files.writeString(state.resolve("LOG"), LOG);
        Path logs = Files.createDirectories(directory.resolve("logs"));
        ProcessMeter meter =
                new ProcessMeter(
                        ProcessHandle.current().pid(), List.of(directory.resolve("state")), logs);
        meter.begin();
        Path sst = Files.write(state.resolve("1.sst"), new byte[5000]);
        assertThat(meter.sample(10)).isEqualTo(new Progress(10, 5000L));
        Files.delete(sst);
        Files.delete(log);
        String thread = Thread.currentThread().getName();
        ResourceUse use = meter.end(List.of(thread), 1000, 30L);
        assertThat(use.peakStateBytes()).isEqualTo(5000);
        assertThat(use.rocksDb()).as("outlives its file").isNotNull();
        assertThat(use.rocksDb().compactions()).isEqualTo(1);
        assertThat(use.peakMemoryBytes()).isGreaterThan(10_000_000);
        assertThat(use.written()).isGreaterThanOrEqualTo(5000);
        assertThat(use.gcMillis()).isEqualTo(30);
        assertThat(use.cpuSecondsByThreads().get("threads that ended")).isGreaterThan(900);
        assertThat(meter.samples()).hasSize(1);
    }

    @Test
    void aFileThatACheckpointLinksToIsOne() throws IOException {
        Path state = Files.createDirectories(directory.resolve("state/db"));
        Path sst = Files.write(state.resolve("1.sst"), new byte[5000]);
        Files.write(state.resolve("MANIFEST"), new byte[70]);
        Files.writeString(state.resolve("LOG"), LOG);
        Path checkpoint = Files.createDirectories(directory.resolve("state/checkpoint"));
        Files.createLink(checkpoint.resolve("1.sst"), sst);
        StateFiles files =
                StateFiles.in(List.of(directory.resolve("state"), directory.resolve("none")));
        assertThat(files.count()).isEqualTo(2);
        assertThat(files.bytes()).isEqualTo(5070);
        assertThat(files.logs()).containsValue(state.resolve("LOG"));
    }

    @Test
    void footprintsAreTakenNowAndThen() throws IOException {
        Path state = Files.createDirectories(directory.resolve("state"));
        Instant from = Instant.parse("2026-01-02T03:04:05Z");
        FootprintMeter meter = new FootprintMeter(List.of(state), from, Duration.ofSeconds(10));
        meter.sample(from.minusSeconds(5));
        Files.write(state.resolve("1.sst"), new byte[5000]);
        meter.sample(from.plusSeconds(4));
        meter.sample(from.plusSeconds(6));
        meter.look(from.plusSeconds(7));
        assertThat(meter.footprints())
                .extracting(Footprint::seconds, Footprint::diskBytes, Footprint::files)
                .containsExactly(tuple(-5.0, 0L, 0), tuple(6.0, 5000L, 1), tuple(7.0, 5000L, 1));
        assertThat(meter.footprints().get(1).heapBytes()).isPositive();
    }

    @Test
    void aProcessThatCannotBeSeenHasNoFigures() throws IOException {
        ProcessMeter meter =
                new ProcessMeter(Integer.MAX_VALUE, List.of(directory.resolve("none")), directory);
        meter.begin();
        assertThat(meter.sample(1).stateBytes()).isNull();
        ResourceUse use = meter.end(List.of(), 1, 5L);
        assertThat(use.peakMemoryBytes()).isNull();
        assertThat(use.rocksDb()).isNull();
        assertThat(use.cpuSecondsByThreads()).isEmpty();
    }
}
