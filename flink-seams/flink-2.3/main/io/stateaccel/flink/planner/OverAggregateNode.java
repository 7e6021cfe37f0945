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
import javax.annotation.Nullable;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.spec.OverSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecOverAggregate;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecOverAggregate}, which from 2.1 on has several ways to aggregate without a bound.
 */
public abstract class OverAggregateNode extends StreamExecOverAggregate {

    /** Where compiled plans have it, those of later lines than 2.0. */
    protected static final String UNBOUNDED_VERSION = "unboundedOverVersion";

    /**
     * @param unboundedVersion which way, null for the one that all lines have
     */
    protected OverAggregateNode(
            int id,
            ExecNodeContext context,
            ReadableConfig persistedConfig,
            OverSpec over,
            @Nullable Integer unboundedVersion,
            List<InputProperty> inputProperties,
            RowType outputType,
            String description) {
        super(
                id,
                context,
                persistedConfig,
                over,
                inputProperties,
                outputType,
                description,
                unboundedVersion);
    }

    /** The way that a session wants. */
    @Nullable
    protected static Integer unboundedVersion(ReadableConfig config) {
        return config.get(ExecutionConfigOptions.UNBOUNDED_OVER_VERSION);
    }
}
