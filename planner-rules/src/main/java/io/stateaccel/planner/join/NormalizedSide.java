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
package io.stateaccel.planner.join;

import io.stateaccel.flink.planner.ChangelogNormalizeNode;
import io.stateaccel.operators.join.normalize.NormalizedInput;
import javax.annotation.Nullable;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonInclude;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.table.planner.codegen.EqualiserCodeGenerator;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.types.logical.RowType;

/**
 * How a join normalises an input. Compiled plans have it.
 *
 * @param updatesBefore whether the join is to see a {@code -U} before each {@code +U}
 * @param condition that rows have to meet, null if none
 */
public record NormalizedSide(
        @JsonProperty("updatesBefore") boolean updatesBefore,
        @Nullable @JsonProperty("filterCondition") @JsonInclude(JsonInclude.Include.NON_NULL)
                RexNode condition) {

    NormalizedInput input(RowType type, ExecNodeConfig config, ClassLoader classLoader) {
        return new NormalizedInput(
                updatesBefore,
                ChangelogNormalizeNode.generated(condition, config, classLoader, type),
                new EqualiserCodeGenerator(type, classLoader)
                        .generateRecordEqualiser("NormalizedInputEqualiser"));
    }
}
