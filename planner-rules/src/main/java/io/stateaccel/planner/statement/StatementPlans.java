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
package io.stateaccel.planner.statement;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.function.BiFunction;
import javax.annotation.Nullable;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.TableScan;
import org.apache.flink.table.api.TableConfig;
import org.apache.flink.table.api.config.OptimizerConfigOptions;
import org.apache.flink.table.planner.plan.nodes.calcite.LegacySink;
import org.apache.flink.table.planner.plan.nodes.calcite.Sink;
import org.apache.flink.table.planner.plan.schema.IntermediateRelTable;

/**
 * Tells whoever rewrites the plan of one sink what the other sinks of the statement have in common
 * with it.
 *
 * <p>Flink optimises each sink of a statement by itself and only then looks for what they share
 * ({@code SubplanReuser}), so a rewrite that looks at one plan may take apart what would have been
 * planned once. But where a statement has several sinks, Flink optimises all of them three times,
 * and keeps what comes out of the third ({@code StreamCommonSubGraphBasedOptimizer}): a sink that
 * comes again is one of several, and those that came since it was first seen are the others. What
 * is remembered of them is the plan that each rewrite was given, with which the next time starts
 * again.
 *
 * <p>One per session, since statements are planned one after the other; not thread-safe, as the
 * planner is not.
 */
public final class StatementPlans {

    /** When a plan is rewritten, in the order of time. */
    public enum Stage {
        LOGICAL,
        JOIN_INPUTS,
        PHYSICAL
    }

    /**
     * @param settled whether it is the plan that this stage gets in the end: what earlier stages
     *     did was done knowing all sinks, or would have been done anyway
     */
    private record Plan(RelNode root, boolean settled) {}

    /** A sink, or what several sinks share, and its plans. */
    private static final class Block {

        /** Weak, so that nothing is kept of statements that are planned; null if it is no sink. */
        @Nullable private final WeakReference<Object> sink;

        private final Map<Stage, Plan> plans = new EnumMap<>(Stage.class);
        private boolean sinkReadsWatermarks;
        @Nullable private Stage lastStage;
        private boolean settled;

        private Block(@Nullable Object sink) {
            this.sink = sink == null ? null : new WeakReference<>(sink);
        }

        private boolean isOf(@Nullable Object otherSink) {
            return sink == null ? otherSink == null : sink.get() == otherSink;
        }
    }

    /** In the order in which they were first seen. */
    private final List<Block> sinks = new ArrayList<>();

    /** Whether those are the sinks of one statement, all of them. */
    private boolean complete;

    /** By what became of them, for the scans that stand for them in the plans of sinks. */
    private final Map<RelNode, Block> shared = new WeakHashMap<>();

    private Block current = new Block(null);

    /**
     * Rewrites a plan.
     *
     * @param root of a sink, or of what several sinks share
     * @param rewriting given the plan, and who reads what in the whole statement
     * @return what it becomes
     */
    public RelNode rewrite(
            Stage stage,
            RelNode root,
            TableConfig config,
            BiFunction<RelNode, Statement, RelNode> rewriting) {
        begin(stage, root);
        final RelNode plan = current.sink == null ? root : root.getInput(0);
        current.plans.put(stage, new Plan(plan, current.settled));
        current.sinkReadsWatermarks |= current.sink != null && readsWatermarks(root);
        final Statement statement = statement(stage, plan, config);
        final RelNode result = rewriting.apply(root, statement);
        current.settled &=
                result == root || (complete && statement.isSettled()) || !sharesPlans(config);
        if (stage == Stage.PHYSICAL && current.sink == null && result != root) {
            shared.put(result, current);
        }
        return result;
    }

