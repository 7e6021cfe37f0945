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
    private final PartialConsumer out;

    /** In the order of their first rows: FIRST_VALUE above, or a top-N of ties, depends on it. */
    private final Map<RowData, Group> groups = new LinkedHashMap<>();

    /** The group whose accumulator the function holds. */
    private Group loaded;

    /**
     * @param function opened, its data views on the heap
     * @param ofPartials whether what is added are accumulators, which the function merges, and not
     *     rows
     * @param maxGroups on the heap; where more come, all go on
     * @param out gets what each group comes to
     */
    public LocalAggregation(
            AggsHandleFunction function, boolean ofPartials, long maxGroups, PartialConsumer out) {
        this.function = function;
        this.ofPartials = ofPartials;
        this.maxGroups = maxGroups;
        this.out = out;
    }

    /**
     * @param key the group, kept
     * @param row not kept
     */
    public void add(RowData key, RowData row) throws Exception {
        switchTo(key);
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
        }
        if (loaded != group) {
            unload();
            function.setAccumulators(group.accumulator);
            loaded = group;
        }
    }

    private void unload() throws Exception {
        if (loaded != null) {
            loaded.accumulator = function.getAccumulators();
            loaded = null;
        }
    }

    /** Hands on what has been added, and begins anew. */
    public void finish() throws Exception {
        unload();
        for (Map.Entry<RowData, Group> group : groups.entrySet()) {
            out.accept(group.getKey(), group.getValue().accumulator);
        }
        groups.clear();
    }

    /** Takes what the rows of a group come to. */
    public interface PartialConsumer {

        /**
         * @param key the group
         * @param accumulator for the function to merge
         */
        void accept(RowData key, RowData accumulator) throws Exception;
    }

    private static final class Group {
        RowData accumulator;

        Group(RowData accumulator) {
            this.accumulator = accumulator;
        }
    }
}
