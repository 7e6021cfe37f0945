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

import io.stateaccel.nexmark.bench.common.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;

/**
 * Background work of all RocksDB (or ForSt) instances of a run, summed from the events in their
 * {@code LOG} files, which Flink has written by default: unlike RocksDB's statistics they cost
 * nothing per read.
 *
 * @param flushes memtables written
 * @param flushedBytes size of the files that flushes wrote
 * @param compactions compactions that ended
 * @param compactionReadBytes size of the files they took in
 * @param compactionWrittenBytes size of the files they wrote
 * @param compactionCpuSeconds CPU time they took
 */
public record RocksDbUse(
        long flushes,
        long flushedBytes,
        long compactions,
        long compactionReadBytes,
        long compactionWrittenBytes,
        double compactionCpuSeconds) {

    /** Sums what the given {@code LOG} files tell. */
    static RocksDbUse of(Collection<Path> logs) throws IOException {
        Sum sum = new Sum();
        for (Path log : logs) {
            sum.add(log);
        }
        return new RocksDbUse(
                sum.flushes,
                sum.flushedBytes,
                sum.compactions,
                sum.compactionReadBytes,
                sum.compactionWrittenBytes,
                sum.compactionCpuMicros / 1e6);
    }

    private static final class Sum {

        private static final String EVENT = "EVENT_LOG_v1 ";

        private long flushes;
        private long flushedBytes;
        private long compactions;
        private long compactionReadBytes;
        private long compactionWrittenBytes;
        private long compactionCpuMicros;

        private void add(Path log) throws IOException {
            Set<Long> flushJobs = new HashSet<>();
            try (BufferedReader lines = Files.newBufferedReader(log, StandardCharsets.ISO_8859_1)) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    int event = line.indexOf(EVENT);
                    // The last line of a log that is being written may be cut off.
                    if (event >= 0 && line.endsWith("}")) {
                        add(
                                Json.MAPPER.readTree(line.substring(event + EVENT.length())),
                                flushJobs);
                    }
                }
            }
        }

        private void add(JsonNode event, Set<Long> flushJobs) {
            long job = event.path("job").asLong();
            switch (event.path("event").asText()) {
                case "flush_started" -> {
                    flushes++;
                    flushJobs.add(job);
                }
                case "table_file_creation" -> {
                    if (flushJobs.contains(job)) {
                        flushedBytes += event.path("file_size").asLong();
                    }
                }
                case "compaction_started" ->
                        compactionReadBytes += event.path("input_data_size").asLong();
                case "compaction_finished" -> {
                    compactions++;
                    compactionWrittenBytes += event.path("total_output_size").asLong();
                    compactionCpuMicros += event.path("compaction_time_cpu_micros").asLong();
                }
                default -> {
                    // Files that come and go, recoveries: nothing that is counted.
                }
            }
        }
    }
}
