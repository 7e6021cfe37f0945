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

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.planner.rule.RuleContext;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.spec.DynamicTableSinkSpec;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSink;
import org.apache.flink.table.planner.utils.ShortcutUtils;

/** A sink whose upsert materializer works on bundles. */
final class StreamPhysicalMiniBatchSink extends MaterializingSinkNode {

    private final RuleContext context;
    private final BundleSettings bundle;

    /**
     * @param sink the sink to stand in for, with a materializer
     * @param context holds the settings of the session
     */
    StreamPhysicalMiniBatchSink(StreamPhysicalSink sink, RuleContext context) {
        this(sink, sink.getTraitSet(), sink.getInput(), context, context.bundle());
    }

    private StreamPhysicalMiniBatchSink(
            StreamPhysicalSink sink,
            RelTraitSet traitSet,
            RelNode input,
            RuleContext context,
            BundleSettings bundle) {
        super(sink, traitSet, input, "bundled");
        this.context = context;
        this.bundle = bundle;
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalMiniBatchSink(this, traitSet, inputs.get(0), context, bundle);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("bundle", bundle);
    }

    @Override
    ExecNode<?> translate(DynamicTableSinkSpec table, ChangelogMode changes, int[] upsertKey) {
        return new StreamExecMiniBatchSink(
                ShortcutUtils.unwrapTableConfig(this),
                this,
                table,
                changes,
                upsertKey,
                context.bundleShare(),
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
