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
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecDeduplicate;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecDeduplicate}, whose constructor is told from 2.1 on whether the output is
 * insert-only.
 */
public abstract class DeduplicateNode extends StreamExecDeduplicate {

    /** Where compiled plans have it, those of later lines than 2.0. */
    protected static final String OUTPUT_INSERT_ONLY = "outputInsertOnly";

    protected DeduplicateNode(
            int id,
            ExecNodeContext context,
            ReadableConfig persistedConfig,
            int[] uniqueKeys,
            boolean isRowTime,
            boolean keepLastRow,
            @Nullable Boolean outputInsertOnly,
            boolean generateUpdateBefore,
            @Nullable List<StateMetadata> states,
            List<InputProperty> inputProperties,
            RowType outputType,
            String description) {
        super(
                id,
                context,
                persistedConfig,
                uniqueKeys,
                isRowTime,
                keepLastRow,
                generateUpdateBefore,
                states,
                inputProperties,
                outputType,
                description);
    }
}
