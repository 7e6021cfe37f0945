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

import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.api.config.ExecutionConfigOptions.SinkUpsertMaterializeStrategy;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.spec.DynamicTableSinkSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecSink;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSink;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * {@link StreamExecSink} with an upsert materializer, which from 2.2 on keeps rows in one of
 * several ways, and from 2.3 on may be told what to do about conflicting rows.
 */
public abstract class SinkExecNode extends StreamExecSink {

    /** Where compiled plans have it, those of later lines than 2.1. */
    protected static final String STRATEGY = "upsertMaterializeStrategy";

    /** Where compiled plans have it, those of later lines than 2.2. */
    protected static final String CONFLICTS = "conflictStrategy";

    /** Null for the one that all lines have. */
    @Nullable private final SinkUpsertMaterializeStrategy strategy;

    /**
     * @param table that is written to
     * @param input the changes that are written
     * @param strategy as in compiled plans, null for the one that all lines have
     * @param upsertKey what the changes know a row by, null where that is all of it
     * @param conflicts as in compiled plans, null where nothing is said of them
     */
    protected SinkExecNode(
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
                strategyOf(strategy),
                states,
                upsertKey,
                inputProperties,
                outputType,
                description);
        this.strategy = strategyOf(strategy);
    }

    @Nullable
    private static SinkUpsertMaterializeStrategy strategyOf(@Nullable String strategy) {
        return strategy == null ? null : SinkUpsertMaterializeStrategy.valueOf(strategy);
    }

    /** Whether rows wait for a watermark to tell which of them are in conflict: not before 2.3. */
    protected final boolean waitsForWatermarks() {
        return false;
    }

    /** Whether rows that are in conflict fail the job: not before 2.3. */
    protected final boolean failsOnConflict() {
        return false;
    }

    /** The strategy of a session, as {@link #STRATEGY} has it. */
    @Nullable
    protected static String strategyOf(ReadableConfig config) {
        return config.getOptional(
                        ExecutionConfigOptions.TABLE_EXEC_SINK_UPSERT_MATERIALIZE_STRATEGY)
                .filter(strategy -> strategy != SinkUpsertMaterializeStrategy.LEGACY)
                .map(SinkUpsertMaterializeStrategy::name)
                .orElse(null);
    }

    /** What a sink does about conflicting rows, as {@link #CONFLICTS} has it. */
    @Nullable
    protected static Map<String, String> conflictsOf(StreamPhysicalSink sink) {
        return null;
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
