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
package io.stateaccel.planner.fused.topn;

import io.stateaccel.flink.planner.RankNode;
import io.stateaccel.planner.fused.JoinBelow;
import io.stateaccel.planner.topn.Ranking;
import io.stateaccel.planner.topn.StreamPhysicalMiniBatchRank;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalRank;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/**
 * A join and the top-N of its results by join key in one node: join, calc, exchange and rank of
 * Flink's. Its inputs are those of the join; whatever is inferred of Flink's {@link
 * StreamPhysicalRank} holds for it as well.
 */
public final class StreamPhysicalMiniBatchJoinRank extends RankNode {

    private final StreamPhysicalRank rank;

    /** Null while the super class looks at what it ranks. */
    private final JoinBelow join;

    /**
     * @param rank the top-N to stand in for, up to a constant and no deduplication
     * @param join what is below it, of whose results each partition has those of one join key, all
     *     of them
     */
    public StreamPhysicalMiniBatchJoinRank(StreamPhysicalRank rank, JoinBelow join) {
        this(rank, rank.getTraitSet(), join);
    }

    private StreamPhysicalMiniBatchJoinRank(
            StreamPhysicalRank rank, RelTraitSet traitSet, JoinBelow join) {
        super(rank, traitSet, join.results());
        this.rank = rank;
        this.join = join;
    }

    @Override
    public List<RelNode> getInputs() {
        return join == null ? super.getInputs() : join.inputs();
    }

    @Override
    public void replaceInput(int ordinal, RelNode input) {
        join.join().replaceInput(ordinal, input);
        recomputeDigest();
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalMiniBatchJoinRank(rank, traitSet, join.copy(inputs));
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return join == null
                ? super.explainTerms(writer)
                : join.explainTerms(writer).item("rank", rank.getRelDetailedDescription());
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        return new StreamExecMiniBatchJoinRank(
                ShortcutUtils.unwrapTableConfig(this),
                join.plannedJoin(),
                join.projection(),
                ranking(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }

    private Ranking ranking() {
        return StreamPhysicalMiniBatchRank.rankingOf(this);
    }
}
