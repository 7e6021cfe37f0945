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
package io.stateaccel.command.job;

/** What may hold a job back, and what to do about it. */
public enum Bottleneck {
    HEALTHY(
            "none: the job does all that its sources give",
            "Nothing. To see what it can do at most, let it catch up with a backlog."),

    SOURCE(
            "the source",
            "Raise the source's parallelism (and its topic's partitions), and read less: fewer columns,"
                    + " filters that the connector pushes down."),

    SINK(
            "the sink",
            "Raise the sink's parallelism ('sink.parallelism') or the size of its batches, or look at"
                    + " the system it writes to."),

    EXCHANGE(
            "the exchange between two tasks",
            "Look at the network between the machines; raise taskmanager.memory.network.max and"
                    + " taskmanager.network.memory.buffers-per-channel, and send less:"
                    + " table.exec.state-accel.join-aggregate-fusion.enabled=true saves an exchange."),

    HOT_KEY(
            "a hot key",
            "More parallelism does not help. Filter the key out if it stands for nothing (NULL, an"
                    + " empty text), split it (aggregate in two phases:"
                    + " table.optimizer.agg-phase-strategy=TWO_PHASE, for DISTINCT"
                    + " table.optimizer.distinct-agg.split.enabled=true), or let bundles fold more of it"
                    + " (table.exec.state-accel.mini-batch.size)."),

    DISK(
            "the local disk",
            "Move state.backend.rocksdb.localdir to a local SSD (state-accel doctor --dir measures one),"
                    + " or keep more in memory: taskmanager.memory.managed.size."),

    COMPACTION(
            "RocksDB's flushes and compactions",
            "Give them more threads (state.backend.rocksdb.thread.num) and larger memtables"
                    + " (state.backend.rocksdb.writebuffer.size, taskmanager.memory.managed.size), and"
                    + " write less: table.exec.state-accel.mini-batch.size,"
                    + " state.backend.state-accel.cache.size."),

    CACHE(
            "RocksDB's memory, which is too small for the state",
            "Raise taskmanager.memory.managed.size, or state.backend.state-accel.cache.size if the"
                    + " heap has room."),

    GARBAGE_COLLECTION(
            "garbage collection",
            "Raise taskmanager.memory.task.heap.size, or let less live on the heap:"
                    + " state.backend.state-accel.cache.size, table.exec.state-accel.mini-batch.size."),

    COMPUTATION(
            "the work of the task itself",
            "Raise its parallelism. pipeline.operator-chaining.enabled=false shows for a test which of"
                    + " its operators it is.");

    private final String text;
    private final String advice;

    Bottleneck(String text, String advice) {
        this.text = text;
        this.advice = advice;
    }

    /** What to change, with the options. */
    public String advice() {
        return advice;
    }

    @Override
    public String toString() {
        return text;
    }
}
