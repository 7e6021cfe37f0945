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

import io.stateaccel.operators.aggregate.HeldGroup.Group;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;

/**
 * Aggregates on the heap, group by group, for a {@link GroupAggregation} to merge what it comes to.
 * It keeps nothing beyond {@link #finish}, so an accumulator may have more taken away than added.
 *
 * <p>Both halves of what Flink does on the heap for aggregates in two phases: {@code
 * MiniBatchLocalGroupAggFunction}, and the bundle of {@code MiniBatchGlobalGroupAggFunction}, which
 * merges accumulators of other tasks. For the task thread.
 */
public final class LocalAggregation {

    private final AggsHandleFunction function;
    private final boolean ofPartials;
    private final long maxGroups;
    private final GroupHeap heap;
    private final PartialConsumer out;

    /**
     * In the order in which they came: FIRST_VALUE, or a top-N of rows that tie, takes the first it
     * sees.
     */
    private final Map<RowData, Group> groups = new LinkedHashMap<>();

    private final HeldGroup held;

    /**
     * @param function opened, its data views on the heap
     * @param ofPartials whether what is added are accumulators, which the function merges, and not
     *     rows
     * @param maxGroups on the heap; where more come, all go on
     * @param heap bounds the groups; where they take more, all go on
     * @param out gets what each group comes to
     */
    public LocalAggregation(
            AggsHandleFunction function,
            boolean ofPartials,
            long maxGroups,
            GroupHeap heap,
            PartialConsumer out) {
        this.function = function;
        this.ofPartials = ofPartials;
        this.maxGroups = maxGroups;
        this.heap = heap;
        this.out = out;
        this.held = new HeldGroup(function, heap);
    }

    /**
     * @param key the group, kept
     * @param row not kept
     */
    public void add(RowData key, RowData row) throws Exception {
        if (heap.isFull()) {
            finish();
        }
        switchTo(key);
        heap.rowAdded();
        if (ofPartials) {
            function.merge(row);
        } else if (RowDataUtil.isAccumulateMsg(row)) {
            function.accumulate(row);
        } else {
            function.retract(row);
        }
    }

    private void switchTo(RowData key) throws Exception {
        Group group = groups.get(key);
        if (group == null) {
            if (groups.size() == maxGroups) {
                finish();
            }
            group = new Group(function.createAccumulators());
            groups.put(key, group);
            heap.groupAdded(key);
        }
        held.set(group);
    }

    /** Groups on the heap. */
    int groups() {
        return groups.size();
    }

    /** Hands on what has been added, and begins anew. */
    public void finish() throws Exception {
        held.release();
        for (Map.Entry<RowData, Group> group : groups.entrySet()) {
            out.accept(group.getKey(), group.getValue().accumulator);
        }
        groups.clear();
        heap.clear();
    }

    /** Takes what the rows of a group come to. */
    public interface PartialConsumer {

        /**
         * @param key the group
         * @param accumulator for the function to merge
         */
        void accept(RowData key, RowData accumulator) throws Exception;
    }
}
