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
package io.stateaccel.planner.aggregate;

import io.stateaccel.config.StateAccelOptions;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupAggregateBase;
import org.apache.flink.table.planner.plan.utils.AggregateUtil;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;

/**
 * A group aggregate, by the columns of what is aggregated. Compiled plans have it where it is one
 * with a join.
 *
 * @param needRetraction whether rows may be retracted
 */
public record Aggregation(
        @JsonProperty("grouping") int[] grouping,
        @JsonProperty("aggCalls") AggregateCall[] aggCalls,
        @JsonProperty("aggCallNeedRetractions") boolean[] aggCallNeedRetractions,
        @JsonProperty("needRetraction") boolean needRetraction,
        @JsonProperty("generateUpdateBefore") boolean generateUpdateBefore) {

    /** Where compiled plans have it. */
    public static final String FIELD_NAME = "aggregation";

    /** Even where nothing is to be cached, groups are to be there for some rows. */
    private static final long LEAST_HEAP_BYTES = 1 << 20;

    /** That of a node, by the changes of its input. */
    static Aggregation of(StreamPhysicalGroupAggregateBase aggregate) {
        return new Aggregation(
                aggregate.grouping(),
                JavaScalaConversionUtil.toJava(aggregate.aggCalls()).toArray(AggregateCall[]::new),
                AggregateUtil.deriveAggCallNeedRetractions(
                        aggregate, aggregate.grouping().length, aggregate.aggCalls()),
                !ChangelogPlanUtils.inputInsertOnly(aggregate),
                ChangelogPlanUtils.generateUpdateBefore(aggregate));
    }

    /** What groups may take while the results of a join are aggregated. */
    public static long heapBytes(ReadableConfig config) {
        return Math.max(
                LEAST_HEAP_BYTES, config.get(StateAccelOptions.AGGREGATE_CACHE_SIZE).getBytes());
    }
}
