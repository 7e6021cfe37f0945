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
package io.stateaccel.rocksdb.disk;

import io.stateaccel.rocksdb.disk.LocalDisk.Medium;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Why a directory does not suit RocksDB. The wording is what the user reads. */
public enum DiskProblem {
    IN_MEMORY("it is in memory, so that state takes what the processes of this machine need"),

    OVERLAY(
            "it is in the layers of a container, which are slow to write to and often share one disk"
                    + " with the system"),

    NETWORK("it is reached over the network, so that each read waits for a round trip"),

    ROTATIONAL("it is rotational, and then does some hundred random reads a second"),

    SLOW("it does too few random reads a second"),

    TEMPORARY_FOLDER(
            "it is below the system's folder for temporary files, only because no other was"
                    + " configured");

    /**
     * The fastest hard disks do some 250. Virtual disks often say that they are rotational whatever
     * is below them, so what was measured decides.
     */
    private static final double MOST_READS_OF_A_HARD_DISK = 2_000;

    private final String text;

    DiskProblem(String text) {
        this.text = text;
    }

    /**
     * What is wrong with a directory; empty when nothing is known to be.
     *
     * @param disk that it is on
     * @param reads random reads from the device with one reader, empty when they were not measured
     * @param leastReadsPerSecond a disk that does fewer is slow
     */
    public static Set<DiskProblem> of(
            LocalDisk disk, Optional<Latencies> reads, int leastReadsPerSecond) {
        Set<DiskProblem> problems = EnumSet.noneOf(DiskProblem.class);
        if (disk.medium() == Medium.MEMORY) {
            problems.add(IN_MEMORY);
        }
        if (disk.medium() == Medium.OVERLAY) {
            problems.add(OVERLAY);
        }
        if (disk.medium() == Medium.NETWORK) {
            problems.add(NETWORK);
        }
        if (disk.medium() == Medium.ROTATIONAL
                && reads.map(Latencies::perSecond).orElse(0.0) <= MOST_READS_OF_A_HARD_DISK) {
            problems.add(ROTATIONAL);
        }
        if (reads.isPresent() && reads.get().perSecond() < leastReadsPerSecond) {
            problems.add(SLOW);
        }
        return problems;
    }

    @Override
    public String toString() {
        return text;
    }
}
