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
package io.stateaccel.planner.sink;

import io.stateaccel.flink.planner.SinkNode;
import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSink;

/**
 * Swaps a sink with an upsert materializer for one whose materializer works on bundles, or, with
 * {@code ON CONFLICT DO ERROR} or {@code DO NOTHING}, has changes wait on the heap for the
 * watermark that tells which rows are in conflict.
 */
public final class ReplaceSinkWithMiniBatchSink implements AccelerationRule<StreamPhysicalSink> {

    private static final NodePattern<StreamPhysicalSink> PATTERN =
            NodePattern.exactly(StreamPhysicalSink.class);

    @Override
    public NodePattern<StreamPhysicalSink> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalSink sink, RuleContext context) {
        if (!sink.upsertMaterialize()) {
            return Decision.hasNoState();
        }
        return Decision.replaceBy(
                SinkNode.waitsForWatermarks(sink)
                        ? new StreamPhysicalHeapSink(sink, context)
                        : new StreamPhysicalMiniBatchSink(sink, context));
    }
}
