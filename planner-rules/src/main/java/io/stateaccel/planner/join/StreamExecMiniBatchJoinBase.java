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
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.BundlingNode;
import io.stateaccel.planner.compiled.CompiledNode;
import io.stateaccel.views.time.TimeToLive;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.nodes.exec.spec.JoinSpec;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecJoin;
import org.apache.flink.table.types.logical.RowType;

/**
 * {@link StreamExecJoin} that makes a {@link MiniBatchJoinOperator} of one kind or another. The
 * transformation has the inputs, parallelism, key and identifiers of the stock one.
 */
public abstract class StreamExecMiniBatchJoinBase extends StreamExecJoin implements BundlingNode {

    protected static final String FIELD_NAME_CHANGELOGS = "changelogs";

    @JsonProperty(FIELD_NAME_CHANGELOGS)
    private final JoinChangelogs changelogs;

    @JsonProperty(BundlingNode.FIELD_NAME_BUNDLES)
    private final BundleShare bundles;

    private final MiniBatchJoinInputs join;
    @Nullable private final List<StateMetadata> states;

    /**
     * @param leftUpsertKeys null for none, as in what Flink writes
     * @param rightUpsertKeys null for none
     * @param states of the join and then of what is made of its results
     */
    protected StreamExecMiniBatchJoinBase(
            int id,
            ExecNodeContext context,
            ReadableConfig persistedConfig,
            JoinSpec joinSpec,
            @Nullable List<int[]> leftUpsertKeys,
            @Nullable List<int[]> rightUpsertKeys,
            JoinChangelogs changelogs,
            BundleShare bundles,
            @Nullable List<StateMetadata> states,
            List<InputProperty> inputProperties,
            RowType outputType,
            String description) {
        super(
                id,
                context,
                persistedConfig,
                joinSpec,
                leftUpsertKeys,
                rightUpsertKeys,
                states,
                inputProperties,
                outputType,
                description);
        this.changelogs = changelogs;
        this.bundles = bundles;
        this.join =
                new MiniBatchJoinInputs(
                        joinSpec, orNone(leftUpsertKeys), orNone(rightUpsertKeys), changelogs);
        this.states = states;
    }

    private static List<int[]> orNone(@Nullable List<int[]> keys) {
        return keys == null ? List.of() : keys;
    }

    /**
     * @param ttls of the states behind those of the join
     */
    protected abstract MiniBatchJoinOperator operator(
            PlannerBase planner,
            ExecNodeConfig config,
            MiniBatchJoinSpec joinSpec,
            List<TimeToLive> ttls);

    /** How many states there are behind those of the join. */
    protected int statesBehindJoin() {
        return 0;
    }

    @Override
    public BundleShare bundle() {
        return bundles;
    }

    @Override
    public void setInputEdges(List<ExecEdge> inputEdges) {
        super.setInputEdges(inputEdges);
        bundles.connected(this);
    }

    @Override
    public String getDescription() {
        return bundles.describe(super.getDescription(), getPersistedConfig());
    }

    @Override
    protected final Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        CompiledNode.translating(planner, config);
        final ExecEdge leftEdge = getInputEdges().get(0);
        final ExecEdge rightEdge = getInputEdges().get(1);
        final List<TimeToLive> ttls =
                CompiledNode.timesToLive(2 + statesBehindJoin(), states, config);
        final MiniBatchJoinSpec joinSpec =
                join.operatorSpec(
                        (RowType) leftEdge.getOutputType(),
                        (RowType) rightEdge.getOutputType(),
                        ttls.get(0),
                        ttls.get(1),
                        config,
                        planner.getFlinkContext().getClassLoader(),
                        bundles.settings(config, getOutputType()));
        return TwoInputJoins.transformation(
                TwoInputJoins.translate(leftEdge, planner),
                TwoInputJoins.translate(rightEdge, planner),
                createTransformationMeta(JOIN_TRANSFORMATION, config),
                operator(planner, config, joinSpec, ttls.subList(2, ttls.size())),
                (RowType) getOutputType(),
                joinSpec.left().keySelector(),
                joinSpec.right().keySelector());
    }
}
