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
package io.stateaccel.planner.sink;

import io.stateaccel.flink.planner.SinkExecNode;
import io.stateaccel.planner.compiled.CompiledNode;
import io.stateaccel.views.time.TimeToLive;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.spec.DynamicTableSinkSpec;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/** Translates a sink with an upsert materializer of ours. */
abstract class MaterializingSinkExecNode extends SinkExecNode {

    @Nullable private final List<StateMetadata> states;

    /** As {@link SinkExecNode}, of a sink that has a materializer. */
    MaterializingSinkExecNode(
            int id,
            ExecNodeContext context,
            ReadableConfig persistedConfig,
            DynamicTableSinkSpec table,
            ChangelogMode input,
            boolean upsertMaterialize,
            @Nullable String strategy,
            @Nullable List<StateMetadata> states,
            int[] upsertKey,
            @Nullable Map<String, String> conflicts,
            List<InputProperty> inputProperties,
            LogicalType outputType,
            String description) {
        super(
                id,
                context,
                persistedConfig,
                table,
                input,
                upsertMaterialize,
                strategy,
                states,
                upsertKey,
                conflicts,
                inputProperties,
                outputType,
                description);
        this.states = states;
    }

    @Override
    protected final Transformation<Object> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        CompiledNode.translating(planner, config);
        return super.translateToPlanInternal(planner, config);
    }

    final TimeToLive timeToLive(ExecNodeConfig config) {
        return CompiledNode.timeToLive(states, config);
    }

    /** Has an operator of ours under what Flink's has, by which users and metrics know it. */
    final Transformation<RowData> materializer(
            Transformation<RowData> input,
            OneInputStreamOperator<RowData, RowData> operator,
            RowDataKeySelector primaryKey,
            RowType primaryKeyType,
            int sinkParallelism,
            ExecNodeConfig config) {
        final OneInputTransformation<RowData, RowData> materializer =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(
                                UPSERT_MATERIALIZE_TRANSFORMATION,
                                "SinkMaterializer(pk=[%s])"
                                        .formatted(
                                                String.join(", ", primaryKeyType.getFieldNames())),
                                "SinkMaterializer",
                                config),
                        operator,
                        input.getOutputType(),
                        sinkParallelism,
                        sinkParallelismConfigured);
        materializer.setStateKeySelector(primaryKey);
        materializer.setStateKeyType(primaryKey.getProducedType());
        return materializer;
    }

    static RowType project(RowType type, int[] columns) {
        return new RowType(
                type.isNullable(), IntStream.of(columns).mapToObj(type.getFields()::get).toList());
    }
}
