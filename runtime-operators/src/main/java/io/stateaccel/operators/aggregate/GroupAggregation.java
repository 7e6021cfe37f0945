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

import io.stateaccel.views.aggregate.Accumulators;
import io.stateaccel.views.time.Lifetime;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.generated.RecordEqualiser;
import org.apache.flink.table.runtime.operators.aggregate.RecordCounter;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/**
 * Aggregates the changes of a bundle, group by group. A row is aggregated when it is added, into
 * the accumulator of its group, which is read at the group's first row; {@link #finish} stores it
 * and emits the change from the result before the bundle to the one after it.
 *
 * <p>Where the groups take too much heap, it finishes by itself before it adds another row: what is
 * emitted then is what two bundles would have given. A single group stays, as it would have to be
 * there for the next row anyway.
 *
 * <p>Gives the results of Flink's {@code GroupAggFunction}. For the task thread.
 */
public final class GroupAggregation {

    private final AggsHandleFunction function;
    private final boolean ofPartials;
    private final RecordEqualiser equaliser;
    private final RecordCounter recordCounter;
    private final boolean generateUpdateBefore;
    private final Accumulators accumulators;
    private final Lifetime lifetime;
    private final Consumer<RowData> currentGroup;
    private final GroupHeap heap;
    private final Collector<RowData> out;

    /**
     * In the order in which they came: FIRST_VALUE, or a top-N of rows that tie, takes the first it
     * sees.
     */
    private final Map<RowData, KeyedGroup> groups = new LinkedHashMap<>();

    private final JoinedRowData result = new JoinedRowData();

    private final HeldGroup held;

    /**
     * @param function opened
     * @param ofPartials whether what is added are accumulators of a {@link LocalAggregation}, which
     *     the function merges, and not rows
     * @param equaliser compares two results
     * @param recordCounter tells a group without rows
     * @param accumulators those of all groups
     * @param lifetime of an accumulator, which each row renews. If it ends, what is equal to the
     *     result before is emitted all the same, so that what is stored downstream lives on too
     * @param currentGroup makes a group the one that data views read and write
     * @param heap bounds the groups
     * @param out gets group and result, as one row that is used again
     */
    public GroupAggregation(
            AggsHandleFunction function,
            boolean ofPartials,
            RecordEqualiser equaliser,
            RecordCounter recordCounter,
            boolean generateUpdateBefore,
            Accumulators accumulators,
            Lifetime lifetime,
            Consumer<RowData> currentGroup,
            GroupHeap heap,
            Collector<RowData> out) {
        this.function = function;
        this.ofPartials = ofPartials;
        this.equaliser = equaliser;
        this.recordCounter = recordCounter;
        this.generateUpdateBefore = generateUpdateBefore;
        this.accumulators = accumulators;
        this.lifetime = lifetime;
        this.currentGroup = currentGroup;
        this.heap = heap;
        this.out = out;
        this.held = new HeldGroup(function, heap);
    }

    /**
     * @param key the group, kept
     * @param row not kept
     * @return whether it counts: there is nothing to retract from in a group that is unknown. A
     *     partial always counts, as one of another task may make up for what it takes away
     */
    public boolean add(RowData key, RowData row) throws Exception {
        if (heap.isFull() && groups.size() > 1) {
            finish();
        }
        boolean accumulate = RowDataUtil.isAccumulateMsg(row);
        KeyedGroup group = groups.get(key);
        if (group != null && lifetime.isExpired(group.lastWrite)) {
            finish();
            group = null;
        }
        if (group == null) {
            group = load(key, accumulate);
            if (group == null) {
                return false;
            }
        } else if (group.isGone && !accumulate) {
            return false;
        } else {
            switchTo(group);
        }
        group.isGone = false;
        if (ofPartials) {
            function.merge(row);
        } else if (accumulate) {
            function.accumulate(row);
        } else {
            function.retract(row);
        }
        if (!lifetime.isForever()) {
            renew(group, accumulate);
        }
        heap.rowAdded();
        return true;
    }

    private void renew(KeyedGroup group, boolean accumulate) throws Exception {
        // Some of what a retraction takes away may have expired. Then something is left of a group
        // that has lost its last row, and must not be part of what comes next.
        if (!accumulate && recordCounter.recordCountIsZero(function.getAccumulators())) {
            function.cleanup();
            function.setAccumulators(function.createAccumulators());
            group.isGone = true;
        }
        // Later than the data views, whose entries must not outlive their accumulator.
        group.lastWrite = lifetime.now();
    }

    private KeyedGroup load(RowData key, boolean accumulate) throws Exception {
        RowData stored = accumulators.get(key);
        if (stored == null && !accumulate) {
            return null;
        }
        held.release();
        currentGroup.accept(key);
        KeyedGroup group =
                new KeyedGroup(
                        key,
                        stored == null,
                        stored == null ? function.createAccumulators() : stored);
        held.set(group);
        group.before = function.getValue();
        groups.put(key, group);
        heap.groupAdded(key);
        return group;
    }

    private void switchTo(KeyedGroup group) throws Exception {
        if (!held.is(group)) {
            held.release();
            // Data views read and write the state of the current group.
            currentGroup.accept(group.key);
            held.set(group);
        }
    }

    /** Groups with rows in the bundle. */
    int groups() {
        return groups.size();
    }

    /** Stores and emits what has changed. */
    public void finish() throws Exception {
        held.release();
        for (KeyedGroup group : groups.values()) {
            finish(group);
        }
        groups.clear();
        heap.clear();
    }

    private void finish(KeyedGroup group) throws Exception {
        currentGroup.accept(group.key);
        function.setAccumulators(group.accumulator);
        if (recordCounter.recordCountIsZero(group.accumulator)) {
            if (!group.isNew) {
                emit(RowKind.DELETE, group.key, group.before);
            }
            accumulators.remove(group.key);
            currentGroup.accept(group.key);
            function.cleanup();
            return;
        }
        RowData after = function.getValue();
        if (group.isNew) {
            emit(RowKind.INSERT, group.key, after);
        } else if (!lifetime.isForever() || !equaliser.equals(group.before, after)) {
            if (generateUpdateBefore) {
                emit(RowKind.UPDATE_BEFORE, group.key, group.before);
            }
            emit(RowKind.UPDATE_AFTER, group.key, after);
        }
        accumulators.put(group.key, group.accumulator, group.lastWrite);
    }

    private void emit(RowKind kind, RowData key, RowData value) {
        result.replace(key, value).setRowKind(kind);
        out.collect(result);
    }

    /** A group that the bundle has touched. */
    private static final class KeyedGroup extends HeldGroup.Group {
        final RowData key;
        final boolean isNew;
        RowData before;
        long lastWrite;

        /** Whether it has lost its last row, and no other has come. */
        boolean isGone;

        KeyedGroup(RowData key, boolean isNew, RowData accumulator) {
            super(accumulator);
            this.key = key;
            this.isNew = isNew;
        }
    }
}
