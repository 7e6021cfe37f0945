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

import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import io.stateaccel.views.join.InputChangelog;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.JoinRelType;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalJoin;

/**
 * Joins a bundle of rows at a time over merged record views.
 *
 * <pre>
 *   Join(a = b)                       MiniBatchJoin(a = b)
 *   +- Exchange(hash[a])        to    +- Exchange(hash[a])
 *   |  +- left                        |  +- left
 *   +- Exchange(hash[b])              +- Exchange(hash[b])
 *      +- right                          +- right
 * </pre>
 *
 * <p>INNER, LEFT, RIGHT, FULL, SEMI and ANTI joins: with and without equi keys, further conditions,
 * NULL keys, with and without state TTL, and whatever is known of unique keys and changes of an
 * input; but for upserts where Flink's own result depends on more than the rows that are live.
 */
public final class ReplaceJoinWithMiniBatchJoin implements AccelerationRule<StreamPhysicalJoin> {

    private static final NodePattern<StreamPhysicalJoin> PATTERN =
            NodePattern.exactly(StreamPhysicalJoin.class);

    @Override
    public NodePattern<StreamPhysicalJoin> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalJoin join, RuleContext context) {
        if (context.isAsyncStateEnabled()) {
            return Decision.stays(Reason.ASYNC_STATE);
        }
        if (join.joinSpec().getNonEquiCondition().isPresent()
                && (isUpserts(join.getLeft()) || isUpserts(join.getRight()))) {
            return Decision.stays(Reason.UPSERT_WITH_CONDITION);
        }
        if (upsertDecidesMatch(join)) {
            return Decision.stays(Reason.UPSERT_DECIDES_MATCH);
        }
        return Decision.replaceBy(
                FuseJoinWithNormalize.fuse(
                        new StreamPhysicalMiniBatchJoin(join, context), join, context));
    }

    private static boolean upsertDecidesMatch(StreamPhysicalJoin join) {
        final JoinRelType joinType = join.getJoinType();
        final boolean leftDecides = joinType.generatesNullsOnLeft();
        final boolean rightDecides = joinType.generatesNullsOnRight() || !joinType.projectsRight();
        return (leftDecides && isUpserts(join.getLeft()))
                || (rightDecides && isUpserts(join.getRight()));
    }

    private static boolean isUpserts(RelNode input) {
        return InputChangelogs.of(input) == InputChangelog.UPSERT;
    }
}
