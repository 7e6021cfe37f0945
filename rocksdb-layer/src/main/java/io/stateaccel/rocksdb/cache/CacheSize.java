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
package io.stateaccel.rocksdb.cache;

import io.stateaccel.config.StateAccelOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.configuration.TaskManagerOptions;

/**
 * The size of the cache, from the task manager down to a slot.
 *
 * @param taskManagerBytes heap that all caches of a task manager may use; 0 for no cache
 * @param slots of the task manager
 */
public record CacheSize(long taskManagerBytes, int slots) {

    /**
     * The default's part of the heap is one in this many bytes. A task manager of 1728 MB has 512
     * MB of heap, 384 MB of them for tasks, and so a cache of 51 MB; one of 8 GB has 3.4 GB of heap
     * and a cache of some 340 MB.
     */
    private static final int PART_OF_HEAP = 10;

    /**
     * @param config of the state backend
     * @param taskManagerConfig tells the number of slots
     */
    public static CacheSize from(ReadableConfig config, ReadableConfig taskManagerConfig) {
        long bytes =
                config.getOptional(StateAccelOptions.CACHE_SIZE)
                        .map(MemorySize::getBytes)
                        .orElseGet(() -> Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
        int slots = taskManagerConfig.get(TaskManagerOptions.NUM_TASK_SLOTS);
        return new CacheSize(bytes, Math.max(1, slots));
    }

    /** Heap that all caches of one slot may use. */
    public long slotBytes() {
        return taskManagerBytes / slots;
    }

    @Override
    public String toString() {
        return "task manager: "
                + MemorySizes.describe(taskManagerBytes)
                + " of a heap of "
                + MemorySizes.describe(Runtime.getRuntime().maxMemory())
                + "; of each of its "
                + slots
                + " slots: "
                + MemorySizes.describe(slotBytes());
    }
}
