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
package io.stateaccel.planner.nodes.physical;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.planner.nodes.exec.StreamExecCachedGlobalGroupAggregate;
import io.stateaccel.planner.rules.RuleContext;
import io.stateaccel.planner.rules.StockReason;
import java.util.List;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.core.AggregateCall;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.planner.calcite.FlinkTypeFactory;
import org.apache.flink.table.planner.hint.StateTtlHint;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.InputProperty;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalGlobalGroupAggregate;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;
import org.apache.flink.table.planner.utils.ShortcutUtils;
import scala.Option;

/**
 * The second phase of a group aggregate on bundles, with cached accumulators. Whatever is inferred
 * of Flink's {@link StreamPhysicalGlobalGroupAggregate} holds for it as well.
 */
public final class StreamPhysicalCachedGlobalGroupAggregate
        extends StreamPhysicalGlobalGroupAggregate {

    private final StreamPhysicalGlobalGroupAggregate stock;
    private final RuleContext context;
    private final BundleSettings bundle;
    private final MemorySize cacheSize;

    /**
     * @param aggregate the aggregate to stand in for
     * @param context holds the settings of the session
     */
    public StreamPhysicalCachedGlobalGroupAggregate(
            StreamPhysicalGlobalGroupAggregate aggregate, RuleContext context) {
        this(
                aggregate,
                aggregate.getTraitSet(),
                aggregate.getInput(),
                context,
                context.bundle(),
                context.aggregateCacheSize());
    }

    private StreamPhysicalCachedGlobalGroupAggregate(
            StreamPhysicalGlobalGroupAggregate stock,
            RelTraitSet traitSet,
            RelNode input,
            RuleContext context,
            BundleSettings bundle,
            MemorySize cacheSize) {
        super(
                stock.getCluster(),
                traitSet,
                input,
                stock.getRowType(),
                stock.grouping(),
                stock.aggCalls(),
                stock.aggCallNeedRetractions(),
                stock.localAggInputRowType(),
                stock.needRetraction(),
                stock.partialFinalType(),
                countStar(stock),
                stock.hints());
        this.stock = stock;
        this.context = context;
        this.bundle = bundle;
        this.cacheSize = cacheSize;
    }

    /**
     * Which call counts the rows, unless it is added for that purpose: the node does not tell what
     * it was given, but what came of it.
     */
    private static Option<Object> countStar(StreamPhysicalGlobalGroupAggregate stock) {
        return stock.globalAggInfoList().countStarInserted()
                ? Option.empty()
                : stock.globalAggInfoList().indexOfCountStar();
    }

    @Override
    public RelNode copy(RelTraitSet traitSet, List<RelNode> inputs) {
        return new StreamPhysicalCachedGlobalGroupAggregate(
                stock, traitSet, inputs.get(0), context, bundle, cacheSize);
    }

    @Override
    public RelWriter explainTerms(RelWriter writer) {
        return super.explainTerms(writer).item("bundle", bundle).item("cache", cacheSize);
    }

    /** A compiled plan holds the stock node: Flink reads plans through a closed list of nodes. */
    @Override
    public ExecNode<?> translateToExecNode(boolean isCompiled) {
        if (!isCompiled) {
            return super.translateToExecNode(false);
        }
        final StreamPhysicalGlobalGroupAggregate compiled =
                (StreamPhysicalGlobalGroupAggregate) stock.copy(getTraitSet(), getInputs());
        context.stockReasons().say(compiled.getRelDetailedDescription(), StockReason.COMPILED_PLAN);
        return compiled.translateToExecNode(true);
    }

    @Override
    public ExecNode<?> translateToExecNode() {
        final Option<Object> countStar = countStar(stock);
        return new StreamExecCachedGlobalGroupAggregate(
                ShortcutUtils.unwrapTableConfig(this),
                grouping(),
                JavaScalaConversionUtil.toJava(aggCalls()).toArray(AggregateCall[]::new),
                aggCallNeedRetractions(),
                FlinkTypeFactory.toLogicalRowType(localAggInputRowType()),
                ChangelogPlanUtils.generateUpdateBefore(this),
                needRetraction(),
                countStar.isDefined() ? (Integer) countStar.get() : null,
                StateTtlHint.getStateTtlFromHintOnSingleRel(hints()),
                bundle,
                cacheSize,
                InputProperty.DEFAULT,
                FlinkTypeFactory.toLogicalRowType(getRowType()),
                getRelDetailedDescription());
    }
}
