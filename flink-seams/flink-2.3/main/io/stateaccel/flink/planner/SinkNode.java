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
package io.stateaccel.flink.planner;

import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.planner.plan.abilities.sink.SinkAbilitySpec;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSink;

/**
 * {@link StreamPhysicalSink} with an upsert materializer, which from 2.3 on may be told what to do
 * about conflicting rows.
 */
public abstract class SinkNode extends StreamPhysicalSink {

    /**
     * @param sink the node to stand in for
     * @param input what is written
     */
    protected SinkNode(StreamPhysicalSink sink, RelTraitSet traitSet, RelNode input) {
        super(
                sink.getCluster(),
                traitSet,
                input,
                sink.hints(),
                sink.contextResolvedTable(),
                sink.tableSink(),
                sink.targetColumns(),
                sink.abilitySpecs(),
                true,
                sink.conflictStrategy());
    }

    /** What the table can do of what is asked of it. */
    protected final SinkAbilitySpec[] abilities() {
        return abilitySpecs();
    }

    /** Whether rows wait for a watermark to tell which of them are in conflict. */
    public static boolean waitsForWatermarks(StreamPhysicalSink sink) {
        return sink.conflictStrategy() != null && !sink.isDeduplicateConflictStrategy();
    }
}
