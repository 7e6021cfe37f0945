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
import io.stateaccel.operators.join.JoinResults;
import io.stateaccel.operators.join.ResultProjection;
import io.stateaccel.views.ViewContext;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.dataview.PerKeyStateDataViewStore;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.util.Collector;

/** Results that are projected and aggregated on the heap, bundle by bundle. */
final class PartialResults implements JoinResults {

    private static final long serialVersionUID = 1L;

    private final MiniBatchJoinLocalAggregateSpec spec;

    private transient ResultProjection projection;
    private transient AggsHandleFunction function;
    private transient LocalAggregation aggregation;

    PartialResults(MiniBatchJoinLocalAggregateSpec spec) {
        this.spec = spec;
    }

    @Override
    public boolean keepsState() {
        return false;
    }

    @Override
    public void open(ViewContext context, Collector<RowData> out) throws Exception {
        projection = ResultProjection.open(spec.calc(), context.runtime());
        function = spec.aggregates().newInstance(context.runtime().getUserCodeClassLoader());
        function.open(new PerKeyStateDataViewStore(context.runtime()));
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
                        (key, accumulator) -> out.collect(partial.replace(key, accumulator)));
    }

    @Override
    public Collector<RowData> collector() {
        RowDataKeySelector groupSelector = KeySelectors.copy(spec.groupSelector());
        return projection.into(row -> aggregation.add(groupSelector.getKey(row), row));
    }

    @Override
    public void finishBundle() throws Exception {
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
    }
}
