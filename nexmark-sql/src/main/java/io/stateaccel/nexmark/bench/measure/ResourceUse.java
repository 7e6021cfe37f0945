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

import java.util.Map;

/**
 * What the process that ran the tasks used beside CPU time, JVM start included only in {@code
 * peakMemoryBytes}. Null is what could not be seen: all but {@code gcMillis} come from Linux'
 * procfs and from local files, so a remote cluster does not tell them.
 *
 * @param peakMemoryBytes highest resident set of the process
 * @param gcMillis time the garbage collector took, by the JVM's own account
 * @param peakStateBytes highest size of the state's local files; a state that still fits into
 *     memtables has none
 * @param read bytes the process read by system calls, those on sockets included
 * @param written bytes it wrote by system calls
 * @param readCalls number of system calls that read
 * @param writeCalls number of system calls that wrote
 * @param diskReadBytes bytes that came from the disk and not from the page cache
 * @param rocksDb what RocksDB or ForSt did in the background
 * @param cpuSecondsByThreads CPU seconds by group of threads: operators by name, RocksDB, garbage
 *     collection, compilation
 * @param cpuSecondsByCode CPU seconds by kind of code, if a profile was taken
 */
public record ResourceUse(
        Long peakMemoryBytes,
        Long gcMillis,
        Long peakStateBytes,
        Long read,
        Long written,
        Long readCalls,
        Long writeCalls,
        Long diskReadBytes,
        RocksDbUse rocksDb,
        Map<String, Double> cpuSecondsByThreads,
        Map<String, Double> cpuSecondsByCode) {

    /** What can be said of a process that cannot be seen. */
    public static ResourceUse ofRemote(Long gcMillis) {
        return new ResourceUse(
                null, gcMillis, null, null, null, null, null, null, null, Map.of(), null);
    }

    public ResourceUse withProfile(Map<String, Double> byCode) {
        return new ResourceUse(
                peakMemoryBytes,
                gcMillis,
                peakStateBytes,
                read,
                written,
                readCalls,
                writeCalls,
                diskReadBytes,
                rocksDb,
                cpuSecondsByThreads,
                byCode);
    }
}
