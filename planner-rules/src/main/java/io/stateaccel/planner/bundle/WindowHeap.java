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
package io.stateaccel.planner.bundle;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.bundle.HeapBudget;
import javax.annotation.Nullable;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;

/**
 * What one sub-task may keep on the heap between watermarks, see {@link
 * StateAccelOptions#WINDOW_HEAP_SIZE}.
 *
 * @param size null for a share of what all of a task manager may use
 */
public record WindowHeap(@Nullable MemorySize size) {

    public static WindowHeap of(ReadableConfig config) {
        return new WindowHeap(config.get(StateAccelOptions.WINDOW_HEAP_SIZE));
    }

    /** As {@link HeapBudget#open} takes it. */
    public long bytes() {
        return size == null ? HeapBudget.SHARED : size.getBytes();
    }

    /** As {@code EXPLAIN} has it. */
    @Override
    public String toString() {
        return size == null ? "shared" : size.toString();
    }
}
