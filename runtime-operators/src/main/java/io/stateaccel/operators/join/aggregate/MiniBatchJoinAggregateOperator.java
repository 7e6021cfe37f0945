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
package io.stateaccel.operators.join.aggregate;

import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.operators.aggregate.GroupAggregation;
import io.stateaccel.operators.aggregate.GroupHeap;
import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.ResultProjection;
import io.stateaccel.views.aggregate.KeyedAccumulators;
import io.stateaccel.views.layout.StateLayout;
import org.apache.flink.streaming.api.operators.TimestampedCollector;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.dataview.PerKeyStateDataViewStore;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.aggregate.RecordCounter;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.util.Collector;

/**
 * A join and the group aggregate above it in one operator, where every group lies within one join
 * key: the results of the join are projected and aggregated as they come, without an exchange, a
 * serialisation and a changelog in between, and the accumulators lie beside the rows of the join
 * key.
 *
 * <p>Gives the results of {@link MiniBatchJoinOperator}, Flink's calc and {@code GroupAggFunction}
 * one after the other. Of what the bundle changes in a group only the last is emitted, unless a
 * join key has more groups than the heap may hold: these are worked off while the key is joined,
 * and a group whose row is taken away in one part and comes back in another is seen without it.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class MiniBatchJoinAggregateOperator extends MiniBatchJoinOperator {

    private static final long serialVersionUID = 1L;

    private static final String ACCUMULATORS = "accState";

    private final MiniBatchJoinAggregateSpec spec;

    private transient ResultProjection projection;
    private transient AggsHandleFunction function;
    private transient GroupAggregation aggregation;

    /**
     * @param spec what to join and aggregate, and how
     */
    public MiniBatchJoinAggregateOperator(MiniBatchJoinAggregateSpec spec) {
        super(OperatorKind.JOIN_AGGREGATE, spec.join());
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        ClassLoader userCode = getRuntimeContext().getUserCodeClassLoader();
        projection = ResultProjection.open(spec.calc(), getRuntimeContext());
        function = spec.aggregates().newInstance(userCode);
        super.open();
        // The state needs the backend, which is there by now.
        function.open(new PerKeyStateDataViewStore(getRuntimeContext()));
        aggregation =
                new GroupAggregation(
                        function,
                        false,
                        spec.equaliser().newInstance(userCode),
                        RecordCounter.of(spec.indexOfCountStar()),
                        spec.generateUpdateBefore(),
                        layouts()
                                .open(
                                        ACCUMULATORS,
                                        StateLayout.GROUP_ACCUMULATORS,
                                        () ->
                                                new KeyedAccumulators(
                                                        this.<RowData>getKeyedStateBackend(),
                                                        ACCUMULATORS,
                                                        spec.groupSelector().getProducedType(),
                                                        InternalTypeInfo.ofFields(
                                                                spec.accumulatorTypes()))),
                        // Data views are those of the join key, which is the current one.
                        group -> {},
                        new GroupHeap(
                                spec.accumulatorTypes(),
                                spec.heapBytes(),
                                spec.join().bundle().size()),
                        new TimestampedCollector<>(output));
    }

    @Override
    protected Collector<RowData> results() {
        RowDataKeySelector groupSelector = KeySelectors.copy(spec.groupSelector());
        return projection.into(row -> aggregation.add(groupSelector.getKey(row), row));
    }

    @Override
    protected boolean keepsRowsOnly() {
        return false;
    }

    @Override
    protected void finishKey() throws Exception {
        aggregation.finish();
    }

    @Override
    public void close() throws Exception {
        if (projection != null) {
            projection.close();
        }
        if (function != null) {
            function.close();
        }
        super.close();
    }
}
