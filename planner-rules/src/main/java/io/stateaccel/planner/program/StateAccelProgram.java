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
package io.stateaccel.planner.program;

import io.stateaccel.planner.aggregate.ReplaceGroupAggregateWithCachedGroupAggregate;
import io.stateaccel.planner.aggregate.ReplaceGroupTableAggregateWithCachedGroupTableAggregate;
import io.stateaccel.planner.join.ReplaceJoinWithMiniBatchJoin;
import io.stateaccel.planner.join.interval.ReplaceIntervalJoinWithMiniBatchIntervalJoin;
import io.stateaccel.planner.join.temporal.ReplaceTemporalJoinWithMiniBatchTemporalJoin;
import io.stateaccel.planner.join.temporal.VersionedRows;
import io.stateaccel.planner.normalize.ReplaceChangelogNormalizeWithMiniBatchChangelogNormalize;
import io.stateaccel.planner.over.ReplaceOverAggregateWithMiniBatchOverAggregate;
import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.reasons.ReasonLog;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.RuleContext;
import io.stateaccel.planner.sink.ReplaceSinkWithMiniBatchSink;
import io.stateaccel.planner.sort.ReplaceTemporalSortWithHeapTemporalSort;
import io.stateaccel.planner.statement.StatementPlans;
import io.stateaccel.planner.stock.KeepStatefulNodesThatAreNotCovered;
import io.stateaccel.planner.topn.ReplaceLimitWithMiniBatchLimit;
import io.stateaccel.planner.topn.ReplaceRankWithMiniBatchRank;
import io.stateaccel.planner.topn.ReplaceSortLimitWithMiniBatchSortLimit;
import io.stateaccel.planner.window.aggregate.ReplaceGlobalWindowAggregateWithHeapGlobalWindowAggregate;
import io.stateaccel.planner.window.aggregate.ReplaceWindowAggregateWithHeapWindowAggregate;
import io.stateaccel.planner.window.group.ReplaceGroupWindowAggregateWithHeapGroupWindowAggregate;
import io.stateaccel.planner.window.group.ReplaceGroupWindowTableAggregateWithHeapGroupWindowTableAggregate;
import io.stateaccel.planner.window.join.ReplaceWindowJoinWithHeapWindowJoin;
import io.stateaccel.planner.window.session.ReplaceWindowTableFunctionWithHeapWindowTableFunction;
import io.stateaccel.planner.window.topn.ReplaceWindowDeduplicateWithHeapWindowDeduplicate;
import io.stateaccel.planner.window.topn.ReplaceWindowRankWithHeapWindowRank;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.planner.plan.nodes.FlinkRelNode;

/**
 * The last program of the streaming optimiser: gives every node of a physical plan to the first
 * rule whose pattern matches.
 */
public final class StateAccelProgram extends PlanRewritingProgram {

    /** The name under which this program is found in a {@code FlinkChainedProgram}. */
    public static final String NAME = "state_accel";

    static final List<AccelerationRule<?>> RULES =
            Stream.<List<AccelerationRule<?>>>of(
                            List.of(
                                    new ReplaceJoinWithMiniBatchJoin(),
                                    new ReplaceIntervalJoinWithMiniBatchIntervalJoin(),
                                    new ReplaceTemporalJoinWithMiniBatchTemporalJoin(),
                                    new ReplaceGroupAggregateWithCachedGroupAggregate(),
                                    new ReplaceGroupTableAggregateWithCachedGroupTableAggregate(),
                                    new ReplaceRankWithMiniBatchRank(),
                                    new ReplaceSortLimitWithMiniBatchSortLimit(),
                                    new ReplaceLimitWithMiniBatchLimit(),
                                    new ReplaceChangelogNormalizeWithMiniBatchChangelogNormalize(),
                                    new ReplaceSinkWithMiniBatchSink(),
                                    new ReplaceOverAggregateWithMiniBatchOverAggregate(),
                                    new ReplaceTemporalSortWithHeapTemporalSort(),
                                    new ReplaceWindowAggregateWithHeapWindowAggregate(),
                                    new ReplaceGlobalWindowAggregateWithHeapGlobalWindowAggregate(),
                                    new ReplaceGroupWindowAggregateWithHeapGroupWindowAggregate(),
                                    new ReplaceGroupWindowTableAggregateWithHeapGroupWindowTableAggregate(),
                                    new ReplaceWindowRankWithHeapWindowRank(),
                                    new ReplaceWindowDeduplicateWithHeapWindowDeduplicate(),
                                    new ReplaceWindowJoinWithHeapWindowJoin(),
                                    new ReplaceWindowTableFunctionWithHeapWindowTableFunction()),
                            RulesOfTheLine.RULES,
                            List.of(new KeepStatefulNodesThatAreNotCovered()))
                    .flatMap(List::stream)
                    .toList();

    public StateAccelProgram(StatementPlans plans, ReasonLog reasons) {
        super(StatementPlans.Stage.PHYSICAL, plans, reasons);
    }

    @Override
    RelNode replace(RelNode node, RuleContext context) {
        for (AccelerationRule<?> rule : RULES) {
            final Optional<Decision> decision = decide(rule, node, context);
            if (decision.isPresent()) {
                return apply(decision.get(), node, context);
            }
        }
        return node;
    }

    private static <N extends RelNode> Optional<Decision> decide(
            AccelerationRule<N> rule, RelNode node, RuleContext context) {
        return rule.pattern().match(node).map(matched -> rule.decide(matched, context));
    }

    private static RelNode apply(Decision decision, RelNode node, RuleContext context) {
        if (decision instanceof Decision.Replaced replaced) {
            if (!VersionedRows.areUpdatedBy(node, context.statement().readers())) {
                return replaced.replacement();
            }
            say(Reason.VERSIONS_OF_TEMPORAL_JOIN, node, context);
        }
        if (decision instanceof Decision.Stays stays) {
            say(stays.reason(), node, context);
        }
        return node;
    }

    private static void say(Reason reason, RelNode node, RuleContext context) {
        context.reasons().say(((FlinkRelNode) node).getRelDetailedDescription(), reason);
    }
}
