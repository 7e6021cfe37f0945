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
package io.stateaccel.planner.fused.aggregate;

import java.util.List;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;

/**
 * The nodes between a join's inputs and a node that was planned as one with the join, but does not
 * run as one operator with it.
 */
final class NodesBelow {

    private NodesBelow() {}

    /**
     * Connects the nodes with one another.
     *
     * @param inputEdges those of the first
     * @param nodes each the input of the next
     * @param top the node above them
     * @return the edges of {@code top}
     */
    static List<ExecEdge> connect(
            List<ExecEdge> inputEdges, List<ExecNode<?>> nodes, ExecNode<?> top) {
        List<ExecEdge> edges = inputEdges;
        for (ExecNode<?> node : nodes) {
            node.setInputEdges(edges.stream().map(edge -> edge(edge.getSource(), node)).toList());
            edges = List.of(edge(node, top));
        }
        return edges;
    }

    private static ExecEdge edge(ExecNode<?> source, ExecNode<?> target) {
        return ExecEdge.builder().source(source).target(target).build();
    }
}
