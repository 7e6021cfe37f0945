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
package io.stateaccel.nexmark.bench.queries;

import io.stateaccel.nexmark.workload.DataStreamProgram;
import java.util.List;
import java.util.Map;

/**
 * The workloads with which other state backends are presented, scaled to two cores and 8 GB. What
 * makes them hard is kept: state larger than what RocksDB may use, wide rows, frequent checkpoints.
 */
public final class PeerWorkloads {

    /**
     * Less than a tenth of what the task manager has, so that state outgrows it. RocksDB may use
     * five sixths of it, half of that for write buffers.
     */
    private static final Map<String, String> SMALL_CACHE = managed("256m");

    /** Outgrown by short entries as well, of which there are at most as many as events. */
    private static final Map<String, String> VERY_SMALL_CACHE = managed("64m");

    private static final Map<String, String> FREQUENT_CHECKPOINTS =
            Map.of(
                    "execution.checkpointing.interval",
                    "500 ms",
                    "execution.checkpointing.externalized-checkpoint-retention",
                    "RETAIN_ON_CANCELLATION");

    private PeerWorkloads() {}

    static List<Query> all() {
        return List.of(
                Query.query("q4")
                        .named(
                                "q4-omni",
                                "q4 with little memory for RocksDB (OmniStateStore's workload)")
                        .with(SMALL_CACHE),
                Query.program(DataStreamProgram.SAMPLE_JOIN).with(SMALL_CACHE),
                Query.query("wide-interval-join").with(SMALL_CACHE),
                Query.program(DataStreamProgram.IOT_LAST_SEEN).with(VERY_SMALL_CACHE),
                Query.query("checkpoint-valuestate").with(FREQUENT_CHECKPOINTS).aboutCheckpoints(),
                Query.query("checkpoint-window")
                        .with(FREQUENT_CHECKPOINTS)
                        .notDeterministic()
                        .aboutCheckpoints());
    }

    private static Map<String, String> managed(String size) {
        return Map.of("taskmanager.memory.managed.size", size);
    }
}
