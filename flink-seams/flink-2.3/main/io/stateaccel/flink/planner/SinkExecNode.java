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
package io.stateaccel.flink.planner;

import javax.annotation.Nullable;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.api.config.ExecutionConfigOptions.SinkUpsertMaterializeStrategy;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.spec.DynamicTableSinkSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecSink;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSink;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * {@link StreamExecSink} with an upsert materializer, which from 2.2 on keeps rows in one of
 * several ways, and from 2.3 on may be told what to do about conflicting rows.
 */
public abstract class SinkExecNode extends StreamExecSink {

    /** Null for the one that all lines have. */
    @Nullable private final SinkUpsertMaterializeStrategy strategy;

    /**
     * @param sink the node to translate
     * @param config of the session
     * @param table that is written to
     * @param input the changes that are written
     * @param upsertKey what the changes know a row by, null where that is all of it
     */
    protected SinkExecNode(
            StreamPhysicalSink sink,
            ReadableConfig config,
            DynamicTableSinkSpec table,
            ChangelogMode input,
            LogicalType outputType,
            int[] upsertKey,
            String description) {
        super(
                config,
                table,
                input,
                InputProperty.DEFAULT,
                outputType,
                true,
                strategyOf(config),
                upsertKey,
                sink.conflictStrategy(),
                description);
        this.strategy = strategyOf(config);
    }

    @Nullable
    private static SinkUpsertMaterializeStrategy strategyOf(ReadableConfig config) {
        return config.getOptional(
                        ExecutionConfigOptions.TABLE_EXEC_SINK_UPSERT_MATERIALIZE_STRATEGY)
                .filter(strategy -> strategy != SinkUpsertMaterializeStrategy.LEGACY)
                .orElse(null);
    }

    /** Whether what Flink's operator keeps may expire. */
    protected final boolean mayExpire() {
        return strategy == null;
    }

    /** The name of a state of Flink's operator. */
    protected final String stateName() {
        if (strategy == null) {
            return "values";
        }
        return strategy == SinkUpsertMaterializeStrategy.MAP ? "rowToSqnState" : "list";
    }
}
