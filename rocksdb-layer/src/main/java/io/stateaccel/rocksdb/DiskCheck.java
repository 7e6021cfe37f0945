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

import io.stateaccel.config.DiskCheckMode;
import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.LocalDisks.RandomReads;
import io.stateaccel.rocksdb.disk.DiskProblem;
import io.stateaccel.rocksdb.disk.LocalDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.state.rocksdb.RocksDBOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says, when a backend is opened, whether its local directory suits RocksDB: one line at INFO when
 * it does, at WARN with the fix when not, or an error if the user wants that.
 *
 * <p>A job whose state no longer fits the block cache is as fast as the random reads of its disk.
 * On a slow one throughput falls to a small part, days after the start and without an error.
 * Thread-safe.
 *
 * @param mode what to do about a problem
 * @param leastReadsPerSecond a disk that does fewer random reads is slow
 * @param disks those that were looked at already
 */
record DiskCheck(DiskCheckMode mode, int leastReadsPerSecond, LocalDisks disks) {

    private static final Logger LOG = LoggerFactory.getLogger(DiskCheck.class);

    static DiskCheck from(ReadableConfig config) {
        return new DiskCheck(
                config.get(StateAccelOptions.DISK_CHECK_MODE),
                config.get(StateAccelOptions.DISK_CHECK_MIN_READS_PER_SECOND),
                LocalDisks.OF_PROCESS);
    }

    /**
     * @param directory an existing directory that RocksDB is going to work in
     * @param configured whether the user has chosen it
     * @throws IOException when it does not suit and the mode is {@link DiskCheckMode#FAIL}
     */
    void check(Path directory, boolean configured) throws IOException {
        if (mode == DiskCheckMode.OFF) {
            return;
        }
        LocalDisk disk;
        try {
            disk = disks.lookUp(directory);
        } catch (IOException | RuntimeException e) {
            if (mode == DiskCheckMode.FAIL) {
                throw new IOException("Could not find out what " + directory + " lies on", e);
            }
            LOG.info("[state-accel] Could not find out what {} lies on.", directory, e);
            return;
        }
        RandomReads reads = disks.randomReads(disk);
        Set<DiskProblem> problems = DiskProblem.of(disk, reads.latencies(), leastReadsPerSecond);
        if (!configured && disk.directory().startsWith(System.getProperty("java.io.tmpdir"))) {
            problems.add(DiskProblem.TEMPORARY_FOLDER);
        }
        report(disk, reads, problems);
    }

    private void report(LocalDisk disk, RandomReads reads, Set<DiskProblem> problems)
            throws IOException {
        String found =
                "RocksDB's local directory "
                        + disk.directory()
                        + " is "
                        + disk.describe()
                        + ", "
                        + disk.describeSpace()
                        + "; "
                        + reads;
        if (problems.isEmpty()) {
            if (disks.isNew(disk.directory().toString())) {
                LOG.info("[state-accel] {}.", found);
            }
            return;
        }
        String complaint = found + ". " + describe(problems) + " " + fix(disk);
        if (mode == DiskCheckMode.FAIL) {
            throw new IOException(complaint);
        }
        if (disks.isNew(disk.directory() + " " + problems)) {
            LOG.warn("[state-accel] {}", complaint);
        }
    }

    private static String describe(Set<DiskProblem> problems) {
        return problems.stream()
                .map(DiskProblem::toString)
                .collect(Collectors.joining("; ", "It does not suit RocksDB: ", "."));
    }

    private String fix(LocalDisk disk) {
        return "Set "
                + RocksDBOptions.LOCAL_DIRECTORIES.key()
                + " to a directory on a local SSD, or accept this one by setting "
                + StateAccelOptions.DISK_CHECK_MODE.key()
                + " to OFF. To measure it at length: java -jar"
                + " flink-sql-state-accel-<version>.jar doctor --dir "
                + disk.directory();
    }
}
