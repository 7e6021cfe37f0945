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
import io.stateaccel.operators.aggregate.GroupHeap;
import io.stateaccel.operators.aggregate.LocalAggregation;
import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.ResultProjection;
import org.apache.flink.streaming.api.operators.TimestampedCollector;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.dataview.PerKeyStateDataViewStore;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.util.Collector;

/**
 * A join that emits, per bundle and group of the aggregate above it, one row (more where the groups
 * of a bundle take more heap than they may) with the grouping key and what the results of the
 * bundle come to there, for the aggregate to merge. So an exchange carries a row per group instead
 * of one per result, and a group that all tasks have results for does not make one of them the
 * bottleneck.
 *
 * <p>Nothing is kept from one bundle to the next but the rows of the join.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class MiniBatchJoinLocalAggregateOperator extends MiniBatchJoinOperator {

    private static final long serialVersionUID = 1L;

    private final MiniBatchJoinLocalAggregateSpec spec;

    private transient ResultProjection projection;
    private transient AggsHandleFunction function;
    private transient LocalAggregation aggregation;

    /**
     * @param spec what to join and aggregate, and how
     */
    public MiniBatchJoinLocalAggregateOperator(MiniBatchJoinLocalAggregateSpec spec) {
        super(OperatorKind.JOIN_LOCAL_AGGREGATE, spec.join());
        this.spec = spec;
    }

    @Override
    public void open() throws Exception {
        projection = ResultProjection.open(spec.calc(), getRuntimeContext());
        function = spec.aggregates().newInstance(getRuntimeContext().getUserCodeClassLoader());
        function.open(new PerKeyStateDataViewStore(getRuntimeContext()));
        Collector<RowData> partials = new TimestampedCollector<>(output);
        JoinedRowData partial = new JoinedRowData();
        aggregation =
                new LocalAggregation(
                        function,
                        false,
                        spec.join().bundle().size(),
                        new GroupHeap(
                                spec.accumulatorTypes(),
                                spec.heapBytes(),
                                spec.join().bundle().size()),
                        (key, accumulator) -> partials.collect(partial.replace(key, accumulator)));
        super.open();
    }

    @Override
    protected Collector<RowData> results() {
        RowDataKeySelector groupSelector = KeySelectors.copy(spec.groupSelector());
        return projection.into(row -> aggregation.add(groupSelector.getKey(row), row));
    }

    @Override
    protected void finishBundle() throws Exception {
        super.finishBundle();
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
