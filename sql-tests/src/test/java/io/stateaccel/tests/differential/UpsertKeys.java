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
package io.stateaccel.tests.differential;

import io.stateaccel.flink.planner.RankNode;
import io.stateaccel.planner.join.StreamPhysicalMiniBatchJoin;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexInputRef;
import org.apache.calcite.rex.RexNode;
import org.apache.calcite.util.ImmutableBitSet;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.internal.TableEnvironmentImpl;
import org.apache.flink.table.api.internal.TableImpl;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.metadata.FlinkRelMetadataQuery;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalCalc;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalJoin;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalRank;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalRel;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowRank;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.plan.utils.RankProcessStrategy;
import org.apache.flink.table.runtime.operators.rank.ConstantRankRange;
import org.apache.flink.types.RowKind;

/**
 * By which columns a reader of upserts may know the rows of a result, so that ignoring each {@code
 * -U} leaves it with the right ones.
 */
final class UpsertKeys {

    /** Flink has it from 2.1 on. */
    private static final String MULTI_JOIN = "StreamPhysicalMultiJoin";

    private UpsertKeys() {}

    /**
     * The smallest key that the planner knows; none where Flink itself emits a {@code -U} that no
     * {@code +U} follows. Filters do, and joins that stay stock, when an update takes a row out of
     * the result; so do inner and SEMI joins of inputs without {@code -D}, as nobody expects one of
     * them.
     *
     * <p>A top-N that tells its rows by their rank says what another row has replaced by a {@code
     * -U}, so only a key with the rank finds the rows again; the planner believes that those of its
     * input do as well. Of a top-N of windows it takes the partition for a key, which has rows in
     * each window.
     */
    static List<String> of(TableEnvironment tables, Table table) {
        PlannerBase planner = (PlannerBase) ((TableEnvironmentImpl) tables).getPlanner();
        RelNode result =
                planner.optimize(
                        planner.createRelBuilder()
                                .queryOperation(((TableImpl) table).getQueryOperation())
                                .build());
        if (!isEachUpdateWhole(result) || hasWindowRank(result)) {
            return List.of();
        }
        Set<ImmutableBitSet> keys =
                FlinkRelMetadataQuery.reuseOrCreate(result.getCluster().getMetadataQuery())
                        .getUpsertKeys(result);
        if (keys == null) {
            return List.of();
        }
        boolean isRanked = isRanked(result);
        int rank = rankColumn(result);
        List<String> columns = table.getResolvedSchema().getColumnNames();
        return keys.stream()
                .filter(key -> !isRanked || rank >= 0 && key.get(rank))
                .min(Comparator.comparing(ImmutableBitSet::cardinality))
                .map(key -> key.asList().stream().map(columns::get).toList())
                .orElse(List.of());
    }

    private static boolean hasWindowRank(RelNode node) {
        return node instanceof StreamPhysicalWindowRank
                || node.getInputs().stream().anyMatch(UpsertKeys::hasWindowRank);
    }

    private static boolean isEachUpdateWhole(RelNode node) {
        boolean isUpdated = node.getInputs().stream().anyMatch(UpsertKeys::isUpdated);
        if (isUpdated) {
            boolean isFilter =
                    node instanceof StreamPhysicalCalc calc
                            && calc.getProgram().getCondition() != null;
            boolean isStockJoin =
                    node.getClass().getSimpleName().equals(MULTI_JOIN)
                            || node instanceof StreamPhysicalJoin
                                    && !(node instanceof StreamPhysicalMiniBatchJoin);
            boolean isJoinWithoutDeletes =
                    node instanceof StreamPhysicalJoin join
                            && ChangelogPlanUtils.getChangelogMode(join)
                                    .forall(mode -> !mode.contains(RowKind.DELETE));
            if (isFilter || isStockJoin || isJoinWithoutDeletes) {
                return false;
            }
        }
        return node.getInputs().stream().allMatch(UpsertKeys::isEachUpdateWhole);
    }

    /** Whether rows that are told by their rank are in the result. Of groups, there are none. */
    private static boolean isRanked(RelNode node) {
        if (node.getClass().getSimpleName().contains("Aggregate")) {
            return false;
        }
        return node instanceof StreamPhysicalRank rank
                        && !RankNode.isDeduplication(rank)
                        && (rank.outputRankNumber() || isTopOne(rank))
                || node.getInputs().stream().anyMatch(UpsertKeys::isRanked);
    }

    /** One that says of its row what it was and is; that of all changes deletes and inserts. */
    private static boolean isTopOne(StreamPhysicalRank rank) {
        return rank.rankRange() instanceof ConstantRankRange range
                && range.getRankEnd() == 1
                && !(rank.rankStrategy() instanceof RankProcessStrategy.RetractStrategy);
    }

    /** Which column of a result is the rank; -1 if none is, or if it is of an input of a join. */
    private static int rankColumn(RelNode node) {
        if (node instanceof StreamPhysicalRank rank) {
            return rank.outputRankNumber() ? rank.getRowType().getFieldCount() - 1 : -1;
        }
        if (node.getInputs().size() != 1) {
            return -1;
        }
        int column = rankColumn(node.getInput(0));
        if (column < 0 || !(node instanceof StreamPhysicalCalc calc)) {
            return column;
        }
        List<RexNode> projected =
                calc.getProgram().getProjectList().stream()
                        .map(calc.getProgram()::expandLocalRef)
                        .toList();
        return IntStream.range(0, projected.size())
                .filter(
                        i ->
                                projected.get(i) instanceof RexInputRef input
                                        && input.getIndex() == column)
                .findFirst()
                .orElse(-1);
    }

    private static boolean isUpdated(RelNode node) {
        return !ChangelogPlanUtils.isInsertOnly((StreamPhysicalRel) node);
    }
}
