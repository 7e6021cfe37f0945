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
import java.util.Arrays;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.planner.plan.metadata.FlinkRelMetadataQuery;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.spec.DynamicTableSinkSpec;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalRel;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSink;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.plan.utils.UpsertKeyUtil;

/**
 * A sink with an upsert materializer of ours. It is the materializer that is another one, so the
 * plan shows the sink under its own name.
 */
abstract class MaterializingSinkNode extends SinkNode {

    private final String kind;

    /**
     * @param sink the sink to stand in for, with a materializer
     * @param kind what the materializer does with changes, for {@code EXPLAIN}
     */
    MaterializingSinkNode(
            StreamPhysicalSink sink, RelTraitSet traitSet, RelNode input, String kind) {
        super(sink, traitSet, input);
        this.kind = kind;
    }

    @Override
    public final String getRelTypeName() {
        return StreamPhysicalSink.class.getSimpleName();
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        super.explainTerms(new ShownMaterializer(writer, kind));
        return writer;
    }

    @Override
    public final ExecNode<?> translateToExecNode() {
        final DynamicTableSinkSpec table =
                new DynamicTableSinkSpec(
                        contextResolvedTable(), Arrays.asList(abilities()), targetColumns());
        table.setTableSink(tableSink());
        return translate(
                table,
                ChangelogPlanUtils.getChangelogMode((StreamPhysicalRel) getInput()).get(),
                UpsertKeyUtil.getSmallestKey(
                        FlinkRelMetadataQuery.reuseOrCreate(getCluster().getMetadataQuery())
                                .getUpsertKeys(getInput())));
    }

    /**
     * @param table that is written to
     * @param changes that come
     * @param upsertKey what they know a row by
     */
    abstract ExecNode<?> translate(
            DynamicTableSinkSpec table, ChangelogMode changes, int[] upsertKey);
}
