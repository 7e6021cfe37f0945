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
import org.apache.calcite.rex.RexNode;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.planner.codegen.FilterCodeGenerator;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecChangelogNormalize;
import org.apache.flink.table.runtime.generated.GeneratedFilterCondition;
import org.apache.flink.table.types.logical.RowType;

/** {@link StreamExecChangelogNormalize}, which from 2.1 on may have a condition. */
public abstract class ChangelogNormalizeNode extends StreamExecChangelogNormalize {

    /** Where compiled plans have it, those of later lines than 2.0. */
    protected static final String CONDITION = "filterCondition";

    @Nullable private final RexNode condition;

    /**
     * @param condition that rows have to meet, null if none
     */
    protected ChangelogNormalizeNode(
            int id,
            ExecNodeContext context,
            ReadableConfig persistedConfig,
            int[] uniqueKeys,
            boolean generateUpdateBefore,
            @Nullable RexNode condition,
            @Nullable List<StateMetadata> states,
            List<InputProperty> inputProperties,
            RowType outputType,
            String description) {
        super(
                id,
                context,
                persistedConfig,
                uniqueKeys,
                generateUpdateBefore,
                states,
                inputProperties,
                outputType,
                description,
                condition);
        this.condition = condition;
    }

    /** What rows have to meet, null if nothing. */
    @Nullable
    protected final GeneratedFilterCondition condition(
            ExecNodeConfig config, ClassLoader classLoader, RowType rowType) {
        return generated(condition, config, classLoader, rowType);
    }

    /**
     * @param condition null if none
     */
    @Nullable
    public static GeneratedFilterCondition generated(
            @Nullable RexNode condition,
            ExecNodeConfig config,
            ClassLoader classLoader,
            RowType rowType) {
        return condition == null
                ? null
                : FilterCodeGenerator.generateFilterCondition(
                        config, classLoader, condition, rowType);
    }
}
