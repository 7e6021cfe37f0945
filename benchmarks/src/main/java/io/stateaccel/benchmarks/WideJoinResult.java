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
package io.stateaccel.benchmarks;

import io.stateaccel.benchmarks.WideJoinDatabase.Files;
import io.stateaccel.benchmarks.WideJoinDatabase.Work;
import io.stateaccel.benchmarks.WideJoinProbe.Access;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/**
 * What a run has measured.
 *
 * @param joined rows emitted
 * @param digest of all of them, in whatever order
 * @param filling from empty state until it is full
 * @param full while old rows go as new ones come
 * @param files every few seconds, by ascending time
 * @param nanos of the accesses while the state was full
 */
record WideJoinResult(
        WideJoinVariant variant,
        long joined,
        long digest,
        Phase filling,
        Phase full,
        List<FilesThen> files,
        Map<Access, Histogram> nanos) {

    /**
     * A part of a run. CPU is in seconds; that of making rows and of reading from outside is left
     * out.
     *
     * @param bytes of payload in the rows that came in
     * @param seconds by the clock, without what reading from outside took
     * @param taskCpu of the thread that runs the operator, checkpoints included
     * @param flushCpu of RocksDB's threads of high priority
     * @param compactionCpu of RocksDB's threads of low priority
     * @param otherCpu of the JVM's other threads: garbage collection, JIT
     * @param work of RocksDB
     * @param files in the end
     * @param deviceReadBytes that the page cache had not got, of reads by all threads
     */
    record Phase(
            long rows,
            long bytes,
            double seconds,
            double taskCpu,
            double flushCpu,
            double compactionCpu,
            double otherCpu,
            Work work,
            Files files,
            long deviceReadBytes) {}

    /**
     * The files at one moment.
     *
     * @param seconds since the run began
     * @param rows that had come in
     */
    record FilesThen(double seconds, long rows, Files files) {}
}
