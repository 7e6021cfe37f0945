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

import java.util.ArrayList;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.calcite.rel.RelNode;

/**
 * Who reads the rows of which node, in all plans of a statement. Nodes that do the same are one
 * node here, as Flink makes one of them when all is planned.
 */
public final class Readers {

    /**
     * @param node the reader
     * @param input which of its inputs
     */
    public record Reader(RelNode node, int input) {}

    private record Place(PlanShape reader, int input) {}

    private final Function<RelNode, List<RelNode>> inputsOf;
    private final Map<RelNode, PlanShape> shapes = new IdentityHashMap<>();
    private final Map<PlanShape, Map<Place, Reader>> readers = new LinkedHashMap<>();
    private final List<RelNode> plans;

    /** Nodes that are the whole plan of a sink, or of what several sinks share. */
    private final Collection<PlanShape> roots = new ArrayList<>();

    /**
     * @param plans without their sinks
     * @param inputsOf a node's inputs, where it is one; what it stands for otherwise
     */
    Readers(Collection<RelNode> plans, Function<RelNode, List<RelNode>> inputsOf) {
        this.inputsOf = inputsOf;
        this.plans = List.copyOf(plans);
        plans.forEach(plan -> roots.add(shapeOf(plan)));
    }

    /** All plans of the statement, without their sinks. */
    public List<RelNode> plans() {
        return plans;
    }

    /** The inputs of a node; what is planned already for a node that stands for it. */
    public List<RelNode> inputsOf(RelNode node) {
        return inputsOf.apply(node);
    }

    /** The same for all nodes that do the same. */
    public PlanShape shapeOf(RelNode node) {
        final PlanShape known = shapes.get(node);
        if (known != null) {
            return known;
        }
        final List<RelNode> inputs = inputsOf.apply(node);
        final List<PlanShape> ofInputs = inputs.stream().map(this::shapeOf).toList();
        final boolean standsFor = node.getInputs().isEmpty() && !inputs.isEmpty();
        final PlanShape shape = standsFor ? ofInputs.get(0) : PlanShape.of(node, ofInputs);
        shapes.put(node, shape);
        for (int input = 0; input < inputs.size() && !standsFor; input++) {
            readers.computeIfAbsent(ofInputs.get(input), none -> new LinkedHashMap<>())
                    .putIfAbsent(new Place(shape, input), new Reader(node, input));
        }
        return shape;
    }

    /** Takes a node for what it has become of. */
    public void replaced(RelNode node, RelNode replacement) {
        shapes.put(replacement, shapeOf(node));
    }

    /** Those of a node's rows, but for the sinks; one for each thing that is done with them. */
    public Collection<Reader> of(RelNode node) {
        return readers.getOrDefault(shapeOf(node), Map.of()).values();
    }

    /** Whether nothing else happens to a node's rows than what one reader does. */
    boolean isReadOnlyBy(RelNode node, RelNode reader) {
        final PlanShape shape = shapeOf(node);
        final PlanShape only = shapeOf(reader);
        final Map<Place, Reader> all = readers.getOrDefault(shape, Map.of());
        return all.size() == 1
                && all.keySet().iterator().next().reader().equals(only)
                && !roots.contains(shape);
    }

    /** Whether nothing else happens to the rows of nodes than what they and one reader do. */
    boolean areAllFor(RelNode reader, List<RelNode> nodes) {
        final Set<PlanShape> allowed =
                Stream.concat(nodes.stream(), Stream.of(reader))
                        .map(this::shapeOf)
                        .collect(Collectors.toSet());
        return nodes.stream()
                .map(this::shapeOf)
                .allMatch(
                        shape ->
                                !roots.contains(shape)
                                        && readers.getOrDefault(shape, Map.of()).keySet().stream()
                                                .allMatch(
                                                        place -> allowed.contains(place.reader())));
    }
}
