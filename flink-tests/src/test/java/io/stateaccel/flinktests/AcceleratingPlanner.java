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
package io.stateaccel.flinktests;

import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.table.delegation.InternalPlan;
import org.apache.flink.table.delegation.PlannerFactory;
import org.apache.flink.table.planner.delegation.StreamPlanner;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeGraph;

/**
 * Flink's planner, which counts the accelerated nodes of what it translates. Without a count a run
 * that has lost the acceleration would test stock Flink, and hold.
 */
@SuppressWarnings("overloads") // Of the planner it extends.
public final class AcceleratingPlanner extends StreamPlanner {

    private static final Map<String, Integer> TRANSLATED = new TreeMap<>();

    public AcceleratingPlanner(PlannerFactory.Context context) {
        super(
                context.getExecutor(),
                context.getTableConfig(),
                context.getModuleManager(),
                context.getFunctionCatalog(),
                context.getCatalogManager(),
                context.getClassLoader());
    }

    /** The accelerated nodes translated since this was last asked, by class. */
    static Map<String, Integer> takeTranslated() {
        synchronized (TRANSLATED) {
            final Map<String, Integer> taken = new TreeMap<>(TRANSLATED);
            TRANSLATED.clear();
            return taken;
        }
    }

    /** How many accelerated nodes have been translated since then. */
    static int translated() {
        synchronized (TRANSLATED) {
            return TRANSLATED.values().stream().mapToInt(Integer::intValue).sum();
        }
    }

    /**
     * The acceleration chooses its state backend when it plans, and a compiled plan has been
     * planned. It is chosen here, so that Flink's snapshots are restored by it.
     */
    @Override
    public List<Transformation<?>> translatePlan(InternalPlan plan) {
        Mode.current().chooseBackend(getTableConfig());
        return super.translatePlan(plan);
    }

    @Override
    public List<Transformation<?>> translateToPlan(ExecNodeGraph graph) {
        final Set<ExecNode<?>> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        final Deque<ExecNode<?>> toVisit = new ArrayDeque<>(graph.getRootNodes());
        while (!toVisit.isEmpty()) {
            final ExecNode<?> node = toVisit.pop();
            if (!seen.add(node)) {
                continue;
            }
            if (node.getClass().getName().startsWith("io.stateaccel.")) {
                synchronized (TRANSLATED) {
                    TRANSLATED.merge(node.getClass().getSimpleName(), 1, Integer::sum);
                }
            }
            node.getInputEdges().stream().map(ExecEdge::getSource).forEach(toVisit::push);
        }
        return super.translateToPlan(graph);
    }
}