    /**
     * @param readers in all plans of the statement as far as they are known
     * @param isSettled false where another sink's plan is going to be another one at this stage
     * @param sharesPlans whether Flink plans once what is the same
     * @param plans whose statement it is
     */
    public record Statement(
            Readers readers, boolean isSettled, boolean sharesPlans, StatementPlans plans) {

        /** Whether the node may become a part of its reader, and nothing is planned twice then. */
        public boolean isReadOnlyBy(RelNode node, RelNode reader) {
            return !sharesPlans || (isSettled && readers.isReadOnlyBy(node, reader));
        }

        /**
         * Whether Flink plans once what is the same, and what nodes give is for one reader only.
         */
        public boolean isAllFor(RelNode reader, List<RelNode> nodes) {
            return sharesPlans && isSettled && readers.areAllFor(reader, nodes);
        }

        /**
         * Whether a sink of the statement makes something of watermarks. All sinks are known once
         * they are optimised.
         */
        public boolean sinksReadWatermarks() {
            return plans.sinks.stream().anyMatch(sink -> sink.sinkReadsWatermarks);
        }
    }

    private Statement statement(Stage stage, RelNode plan, TableConfig config) {
        final List<RelNode> plans = new ArrayList<>(List.of(plan));
        boolean settled = true;
        if (complete && sharesPlans(config)) {
            for (Block sink : sinks) {
                final Plan other = sink.plans.get(stage);
                if (other != null && sink != current) {
                    plans.add(other.root());
                    settled &= other.settled();
                }
            }
        }
        return new Statement(
                new Readers(plans, node -> inputsOf(node, stage)),
                settled,
                sharesPlans(config),
                this);
    }

    private static boolean sharesPlans(TableConfig config) {
        return config.get(OptimizerConfigOptions.TABLE_OPTIMIZER_REUSE_SUB_PLAN_ENABLED);
    }

    /** Finds out whose plan it is, and with it whether a statement has begun or is complete. */
    private void begin(Stage stage, RelNode root) {
        final Object sink = sinkOf(root);
        if (current.isOf(sink)
                && current.lastStage != null
                && current.lastStage.compareTo(stage) < 0) {
            current.lastStage = stage;
            return;
        }
        current = sink == null ? new Block(null) : blockOf(sink);
        current.lastStage = stage;
        current.settled = true;
    }

    private Block blockOf(Object sink) {
        sinks.removeIf(known -> known.isOf(null));
        for (Block known : sinks) {
            if (known.isOf(sink)) {
                if (!complete) {
                    sinks.subList(0, sinks.indexOf(known)).clear();
                    complete = true;
                }
                return known;
            }
        }
        if (complete) {
            sinks.clear();
            complete = false;
        }
        final Block first = new Block(sink);
        sinks.add(first);
        return first;
    }

    /**
     * Sinks that are told what to do about conflicting rows wait for a watermark to decide what
     * rows come to; Flink has them from 2.3 on. And of a program that takes the rows itself, as
     * those do that go on with a DataStream, nobody knows what it makes of watermarks.
     */
    private static boolean readsWatermarks(RelNode root) {
        return root instanceof LegacySink
                || root instanceof Sink sink && sink.contextResolvedTable().isAnonymous()
                || NodeText.digest(root).contains("conflictStrategy=");
    }

    /** What tells sinks apart, and is the same each time Flink optimises one. */
    @Nullable
    private static Object sinkOf(RelNode root) {
        if (root instanceof Sink sink) {
            return sink.tableSink();
        }
        return root instanceof LegacySink legacy ? legacy.sink() : null;
    }

    /** A scan stands for what several sinks share, and was optimised before them. */
    private List<RelNode> inputsOf(RelNode node, Stage stage) {
        if (!(node instanceof TableScan scan)) {
            return node.getInputs();
        }
        final IntermediateRelTable table = scan.getTable().unwrap(IntermediateRelTable.class);
        if (table == null) {
            return node.getInputs();
        }
        final Block block = shared.get(table.relNode());
        final Plan plan = block == null ? null : block.plans.get(stage);
        return List.of(plan == null ? table.relNode() : plan.root());
    }
}
