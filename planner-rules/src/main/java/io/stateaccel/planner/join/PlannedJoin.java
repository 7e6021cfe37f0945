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

import io.stateaccel.planner.bundle.BundleShare;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecJoin;

/**
 * A join on bundles as it is planned, whatever is made of its results.
 *
 * @param stateTtlFromHint milliseconds by input, 0 the left and 1 the right
 */
public record PlannedJoin(
        MiniBatchJoinInputs inputs, BundleShare bundle, Map<Integer, Long> stateTtlFromHint) {

    /** The states of the join, by input. */
    public List<StateMetadata> states(ReadableConfig tableConfig) {
        return StateMetadata.getMultiInputOperatorDefaultMeta(
                stateTtlFromHint,
                tableConfig,
                StreamExecJoin.LEFT_STATE_NAME,
                StreamExecJoin.RIGHT_STATE_NAME);
    }

    /**
     * The states of the join, and that of what is made of its results in the same operator.
     *
     * @param ttlFromHint milliseconds, null without a hint
     */
    public List<StateMetadata> statesAnd(
            String state, @Nullable Long ttlFromHint, ReadableConfig tableConfig) {
        final Map<Integer, Long> ttls = new HashMap<>(stateTtlFromHint);
        if (ttlFromHint != null) {
            ttls.put(2, ttlFromHint);
        }
        return StateMetadata.getMultiInputOperatorDefaultMeta(
                ttls,
                tableConfig,
                StreamExecJoin.LEFT_STATE_NAME,
                StreamExecJoin.RIGHT_STATE_NAME,
                state);
    }
}
