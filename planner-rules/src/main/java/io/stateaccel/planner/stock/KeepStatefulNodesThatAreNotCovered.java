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
package io.stateaccel.planner.stock;

import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.api.config.OptimizerConfigOptions;
import org.apache.flink.table.api.config.OptimizerConfigOptions.NonDeterministicUpdateStrategy;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalChangelogNormalize;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalDeltaJoin;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGlobalGroupAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGlobalWindowAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupTableAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupWindowAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGroupWindowTableAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalIncrementalGroupAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalLimit;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalLookupJoin;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalMatch;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalMultiJoin;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalOverAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalProcessTableFunction;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalPythonGroupAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalPythonGroupTableAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalPythonGroupWindowAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalPythonOverAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSink;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSort;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSortLimit;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalTemporalJoin;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalTemporalSort;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowAggregate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowDeduplicate;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowJoin;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowRank;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowTableFunction;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;

/**
 * Leaves the other stateful nodes as they are, so that the user is told about each of them. That is
 * also nodes that have state at times only.
 */
public final class KeepStatefulNodesThatAreNotCovered implements AccelerationRule<RelNode> {

    private static final NodePattern<RelNode> PATTERN =
            NodePattern.anyOf(
                    Set.of(
                            StreamPhysicalChangelogNormalize.class,
                            StreamPhysicalDeltaJoin.class,
                            StreamPhysicalGlobalGroupAggregate.class,
                            StreamPhysicalGlobalWindowAggregate.class,
                            StreamPhysicalGroupTableAggregate.class,
                            StreamPhysicalGroupWindowAggregate.class,
                            StreamPhysicalGroupWindowTableAggregate.class,
                            StreamPhysicalIncrementalGroupAggregate.class,
                            StreamPhysicalLimit.class,
                            StreamPhysicalLookupJoin.class,
                            StreamPhysicalMatch.class,
                            StreamPhysicalMultiJoin.class,
                            StreamPhysicalOverAggregate.class,
                            StreamPhysicalProcessTableFunction.class,
                            StreamPhysicalPythonGroupAggregate.class,
                            StreamPhysicalPythonGroupTableAggregate.class,
                            StreamPhysicalPythonGroupWindowAggregate.class,
                            StreamPhysicalPythonOverAggregate.class,
                            StreamPhysicalSink.class,
                            StreamPhysicalSort.class,
                            StreamPhysicalSortLimit.class,
                            StreamPhysicalTemporalJoin.class,
                            StreamPhysicalTemporalSort.class,
                            StreamPhysicalWindowAggregate.class,
                            StreamPhysicalWindowDeduplicate.class,
                            StreamPhysicalWindowJoin.class,
                            StreamPhysicalWindowRank.class,
                            StreamPhysicalWindowTableFunction.class));

    private static final Set<Class<? extends RelNode>> BUNDLED_BY_FLINK =
            Set.of(
                    StreamPhysicalGlobalGroupAggregate.class,
                    StreamPhysicalGlobalWindowAggregate.class,
                    StreamPhysicalIncrementalGroupAggregate.class,
                    StreamPhysicalWindowAggregate.class);

    @Override
    public NodePattern<RelNode> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(RelNode node, RuleContext context) {
        return hasState(node, context) ? Decision.stays(reasonOf(node)) : Decision.hasNoState();
    }

    private static boolean hasState(RelNode node, RuleContext context) {
        if (node instanceof StreamPhysicalSink sink) {
            return sink.upsertMaterialize();
        }
        if (node instanceof StreamPhysicalLookupJoin join) {
            // Flink decides that when all is planned; before, no more can be known.
            return !ChangelogPlanUtils.inputInsertOnly(join)
                    && context.tableConfig()
                                    .get(
                                            OptimizerConfigOptions
                                                    .TABLE_OPTIMIZER_NONDETERMINISTIC_UPDATE_STRATEGY)
                            == NonDeterministicUpdateStrategy.TRY_RESOLVE;
        }
        return !(node instanceof StreamPhysicalWindowTableFunction function)
                || !function.windowing().getWindow().isAlignedWindow();
    }

    private static Reason reasonOf(RelNode node) {
        if (node instanceof StreamPhysicalSink) {
            return Reason.UPSERT_MATERIALIZER;
        }
        if (node instanceof StreamPhysicalLookupJoin) {
            return Reason.LOOKUP_MATERIALIZER;
        }
        if (node instanceof StreamPhysicalMultiJoin) {
            return Reason.MULTI_JOIN;
        }
        if (BUNDLED_BY_FLINK.contains(node.getClass())) {
            return Reason.BUNDLED_BY_FLINK;
        }
        if (node instanceof StreamPhysicalGroupWindowAggregate) {
            return Reason.STATE_BY_WINDOW;
        }
        if (node instanceof StreamPhysicalOverAggregate) {
            return Reason.STATE_BY_TIME;
        }
        return Reason.OPERATOR_NOT_COVERED;
    }
}
