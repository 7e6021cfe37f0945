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

import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.metrics.AcceleratorMetrics;
import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.views.aggregate.Accumulators;
import io.stateaccel.views.aggregate.CachedAccumulators;
import io.stateaccel.views.distinct.DistinctViews;
import io.stateaccel.views.time.AgedValue;
import io.stateaccel.views.time.Lifetime;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.generated.AggsHandleFunctionBase;
import org.apache.flink.table.runtime.generated.TableAggsHandleFunction;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.aggregate.RecordCounter;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/**
 * Group aggregate that works on bundles. A row is aggregated when it comes, into the accumulator of
 * its group, which is read at the group's first row of a bundle; a flush emits per group the change
 * from the result before the bundle to the one after it. Between bundles accumulators stay in a
 * bounded write-back cache.
 *
 * <p>Or the second phase of two: what comes are accumulators, which are merged on the heap, and
 * what they come to is merged into the group's at the flush.
 *
 * <p>Takes the place of Flink's {@code GroupAggFunction}, of {@code GroupTableAggFunction} and,
 * with rows not buffered, of {@code MiniBatchGroupAggFunction}, whose results it gives. State names
 * and layout are theirs, but for {@linkplain DistinctViews the values of DISTINCT}.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class CachedGroupAggregateOperator extends BundlingOperator
        implements OneInputStreamOperator<RowData, RowData> {

    private static final long serialVersionUID = 1L;

    private final CachedGroupAggregateSpec spec;

    private transient RowDataKeySelector keySelector;
    private transient AggsHandleFunctionBase function;
    private transient CachedAccumulators accumulators;
    private transient GroupAggregation<?> aggregation;
    private transient boolean accumulatorsGrow;

    /** Of the accumulator that was read last. */
    private transient long readBytes;

    /** Null where rows are aggregated and not accumulators. */
    @Nullable private transient AggsHandleFunction partialsFunction;

    @Nullable private transient LocalAggregation partials;

    /**
     * @param spec what to aggregate and how
     */
    public CachedGroupAggregateOperator(CachedGroupAggregateSpec spec) {
        super(OperatorKind.GROUP_AGGREGATE, spec.bundle(), spec.keySelector().getProducedType());
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        super.open();
        keySelector = KeySelectors.copy(spec.keySelector());
        ClassLoader userCode = getRuntimeContext().getUserCodeClassLoader();
        function = spec.aggregates().newInstance(userCode);
        function.open(dataViews());

        accumulatorsGrow =
                !Stream.of(spec.accumulatorTypes()).allMatch(BinaryRowData::isInFixedLengthPart);
        InternalTypeInfo<RowData> accumulatorType =
                InternalTypeInfo.ofFields(spec.accumulatorTypes());
        Lifetime lifetime = lifetime(spec.ttl());
        AgedValue<VoidNamespace, RowData> state =
                AgedValue.open(
                        getKeyedStateBackend(),
                        VoidNamespaceSerializer.INSTANCE,
                        "accState",
                        accumulatorType.toRowSerializer(),
                        lifetime);
        state.setCurrentNamespace(VoidNamespace.INSTANCE);
        accumulators =
                new CachedAccumulators(
                        state,
                        accumulatorType.toRowSerializer(),
                        this::setCurrentKey,
                        lifetime,
                        spec.cacheBytes());
        aggregation = aggregation(lifetime, userCode);
        if (spec.partials() != null) {
            partialsFunction = spec.partials().newInstance(userCode);
            partialsFunction.open(dataViews());
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
        int groups = groups();
        if (partials != null) {
            partials.add(key, row);
        } else if (!aggregation.add(key, row)) {
            return;
        }
        rowAdded(key, grownBy(key, row, groups() > groups));
    }

    private GroupAggregation<?> aggregation(Lifetime lifetime, ClassLoader userCode) {
        RecordCounter recordCounter = RecordCounter.of(spec.indexOfCountStar());
        if (spec.tableType() != null) {
            return GroupAggregation.ofTable(
                    (TableAggsHandleFunction) function,
                    new RowDataSerializer(spec.tableType()),
                    recordCounter,
                    new Read(),
                    lifetime,
                    this::setCurrentKey,
                    GroupHeap.unbounded(),
                    collector());
        }
        return GroupAggregation.of(
                (AggsHandleFunction) function,
                spec.partials() != null,
                spec.equaliser().newInstance(userCode),
                recordCounter,
                spec.generateUpdateBefore(),
                new Read(),
                lifetime,
                this::setCurrentKey,
                GroupHeap.unbounded(),
                collector());
    }

    private DistinctViews dataViews() {
        return new DistinctViews(viewContext(true), spec.ttl(), spec.packDistinct());
    }

    private int groups() {
        return partials != null ? partials.groups() : aggregation.groups();
    }

    /**
     * By how many bytes the heap has grown, at most. Accumulators that may grow are taken to grow
     * by each row; to look at them would cost more than a bundle that ends early.
     */
    private long grownBy(RowData key, RowData row, boolean isNew) {
        long bytes = accumulatorsGrow ? HeapBytes.ofValues(row) : 0;
        if (isNew) {
            long accumulator = HeapBytes.ofFields(spec.accumulatorTypes().length) + readBytes;
            bytes += HeapBytes.ofKey(key) + accumulator + aggregation.resultBytes(accumulator);
            readBytes = 0;
        }
        return bytes;
    }

    /** What it reads comes to the heap as long as a bundle lasts. */
    private final class Read implements Accumulators {

        @Override
        @Nullable
        public RowData get(RowData key) throws Exception {
            RowData accumulator = accumulators.get(key);
            readBytes = accumulator == null ? 0 : HeapBytes.ofValues(accumulator);
            return accumulator;
        }

        @Override
        public void put(RowData key, RowData accumulator, long lastWrite) throws Exception {
            accumulators.put(key, accumulator, lastWrite);
        }

        @Override
        public void remove(RowData key) throws Exception {
            accumulators.remove(key);
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
