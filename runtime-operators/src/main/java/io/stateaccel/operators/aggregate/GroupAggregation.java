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
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.generated.AggsHandleFunctionBase;
import org.apache.flink.table.runtime.generated.RecordEqualiser;
import org.apache.flink.table.runtime.generated.TableAggsHandleFunction;
import org.apache.flink.table.runtime.operators.aggregate.RecordCounter;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
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
 * <p>Gives the results of Flink's {@code GroupAggFunction}, or of its {@code
 * GroupTableAggFunction}. For the task thread.
 *
 * @param <R> what one group comes to
 */
public final class GroupAggregation<R> {

    private final AggsHandleFunctionBase function;
    private final boolean ofPartials;
    private final GroupResults<R> results;
    private final RecordCounter recordCounter;
    private final Accumulators accumulators;
    private final Lifetime lifetime;
    private final Consumer<RowData> currentGroup;
    private final GroupHeap heap;

    /**
     * In the order in which they came: FIRST_VALUE, or a top-N of rows that tie, takes the first it
     * sees.
     */
    private final Map<RowData, KeyedGroup<R>> groups = new LinkedHashMap<>();

    private final HeldGroup held;

    /** What the group that was loaded last came to before; null where it is new. */
    @Nullable private R loaded;

    private GroupAggregation(
            AggsHandleFunctionBase function,
            boolean ofPartials,
            GroupResults<R> results,
            RecordCounter recordCounter,
            Accumulators accumulators,
            Lifetime lifetime,
            Consumer<RowData> currentGroup,
            GroupHeap heap) {
        this.function = function;
        this.ofPartials = ofPartials;
        this.results = results;
        this.recordCounter = recordCounter;
        this.accumulators = accumulators;
        this.lifetime = lifetime;
        this.currentGroup = currentGroup;
        this.heap = heap;
        this.held = new HeldGroup(function, heap);
    }

    /**
     * A row per group.
     *
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
    public static GroupAggregation<RowData> of(
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
        return new GroupAggregation<>(
                function,
                ofPartials,
                new SingleResults(function, equaliser, generateUpdateBefore, out),
                recordCounter,
                accumulators,
                lifetime,
                currentGroup,
                heap);
    }

    /**
     * The rows that a table aggregate emits of a group.
     *
     * @param function opened
     * @param serializer of what is emitted: the group and the values of a row
     * @param recordCounter tells a group without rows
     * @param accumulators those of all groups
     * @param lifetime of an accumulator, which each row renews; as for a row per group
     * @param currentGroup makes a group the one that data views read and write
     * @param heap bounds the groups
     * @param out gets {@code +I} and {@code -D}
     */
    public static GroupAggregation<List<BinaryRowData>> ofTable(
            TableAggsHandleFunction function,
            RowDataSerializer serializer,
            RecordCounter recordCounter,
            Accumulators accumulators,
            Lifetime lifetime,
            Consumer<RowData> currentGroup,
            GroupHeap heap,
            Collector<RowData> out) {
        return new GroupAggregation<>(
                function,
                false,
                new TableResults(function, serializer, out),
                recordCounter,
                accumulators,
                lifetime,
                currentGroup,
                heap);
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
        boolean counts = accumulate || results.areRetractedFromNothing();
        KeyedGroup<R> group = groups.get(key);
        if (group != null && lifetime.isExpired(group.lastWrite)) {
            finish();
            group = null;
        }
        if (group == null) {
            group = load(key, counts);
            if (group == null) {
                return false;
            }
        } else if (group.isGone && !counts) {
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
        if (!lifetime.isForever() || results.areRetractedFromNothing()) {
            beginAnewIfGone(group, accumulate);
        }
        if (!lifetime.isForever()) {
            // Later than the data views, whose entries must not outlive their accumulator.
            group.lastWrite = lifetime.now();
        }
        heap.rowAdded();
        return true;
    }

    private void beginAnewIfGone(KeyedGroup<R> group, boolean accumulate) throws Exception {
        // Some of what a retraction takes away may have expired. Then something is left of a group
        // that has lost its last row, and must not be part of what comes next. Where rows are
        // retracted from nothing, one that comes may make up for one that was.
        if ((!accumulate || results.areRetractedFromNothing())
                && recordCounter.recordCountIsZero(function.getAccumulators())) {
            function.cleanup();
            function.setAccumulators(function.createAccumulators());
            group.isGone = true;
        }
    }

    @Nullable
    private KeyedGroup<R> load(RowData key, boolean counts) throws Exception {
        RowData stored = accumulators.get(key);
        if (stored == null && !counts) {
            return null;
        }
        held.release();
        currentGroup.accept(key);
        KeyedGroup<R> group =
                new KeyedGroup<>(
                        key,
                        stored == null,
                        stored == null ? function.createAccumulators() : stored);
        held.set(group);
        if (!group.isNew) {
            group.before = results.current(key);
        }
        loaded = group.before;
        groups.put(key, group);
        heap.groupAdded(key);
        return group;
    }

    private void switchTo(KeyedGroup<R> group) throws Exception {
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

    /**
     * About how much heap the result takes that the group had which was added last.
     *
     * @param accumulatorBytes what its accumulator takes
     */
    long resultBytes(long accumulatorBytes) {
        return loaded == null ? 0 : results.heapBytes(loaded, accumulatorBytes);
    }

    /** Stores and emits what has changed. */
    public void finish() throws Exception {
        held.release();
        for (KeyedGroup<R> group : groups.values()) {
            finish(group);
        }
        groups.clear();
        loaded = null;
        heap.clear();
    }

    private void finish(KeyedGroup<R> group) throws Exception {
        currentGroup.accept(group.key);
        function.setAccumulators(group.accumulator);
        if (recordCounter.recordCountIsZero(group.accumulator)) {
            if (!group.isNew) {
                results.deleted(group.key, group.before);
            }
            accumulators.remove(group.key);
            currentGroup.accept(group.key);
            function.cleanup();
            return;
        }
        R after = results.current(group.key);
        if (group.isNew) {
            results.inserted(group.key, after);
        } else {
            results.updated(group.key, group.before, after, !lifetime.isForever());
        }
        accumulators.put(group.key, group.accumulator, group.lastWrite);
    }

    /** A group that the bundle has touched. */
    private static final class KeyedGroup<R> extends HeldGroup.Group {
        final RowData key;
        final boolean isNew;
        @Nullable R before;
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
