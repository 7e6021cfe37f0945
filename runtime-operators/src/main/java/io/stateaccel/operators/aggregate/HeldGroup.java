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
package io.stateaccel.operators.aggregate;

import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.AggsHandleFunctionBase;

/**
 * The group of those on the heap whose accumulator the aggregate functions hold, which are one
 * object for all groups. For the task thread.
 */
final class HeldGroup {

    private final AggsHandleFunctionBase function;
    private final GroupHeap heap;

    @Nullable private Group held;

    /**
     * @param function opened
     * @param heap told of what an accumulator takes when it is held no more
     */
    HeldGroup(AggsHandleFunctionBase function, GroupHeap heap) {
        this.function = function;
        this.heap = heap;
    }

    boolean is(Group group) {
        return held == group;
    }

    /** Has the functions hold the accumulator of a group, and of no other any more. */
    void set(Group group) throws Exception {
        if (held != group) {
            release();
            function.setAccumulators(group.accumulator);
            held = group;
        }
    }

    /** The functions hold nothing any more; the group has what they held. */
    void release() throws Exception {
        if (held != null) {
            held.accumulator = function.getAccumulators();
            held.bytes = heap.measure(held.accumulator, held.bytes);
            held = null;
        }
    }

    /** A group on the heap. */
    static class Group {

        /** As it was when the functions last held another. */
        RowData accumulator;

        /** Of the accumulator, as far as it may grow. */
        private long bytes;

        Group(RowData accumulator) {
            this.accumulator = accumulator;
        }
    }
}
