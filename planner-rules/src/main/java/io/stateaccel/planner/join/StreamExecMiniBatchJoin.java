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

import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.MiniBatchJoinSpec;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecJoin;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecJoin} that makes a {@link MiniBatchJoinOperator}. The transformation has the
 * inputs, parallelism, key and identifiers of the stock one. Never part of a compiled plan.
 */
public final class StreamExecMiniBatchJoin extends StreamExecMiniBatchJoinBase {

    public StreamExecMiniBatchJoin(
            ReadableConfig tableConfig,
            MiniBatchJoinInputs join,
            RowType outputType,
            String description) {
        super(tableConfig, join, outputType, description);
    }

    @Override
    protected MiniBatchJoinOperator operator(
            PlannerBase planner, ExecNodeConfig config, MiniBatchJoinSpec joinSpec) {
        return new MiniBatchJoinOperator(joinSpec);
    }
}
