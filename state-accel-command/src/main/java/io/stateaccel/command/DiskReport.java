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
package io.stateaccel.command;

import io.stateaccel.rocksdb.disk.ByteCount;
import io.stateaccel.rocksdb.disk.DiskProblem;
import io.stateaccel.rocksdb.disk.Latencies;
import io.stateaccel.rocksdb.disk.LocalDisk;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What {@code doctor} found.
 *
 * @param disk below the directory
 * @param fileBytes size of the file that was read
 * @param pageCacheInTheWay why reads did not go to the device, empty when they did
 * @param oneReader reads of one thread
 * @param readers threads of the next
 * @param manyReaders reads of these threads at once
 * @param syncs of one block each
 * @param leastReads of one reader, below which the disk is slow
 * @param job what is to run here, if the user said so
 */
record DiskReport(
        LocalDisk disk,
        long fileBytes,
        Optional<String> pageCacheInTheWay,
        Latencies oneReader,
        int readers,
        Latencies manyReaders,
        Latencies syncs,
        int leastReads,
        Optional<JobNeeds> job) {

    /** Whether nothing speaks against the directory, and the job given fits. */
    boolean isFit() {
        return problems().isEmpty()
                && job.map(
                                needs ->
                                        needs.hasSpace(disk)
                                                && readsFromDevice()
                                                        .map(needs::hasReads)
                                                        .orElse(true))
                        .orElse(true);
    }

    private Set<DiskProblem> problems() {
        return DiskProblem.of(
                disk,
                pageCacheInTheWay.isPresent() ? Optional.empty() : Optional.of(oneReader),
                leastReads);
    }

    private Optional<Double> readsFromDevice() {
        return pageCacheInTheWay.isPresent()
                ? Optional.empty()
                : Optional.of(manyReaders.perSecond());
    }

    void print(PrintWriter out) {
        out.println("Directory    " + disk.directory());
        out.println("File system  " + disk.describe());
        out.println("Space        " + disk.describeSpace());
        out.println(
                "Measured     on a file of "
                        + ByteCount.describe(fileBytes)
                        + pageCacheInTheWay
                                .map(
                                        why ->
                                                " through the page cache, as "
                                                        + why
                                                        + ": the reads below are of memory, not of"
                                                        + " the device")
                                .orElse(" with O_DIRECT, past the page cache"));
        out.println();
        out.printf(
                "%-28s%12s%10s%10s%10s%10s%10s%n",
                "in microseconds", "per second", "p50", "p90", "p99", "p99.9", "max");
        printRow("4 KiB reads, 1 reader", oneReader, out);
        printRow("4 KiB reads, " + readers + " readers", manyReaders, out);
        printRow("4 KiB write and sync", syncs, out);
        out.println();
        job.ifPresent(
                needs -> {
                    needs.print(disk, readsFromDevice(), out);
                    out.println();
                });
        printVerdict(out);
    }

    private static void printRow(String name, Latencies latencies, PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "%-28s%,12.0f%,10.0f%,10.0f%,10.0f%,10.0f%,10.0f%n",
                name,
                latencies.perSecond(),
                latencies.p50Micros(),
                latencies.p90Micros(),
                latencies.p99Micros(),
                latencies.p999Micros(),
                latencies.maxMicros());
    }

    private void printVerdict(PrintWriter out) {
        Set<DiskProblem> problems = problems();
        if (!problems.isEmpty()) {
            out.println("Verdict: it does not suit RocksDB, for");
            problems.forEach(problem -> out.println("  - " + problem + "."));
            out.println("Set state.backend.rocksdb.localdir to a directory on a local SSD.");
        } else if (!isFit()) {
            out.println("Verdict: a good disk, and not enough for this job.");
        } else if (pageCacheInTheWay.isPresent()) {
            out.println("Verdict: no problem is known, but its reads could not be measured.");
        } else {
            out.println("Verdict: good for RocksDB.");
        }
    }
}
