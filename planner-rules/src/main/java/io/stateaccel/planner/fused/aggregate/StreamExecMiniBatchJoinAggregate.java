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
package io.stateaccel.planner.fused.aggregate;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.MiniBatchJoinSpec;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinAggregateOperator;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinAggregateSpec;
import io.stateaccel.planner.aggregate.AggregateTtl;
import io.stateaccel.planner.aggregate.GroupAggregateFunctions;
import io.stateaccel.planner.fused.JoinProjection;
import io.stateaccel.planner.join.MiniBatchJoinInputs;
import io.stateaccel.planner.join.StreamExecMiniBatchJoinBase;
import javax.annotation.Nullable;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * Translates a join and the group aggregate above it into one operator; stands in for Flink's join,
 * calc, exchange and aggregate.
 */
public final class StreamExecMiniBatchJoinAggregate extends StreamExecMiniBatchJoinBase {

    private final JoinProjection projection;
    private final Aggregation aggregation;

    /**
     * The aggregate, by the columns of what is aggregated.
     *
     * @param needRetraction whether rows may be retracted
     * @param stateTtlFromHint of the aggregate in milliseconds
     */
    public record Aggregation(
            int[] grouping,
            AggregateCall[] aggCalls,
            boolean[] aggCallNeedRetractions,
            boolean needRetraction,
            boolean generateUpdateBefore,
            @Nullable Long stateTtlFromHint) {

        /** Even where nothing is to be cached, groups are to be there for some rows. */
        private static final long LEAST_HEAP_BYTES = 1 << 20;

        /** What groups may take while the results of a join are aggregated. */
        static long heapBytes(ReadableConfig config) {
            return Math.max(
                    LEAST_HEAP_BYTES,
                    config.get(StateAccelOptions.AGGREGATE_CACHE_SIZE).getBytes());
        }
    }

    public StreamExecMiniBatchJoinAggregate(
            ReadableConfig tableConfig,
            MiniBatchJoinInputs join,
            JoinProjection projection,
            Aggregation aggregation,
            RowType outputType,
            String description) {
        super(tableConfig, join, outputType, description);
        this.projection = projection;
        this.aggregation = aggregation;
    }

    @Override
    protected MiniBatchJoinOperator operator(
            PlannerBase planner, ExecNodeConfig config, MiniBatchJoinSpec joinSpec) {
        final ClassLoader classLoader = planner.getFlinkContext().getClassLoader();
        final RowType aggregatedType = projection.outputType();
        final GroupAggregateFunctions functions =
                GroupAggregateFunctions.ofRows(
                        planner,
                        config,
                        aggregatedType,
                        aggregation.aggCalls(),
                        aggregation.aggCallNeedRetractions(),
                        aggregation.needRetraction());
        return new MiniBatchJoinAggregateOperator(
                new MiniBatchJoinAggregateSpec(
                        joinSpec,
                        projection.generate(config, classLoader),
                        KeySelectorUtil.getRowDataSelector(
                                classLoader,
                                aggregation.grouping(),
                                InternalTypeInfo.of(aggregatedType)),
                        functions.generated(),
                        functions.equaliser(classLoader),
                        functions.accumulatorTypes(),
                        functions.aggregates().getIndexOfCountStar(),
                        aggregation.generateUpdateBefore(),
                        AggregateTtl.of(aggregation.stateTtlFromHint(), config),
                        Aggregation.heapBytes(config)));
    }
}
