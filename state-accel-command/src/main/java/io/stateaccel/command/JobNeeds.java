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
import io.stateaccel.rocksdb.disk.LocalDisk;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.Optional;

/**
 * What a job needs of a disk, at worst: keys that come back evenly, one read of a block for each
 * row whose key is not in memory. Filters and partitioned indexes are what makes it one; bundles,
 * caches and keys that are more frequent than others make it less.
 *
 * @param stateBytes state on this machine
 * @param rate rows a second, if known
 * @param memoryBytes of RocksDB
 */
record JobNeeds(long stateBytes, Optional<Long> rate, long memoryBytes) {

    /**
     * Files that compactions write while the old ones are there, or that checkpoints still hold.
     */
    private static final int SPACE_FACTOR = 2;

    /** The rest is for flushes, compactions and checkpoints, and keeps queues short. */
    private static final double USABLE_READS = 0.7;

    long spaceBytes() {
        return stateBytes * SPACE_FACTOR;
    }

    boolean hasSpace(LocalDisk disk) {
        return disk.freeBytes() >= spaceBytes();
    }

    double shareNotInMemory() {
        return Math.max(0, 1 - (double) memoryBytes / stateBytes);
    }

    double readsPerSecond(long rowsPerSecond) {
        return rowsPerSecond * shareNotInMemory();
    }

    /** Whether that many random reads are enough; no rate, no need. */
    boolean hasReads(double available) {
        return rate.isEmpty() || readsPerSecond(rate.get()) <= available * USABLE_READS;
    }

    /**
     * @param disk where the job's state is going to be
     * @param reads random reads a second that the disk does, empty when that is not known
     */
    void print(LocalDisk disk, Optional<Double> reads, PrintWriter out) {
        out.printf(
                "A job with %s of state here needs%n  space: %s, the state and as much again for"
                        + " compactions and files that checkpoints hold; %s are free: %s.%n",
                ByteCount.describe(stateBytes),
                ByteCount.describe(spaceBytes()),
                ByteCount.describe(disk.freeBytes()),
                hasSpace(disk) ? "enough" : "NOT ENOUGH");
        rate.ifPresent(rows -> printReads(rows, reads, out));
    }

    private void printReads(long rows, Optional<Double> reads, PrintWriter out) {
        out.printf(
                Locale.ROOT,
                "  reads: %,.0f a second at worst: %,d rows/s on keys that come back evenly find"
                        + " %.1f %% of the state in %s of memory; ",
                readsPerSecond(rows),
                rows,
                100 * (1 - shareNotInMemory()),
                ByteCount.describe(memoryBytes));
        if (reads.isEmpty()) {
            out.println("what the disk can do is not known.");
            return;
        }
        out.printf(
                Locale.ROOT,
                "the disk does %,.0f, of which %.0f %% can be counted on: %s.%n",
                reads.get(),
                100 * USABLE_READS,
                hasReads(reads.get()) ? "enough" : "NOT ENOUGH" + wayOut(rows, reads.get()));
    }

    private String wayOut(long rows, double reads) {
        double usable = reads * USABLE_READS;
        long memoryNeeded = (long) Math.ceil(stateBytes * (1 - usable / rows));
        return String.format(
                Locale.ROOT,
                ", it carries %,.0f rows/s; or give RocksDB %s of memory",
                Math.floor(usable / shareNotInMemory()),
                ByteCount.describe(memoryNeeded));
    }
}
