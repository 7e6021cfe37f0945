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
package io.stateaccel.nexmark.bench.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.internal.TableEnvironmentImpl;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.operations.ModifyOperation;
import org.apache.flink.table.operations.Operation;
import org.apache.flink.table.operations.StatementSetOperation;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeGraph;
import org.apache.flink.table.planner.plan.nodes.exec.common.CommonExecExchange;
import org.apache.flink.table.planner.utils.JavaScalaConversionUtil;

/**
 * Flink's plan of a query as far as the first exchanges, with the same columns, and behind each
 * exchange a sink that does nothing. Sources that the query reads once are read once. What has no
 * exchange behind it goes into such a sink where the query's own is.
 */
final class CeilingJob {

    private CeilingJob() {}

    /**
     * Adds the job to an environment.
     *
     * @param tables has the query's tables; made on {@code environment}
     * @param insert the query
     */
    static void build(
            StreamExecutionEnvironment environment, TableEnvironment tables, String insert) {
        TableEnvironmentImpl internal = (TableEnvironmentImpl) tables;
        PlannerBase planner = (PlannerBase) internal.getPlanner();
        planner.beforeTranslation();
        Set<ExecNode<?>> last = new LinkedHashSet<>();
        for (ExecNode<?> sink : graph(planner, internal.getParser().parse(insert)).getRootNodes()) {
            List<ExecNode<?>> exchanges = firstExchanges(sink);
            last.addAll(exchanges.isEmpty() ? inputsOf(sink) : exchanges);
        }
        for (ExecNode<?> node : last) {
            discard(environment, node.translateToPlan(planner));
        }
        planner.afterTranslation();
    }

    private static ExecNodeGraph graph(PlannerBase planner, List<Operation> statement) {
        List<ModifyOperation> inserts =
                statement.get(0) instanceof StatementSetOperation set
                        ? set.getOperations()
                        : List.of((ModifyOperation) statement.get(0));
        return planner.translateToExecNodeGraph(
                planner.optimize(
                        JavaScalaConversionUtil.toScala(
                                inserts.stream().map(planner::translateToRel).toList())),
                false);
    }

    /**
     * The exchanges that have none below them, and the inputs without any that meet what comes from
     * one; empty if there is no exchange.
     */
    private static List<ExecNode<?>> firstExchanges(ExecNode<?> node) {
        Map<ExecNode<?>, List<ExecNode<?>>> below = new LinkedHashMap<>();
        inputsOf(node).forEach(input -> below.put(input, firstExchanges(input)));
        if (below.values().stream().allMatch(List::isEmpty)) {
            return node instanceof CommonExecExchange ? List.of(node) : List.of();
        }
        List<ExecNode<?>> exchanges = new ArrayList<>();
        below.forEach((input, those) -> exchanges.addAll(those.isEmpty() ? List.of(input) : those));
        return exchanges;
    }

    private static List<ExecNode<?>> inputsOf(ExecNode<?> node) {
        List<ExecNode<?>> inputs = new ArrayList<>();
        for (ExecEdge edge : node.getInputEdges()) {
            inputs.add(edge.getSource());
        }
        return inputs;
    }

    @SuppressWarnings("unchecked")
    private static void discard(StreamExecutionEnvironment environment, Transformation<?> rows) {
        new DataStream<>(environment, (Transformation<RowData>) rows)
                .sinkTo(new DiscardingSink<>())
                .setParallelism(rows.getParallelism());
    }
}
