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
package io.stateaccel.planner.topn;

import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.BundlingNode;
import java.util.List;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.exec.stream.StreamExecSortLimit;
import org.apache.flink.table.types.logical.RowType;

/**
 * Translates the first rows of all, on bundles; stands in for Flink's {@link StreamExecSortLimit}.
 */
public final class StreamExecMiniBatchSortLimit extends StreamExecSortLimit
        implements BundlingNode {

    private final Ranking ranking;
    private final BundleShare bundle;

    public StreamExecMiniBatchSortLimit(
            ReadableConfig tableConfig,
            Ranking ranking,
            BundleShare bundle,
            InputProperty inputProperty,
            RowType outputType,
            String description) {
        super(
                tableConfig,
                ranking.sortSpec(),
                ranking.rankRange().getRankStart() - 1,
                ranking.rankRange().getRankEnd(),
                ranking.rankStrategy(),
                ranking.generateUpdateBefore(),
                inputProperty,
                outputType,
                description);
        this.ranking = ranking;
        this.bundle = bundle;
    }

    @Override
    public BundleShare bundle() {
        return bundle;
    }

    @Override
    public void setInputEdges(List<ExecEdge> inputEdges) {
        super.setInputEdges(inputEdges);
        bundle.connected(this);
    }

    @Override
    public String getDescription() {
        return bundle.describe(super.getDescription());
    }

    @Override
    protected Transformation<RowData> translateToPlanInternal(
            PlannerBase planner, ExecNodeConfig config) {
        return ranking.translate(
                getInputEdges().get(0),
                planner,
                config,
                bundle.settings(getOutputType()),
                createTransformationMeta(RANK_TRANSFORMATION, config),
                (RowType) getOutputType());
    }
}
