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
import io.stateaccel.operators.join.JoinResults;
import io.stateaccel.operators.join.ResultProjection;
import io.stateaccel.views.ViewContext;
import io.stateaccel.views.aggregate.KeyedAccumulators;
import io.stateaccel.views.distinct.DistinctViews;
import io.stateaccel.views.layout.StateLayout;
import io.stateaccel.views.time.Lifetime;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.aggregate.RecordCounter;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.util.Collector;

/** Results that are projected and aggregated, key by key of the join. */
final class AggregatedResults implements JoinResults {

    private static final long serialVersionUID = 1L;

    private static final String ACCUMULATORS = "accState";

    private final MiniBatchJoinAggregateSpec spec;

    private transient ResultProjection projection;
    private transient AggsHandleFunction function;
    private transient GroupAggregation<RowData> aggregation;

    AggregatedResults(MiniBatchJoinAggregateSpec spec) {
        this.spec = spec;
    }

    @Override
    public boolean keepsState() {
        return true;
    }

    @Override
    public void open(ViewContext context, Collector<RowData> out) throws Exception {
        ClassLoader userCode = context.runtime().getUserCodeClassLoader();
        projection = ResultProjection.open(spec.calc(), context.runtime());
        function = spec.aggregates().newInstance(userCode);
        function.open(new DistinctViews(context, spec.ttl(), spec.packDistinct()));
        Lifetime lifetime = context.lifetime(spec.ttl());
        KeyedAccumulators accumulators =
                context.layouts()
                        .open(
                                ACCUMULATORS,
                                StateLayout.GROUP_ACCUMULATORS,
                                () ->
                                        new KeyedAccumulators(
                                                context.backend(),
                                                ACCUMULATORS,
                                                spec.groupSelector().getProducedType(),
                                                InternalTypeInfo.ofFields(spec.accumulatorTypes()),
                                                lifetime));
        aggregation =
                GroupAggregation.of(
                        function,
                        false,
                        spec.equaliser().newInstance(userCode),
                        RecordCounter.of(spec.indexOfCountStar()),
                        spec.generateUpdateBefore(),
                        accumulators,
                        lifetime,
                        // Data views are those of the join key, which is the current one.
                        group -> {},
                        new GroupHeap(
                                spec.accumulatorTypes(),
                                spec.heapBytes(),
                                spec.join().bundle().size()),
                        out);
    }

    @Override
    public Collector<RowData> collector() {
        RowDataKeySelector groupSelector = KeySelectors.copy(spec.groupSelector());
        return projection.into(row -> aggregation.add(groupSelector.getKey(row), row));
    }

    @Override
    public void finishKey() throws Exception {
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
