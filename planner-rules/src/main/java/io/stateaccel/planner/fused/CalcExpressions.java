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
package io.stateaccel.planner.fused;

import java.util.List;
import javax.annotation.Nullable;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.rex.RexProgram;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonInclude;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;

/**
 * A projection and a filter, each expression by the columns of the input.
 *
 * @param condition null where every row passes
 */
public record CalcExpressions(
        @JsonProperty("projection") List<RexNode> projection,
        @Nullable @JsonProperty("condition") @JsonInclude(JsonInclude.Include.NON_NULL)
                RexNode condition) {

    public static CalcExpressions of(RexProgram program) {
        return new CalcExpressions(
                program.getProjectList().stream().map(program::expandLocalRef).toList(),
                program.getCondition() == null
                        ? null
                        : program.expandLocalRef(program.getCondition()));
    }
}
