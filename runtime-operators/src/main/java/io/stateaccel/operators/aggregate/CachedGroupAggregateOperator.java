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

import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.views.aggregate.CachedAccumulators;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.TimestampedCollector;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.dataview.PerKeyStateDataViewStore;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.generated.RecordEqualiser;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.aggregate.RecordCounter;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.types.RowKind;

/**
 * Group aggregate that works on bundles. A row is aggregated when it comes, into the accumulator of
 * its group, which is read at the group's first row of a bundle; a flush emits per group the change
 * from the result before the bundle to the one after it. Between bundles accumulators stay in a
 * bounded write-back cache.
 *
 * <p>Takes the place of Flink's {@code GroupAggFunction} and, with rows not buffered, of {@code
 * MiniBatchGroupAggFunction}, whose results it gives. State names and layout are theirs.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class CachedGroupAggregateOperator extends BundlingOperator
        implements OneInputStreamOperator<RowData, RowData> {

    private static final long serialVersionUID = 1L;

    private final CachedGroupAggregateSpec spec;

    private transient RowDataKeySelector keySelector;
    private transient AggsHandleFunction function;
    private transient RecordEqualiser equaliser;
    private transient RecordCounter recordCounter;
    private transient CachedAccumulators accumulators;

    private transient Map<RowData, Group> bundle;

    /** The group whose accumulator the function holds. */
    private transient Group loaded;

    private transient JoinedRowData result;
    private transient TimestampedCollector<RowData> collector;

    /**
     * @param spec what to aggregate and how
     */
    public CachedGroupAggregateOperator(CachedGroupAggregateSpec spec) {
        super(spec.bundle());
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        super.open();
        keySelector = spec.keySelector().copy();
        ClassLoader userCode = getRuntimeContext().getUserCodeClassLoader();
        function = spec.aggregates().newInstance(userCode);
        function.open(new PerKeyStateDataViewStore(getRuntimeContext()));
        equaliser = spec.equaliser().newInstance(userCode);
        recordCounter = RecordCounter.of(spec.indexOfCountStar());

        InternalTypeInfo<RowData> accumulatorType =
                InternalTypeInfo.ofFields(spec.accumulatorTypes());
        ValueState<RowData> state =
                getRuntimeContext()
                        .getState(new ValueStateDescriptor<>("accState", accumulatorType));
        accumulators =
                new CachedAccumulators(
                        state,
                        accumulatorType.toRowSerializer(),
                        this::setCurrentKey,
                        spec.cacheBytes());

        bundle = new HashMap<>();
        result = new JoinedRowData();
        collector = new TimestampedCollector<>(output);
        getMetricGroup().gauge("accumulatorCacheBytes", accumulators::bytes);
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        RowData row = element.getValue();
        RowData key = keySelector.getKey(row);
        boolean accumulate = RowDataUtil.isAccumulateMsg(row);
        Group group = bundle.get(key);
        if (group == null) {
            group = load(key, accumulate);
            if (group == null) {
                return;
            }
        } else {
            switchTo(group);
        }
        if (accumulate) {
            function.accumulate(row);
        } else {
            function.retract(row);
        }
        rowAdded();
    }

    /**
     * Brings a group into the bundle.
     *
     * @return null when there is nothing to retract from: the group is unknown, as after its state
     *     was cleared
     */
    private Group load(RowData key, boolean accumulate) throws Exception {
        RowData stored = accumulators.get(key);
        if (stored == null && !accumulate) {
            return null;
        }
        unload();
        Group group = new Group(key, stored == null);
        setCurrentKey(key);
        function.setAccumulators(stored == null ? function.createAccumulators() : stored);
        group.before = function.getValue();
        loaded = group;
        bundle.put(key, group);
        return group;
    }

    private void switchTo(Group group) throws Exception {
        if (loaded == group) {
            return;
        }
        unload();
        // Data views read and write the state of the current key.
        setCurrentKey(group.key);
        function.setAccumulators(group.accumulator);
        loaded = group;
    }

    private void unload() throws Exception {
        if (loaded != null) {
            loaded.accumulator = function.getAccumulators();
            loaded = null;
        }
    }

    @Override
    protected void finishBundle() throws Exception {
        unload();
        for (Group group : bundle.values()) {
            finish(group);
        }
        bundle.clear();
    }

    private void finish(Group group) throws Exception {
        setCurrentKey(group.key);
        function.setAccumulators(group.accumulator);
        if (recordCounter.recordCountIsZero(group.accumulator)) {
            if (!group.isNew) {
                emit(RowKind.DELETE, group.key, group.before);
            }
            accumulators.remove(group.key);
            setCurrentKey(group.key);
            function.cleanup();
            return;
        }
        RowData after = function.getValue();
        if (group.isNew) {
            emit(RowKind.INSERT, group.key, after);
        } else if (!equaliser.equals(group.before, after)) {
            if (spec.generateUpdateBefore()) {
                emit(RowKind.UPDATE_BEFORE, group.key, group.before);
            }
            emit(RowKind.UPDATE_AFTER, group.key, after);
        }
        accumulators.put(group.key, group.accumulator);
    }

    private void emit(RowKind kind, RowData key, RowData value) {
        result.replace(key, value).setRowKind(kind);
        collector.collect(result);
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        accumulators.writeBack();
    }

    @Override
    public void close() throws Exception {
        if (function != null) {
            function.close();
        }
        super.close();
    }

    /** A group that the bundle has touched. */
    private static final class Group {
        final RowData key;
        final boolean isNew;
        RowData before;
        RowData accumulator;

        Group(RowData key, boolean isNew) {
            this.key = key;
            this.isNew = isNew;
        }
    }
}
