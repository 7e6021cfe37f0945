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

import io.stateaccel.metrics.AcceleratorMetrics;
import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.views.aggregate.CachedAccumulators;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.TimestampedCollector;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.dataview.PerKeyStateDataViewStore;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.aggregate.RecordCounter;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * Group aggregate that works on bundles. A row is aggregated when it comes, into the accumulator of
 * its group, which is read at the group's first row of a bundle; a flush emits per group the change
 * from the result before the bundle to the one after it. Between bundles accumulators stay in a
 * bounded write-back cache.
 *
 * <p>Or the second phase of two: what comes are accumulators, which are merged on the heap, and
 * what they come to is merged into the group's at the flush.
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
    private transient CachedAccumulators accumulators;
    private transient GroupAggregation aggregation;

    /** Null where rows are aggregated and not accumulators. */
    @Nullable private transient AggsHandleFunction partialsFunction;

    @Nullable private transient LocalAggregation partials;

    /**
     * @param spec what to aggregate and how
     */
    public CachedGroupAggregateOperator(CachedGroupAggregateSpec spec) {
        super(spec.bundle(), spec.keySelector().getProducedType());
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        super.open();
        keySelector = spec.keySelector().copy();
        ClassLoader userCode = getRuntimeContext().getUserCodeClassLoader();
        function = spec.aggregates().newInstance(userCode);
        function.open(new PerKeyStateDataViewStore(getRuntimeContext()));

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
        aggregation =
                new GroupAggregation(
                        function,
                        spec.partials() != null,
                        spec.equaliser().newInstance(userCode),
                        RecordCounter.of(spec.indexOfCountStar()),
                        spec.generateUpdateBefore(),
                        accumulators,
                        this::setCurrentKey,
                        GroupHeap.unbounded(),
                        new TimestampedCollector<>(output));
        if (spec.partials() != null) {
            partialsFunction = spec.partials().newInstance(userCode);
            partialsFunction.open(new PerKeyStateDataViewStore(getRuntimeContext()));
            partials =
                    new LocalAggregation(
                            partialsFunction,
                            true,
                            spec.bundle().size(),
                            GroupHeap.unbounded(),
                            aggregation::add);
        }
        AcceleratorMetrics.open(acceleratorMetrics(), "aggregate")
                .gauge("accumulatorCacheBytes", accumulators::bytes);
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        RowData row = element.getValue();
        RowData key = keySelector.getKey(row);
        if (partials != null) {
            partials.add(key, row);
            rowAdded(key);
        } else if (aggregation.add(key, row)) {
            rowAdded(key);
        }
    }

    @Override
    protected void finishBundle() throws Exception {
        if (partials != null) {
            partials.finish();
        }
        visited(aggregation.groups(), aggregation.groups());
        aggregation.finish();
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
        if (partialsFunction != null) {
            partialsFunction.close();
        }
        super.close();
    }
}
