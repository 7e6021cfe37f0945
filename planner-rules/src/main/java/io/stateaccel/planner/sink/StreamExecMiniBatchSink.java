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
import io.stateaccel.operators.sink.MiniBatchSinkMaterializerOperator;
import io.stateaccel.operators.sink.MiniBatchSinkMaterializerSpec;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.BundlingNode;
import io.stateaccel.views.time.TimeToLive;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.annotation.Nullable;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.spec.DynamicTableSinkSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecSink;
import org.apache.flink.table.planner.plan.nodes.exec.utils.ExecNodeUtil;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSink;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * Translates a sink whose upsert materializer works on bundles; stands in for Flink's {@link
 * StreamExecSink}.
 */
final class StreamExecMiniBatchSink extends SinkExecNode implements BundlingNode {

    private final BundleShare bundle;

    StreamExecMiniBatchSink(
            StreamPhysicalSink sink,
            ReadableConfig config,
            DynamicTableSinkSpec table,
            ChangelogMode input,
            BundleShare bundle,
            RowType outputType,
            int[] upsertKey,
            String description) {
        super(sink, config, table, input, outputType, upsertKey, description);
        this.bundle = bundle;
    }

    @Override
    public BundleShare bundle() {
        return bundle;
    }

    @Override
    public void setInputEdges(List<ExecEdge> inputEdges) {
        super.setInputEdges(inputEdges);
        bundle.connected(this);
    }

    @Override
    public String getDescription() {
        return bundle.describe(super.getDescription());
    }

    @Override
    protected Transformation<RowData> applyUpsertMaterialize(
            Transformation<RowData> input,
            int[] primaryKeys,
            int sinkParallelism,
            ExecNodeConfig config,
            ClassLoader classLoader,
            RowType physicalRowType,
            @Nullable int[] inputUpsertKey) {
        final InternalTypeInfo<RowData> rowType = InternalTypeInfo.of(physicalRowType);
        final RowDataKeySelector primaryKey =
                KeySelectorUtil.getRowDataSelector(classLoader, primaryKeys, rowType);
        final boolean hasUpsertKey = inputUpsertKey != null && inputUpsertKey.length > 0;
        final MiniBatchSinkMaterializerSpec spec =
                new MiniBatchSinkMaterializerSpec(
                        rowType,
                        primaryKey,
                        hasUpsertKey
                                ? KeySelectorUtil.getRowDataSelector(
                                        classLoader, inputUpsertKey, rowType)
                                : null,
                        stateName(),
                        mayExpire()
                                ? TimeToLive.ofMillis(config.getStateRetentionTime())
                                : TimeToLive.FOREVER,
                        bundle.settings(getOutputType()));

        // What Flink's has, by which users and metrics know it.
        final OneInputTransformation<RowData, RowData> materializer =
                ExecNodeUtil.createOneInputTransformation(
                        input,
                        createTransformationMeta(
                                UPSERT_MATERIALIZE_TRANSFORMATION,
                                "SinkMaterializer(pk=[%s])"
                                        .formatted(namesOf(primaryKeys, physicalRowType)),
                                "SinkMaterializer",
                                config),
                        new MiniBatchSinkMaterializerOperator(spec),
                        input.getOutputType(),
                        sinkParallelism,
                        sinkParallelismConfigured);
        materializer.setStateKeySelector(primaryKey);
        materializer.setStateKeyType(primaryKey.getProducedType());
        return materializer;
    }

    private static String namesOf(int[] columns, RowType type) {
        return IntStream.of(columns)
                .mapToObj(column -> type.getFieldNames().get(column))
                .collect(Collectors.joining(", "));
    }
}
