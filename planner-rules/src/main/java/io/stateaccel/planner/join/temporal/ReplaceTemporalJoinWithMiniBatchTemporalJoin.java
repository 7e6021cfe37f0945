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
package io.stateaccel.planner.join.temporal;

import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalTemporalJoin;
import org.apache.flink.table.planner.plan.utils.TemporalJoinUtil;

/**
 * Stores a bundle of rows at a time, and joins the keys that a watermark has passed.
 *
 * <pre>
 *   TemporalJoin(a = b, times)        MiniBatchTemporalJoin(a = b, times)
 *   +- Exchange(hash[a])        to    +- Exchange(hash[a])
 *   |  +- left                        |  +- left
 *   +- Exchange(hash[b])              +- Exchange(hash[b])
 *      +- right                          +- right
 * </pre>
 *
 * <p>INNER and LEFT joins {@code FOR SYSTEM_TIME AS OF} row time, with and without further
 * conditions, whatever the changes of the inputs. Flink gives them no asynchronous state.
 */
public final class ReplaceTemporalJoinWithMiniBatchTemporalJoin
        implements AccelerationRule<StreamPhysicalTemporalJoin> {

    private static final NodePattern<StreamPhysicalTemporalJoin> PATTERN =
            NodePattern.exactly(StreamPhysicalTemporalJoin.class);

    @Override
    public NodePattern<StreamPhysicalTemporalJoin> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalTemporalJoin join, RuleContext context) {
        if (TemporalJoinUtil.isTemporalFunctionJoin(
                join.getCluster().getRexBuilder(), join.analyzeCondition())) {
            return Decision.stays(Reason.TEMPORAL_TABLE_FUNCTION);
        }
        if (!join.requireWatermark()) {
            return Decision.stays(Reason.PROCESSING_TIME_TEMPORAL_JOIN);
        }
        return RowTimeCondition.of(join)
                .map(
                        condition ->
                                Decision.replaceBy(
                                        new StreamPhysicalMiniBatchTemporalJoin(
                                                join, condition, context)))
                .orElse(Decision.stays(Reason.UNKNOWN_PLAN));
    }
}
