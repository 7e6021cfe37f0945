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
package io.stateaccel.rocksdb;

import io.stateaccel.rocksdb.disk.DiskProbe;
import io.stateaccel.rocksdb.disk.Latencies;
import io.stateaccel.rocksdb.disk.LocalDisk;
import io.stateaccel.rocksdb.disk.LocalDisk.Medium;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The disks below the local directories of one process. Each file system is measured once, at most
 * {@link #WRITING} and {@link #READING} long, whatever the number of tasks and directories; other
 * tasks that ask for it at the same time wait. Thread-safe.
 */
final class LocalDisks {

    private static final long PROBE_BYTES = 16 << 20;
    private static final Duration WRITING = Duration.ofMillis(60);
    private static final Duration READING = Duration.ofMillis(60);

    /** Those of this process. */
    static final LocalDisks OF_PROCESS = new LocalDisks(LocalDisk::of, LocalDisks::measure);

    private final LookUp lookUp;
    private final Measurement measurement;
    private final Map<Path, RandomReads> readsByMountPoint = new ConcurrentHashMap<>();
    private final Set<String> said = ConcurrentHashMap.newKeySet();

    LocalDisks(LookUp lookUp, Measurement measurement) {
        this.lookUp = lookUp;
        this.measurement = measurement;
    }

    /** Finds out what a directory lies on. */
    interface LookUp {
        LocalDisk of(Path directory) throws IOException;
    }

    /** Measures random reads; never throws. */
    interface Measurement {
        RandomReads of(LocalDisk disk);
    }

    /**
     * @param latencies of 4 KiB reads from the device by one reader, empty when not measured
     * @param whyNot why they were not measured, else empty
     */
    record RandomReads(Optional<Latencies> latencies, String whyNot) {

        static RandomReads measured(Latencies latencies) {
            return new RandomReads(Optional.of(latencies), "");
        }

        static RandomReads notMeasured(String why) {
            return new RandomReads(Optional.empty(), why);
        }

        @Override
        public String toString() {
            return latencies
                    .map(found -> "4 KiB random reads: " + found.describe())
                    .orElseGet(() -> "random reads not measured: " + whyNot);
        }
    }

    /**
     * @throws IOException when there is no such directory
     */
    LocalDisk lookUp(Path directory) throws IOException {
        return lookUp.of(directory);
    }

    RandomReads randomReads(LocalDisk disk) {
        return readsByMountPoint.computeIfAbsent(
                disk.mountPoint(), mountPoint -> measurement.of(disk));
    }

    /** Whether a line is to be said: each is, once. */
    boolean isNew(String line) {
        return said.add(line);
    }

    private static RandomReads measure(LocalDisk disk) {
        if (disk.medium() == Medium.MEMORY) {
            return RandomReads.notMeasured("there is no device");
        }
        try (DiskProbe probe = DiskProbe.create(disk.directory(), PROBE_BYTES, WRITING)) {
            if (probe.pageCacheInTheWay().isPresent()) {
                return RandomReads.notMeasured(probe.pageCacheInTheWay().get());
            }
            return RandomReads.measured(probe.randomReads(1, READING));
        } catch (IOException | RuntimeException e) {
            // Whatever it was, RocksDB will meet it too, and say it better.
            return RandomReads.notMeasured(e.toString());
        }
    }
}
