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
package io.stateaccel.planner.bundle;

import io.stateaccel.operators.bundle.BundleSettings;
import java.util.IdentityHashMap;
import java.util.Map;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonCreator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;
import org.apache.flink.table.planner.plan.nodes.exec.ExecEdge;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.runtime.typeutils.TypeCheckUtils;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * What of the plan's settings is left for the bundles of one exec node.
 *
 * <p>The latency is a bound for a row's whole way through the plan, so each node on the way has a
 * part of it: as many parts as there are such nodes on the longest way through this one. On no way
 * do the parts come to more than the whole. Nodes are connected from the sources on, and each tells
 * those below it, so all is known when the plan is explained or translated.
 *
 * <p>A watermark says something of rows only to who has a time to compare it with. An output
 * without a row-time attribute has none for any operator downstream, and watermarks need not wait
 * for its rows then. The exception are sinks that compact changes between two watermarks.
 *
 * <p>A compiled plan has what came of this for each node: it is read node by node, in no order.
 */
public final class BundleShare {

    private static final String FIELD_NAME_NODES = "nodesOnLongestWay";
    private static final String FIELD_NAME_SINKS_READ_WATERMARKS = "sinksReadWatermarks";

    private final boolean sinksReadWatermarks;

    /** Whether it was read from a compiled plan, and is final. */
    private final boolean isCompiled;

    /** The most nodes with bundles on a way from here to a sink, and to a source. */
    private int above;

    private int below;

    /**
     * @param sinksReadWatermarks whether a sink of the statement does, of rows without a time
     */
    public BundleShare(boolean sinksReadWatermarks) {
        this.sinksReadWatermarks = sinksReadWatermarks;
        this.isCompiled = false;
    }

    /**
     * Reads what a compiled plan has.
     *
     * @param nodes with bundles on the longest way through this one, which is among them
     */
    @JsonCreator
    BundleShare(
            @JsonProperty(FIELD_NAME_NODES) int nodes,
            @JsonProperty(FIELD_NAME_SINKS_READ_WATERMARKS) boolean sinksReadWatermarks) {
        if (nodes < 1) {
            throw new IllegalArgumentException(
                    FIELD_NAME_NODES + " must be at least 1, but is " + nodes);
        }
        this.sinksReadWatermarks = sinksReadWatermarks;
        this.isCompiled = true;
        this.below = nodes - 1;
    }

    @JsonProperty(FIELD_NAME_NODES)
    int nodes() {
        return above + 1 + below;
    }

    @JsonProperty(FIELD_NAME_SINKS_READ_WATERMARKS)
    boolean sinksReadWatermarks() {
        return sinksReadWatermarks;
    }

    /** To be called once the node has its inputs, and these have theirs. */
    public void connected(ExecNode<?> node) {
        if (!isCompiled) {
            below = tellBelow(node, 0, new IdentityHashMap<>());
        }
    }

    /**
     * Tells the nodes below that there are some above.
     *
     * @param passed nodes with bundles between this one and the node, which are below it
     * @param told the most that were passed on the way to each node so far
     * @return the most nodes with bundles on a way from this one to a source
     */
    private static int tellBelow(ExecNode<?> node, int passed, Map<ExecNode<?>, Integer> told) {
        int most = passed;
        for (ExecEdge edge : node.getInputEdges()) {
            final ExecNode<?> input = edge.getSource();
            final int withInput = input instanceof BundlingNode ? passed + 1 : passed;
            if (told.getOrDefault(input, -1) >= withInput) {
                continue;
            }
            told.put(input, withInput);
            if (input instanceof BundlingNode bundling) {
                bundling.bundle().isBelow(withInput);
            }
            most = Math.max(most, tellBelow(input, withInput, told));
        }
        return most;
    }

    private void isBelow(int nodes) {
        above = Math.max(above, nodes);
    }

    /**
     * The settings for the node's operator.
     *
     * @param config of the node
     * @param outputType of the node, a row
     */
    public BundleSettings settings(ReadableConfig config, LogicalType outputType) {
        final BundleSettings plan = BundleSettingsResolver.resolve(config);
        return shareOf(plan, config)
                .endingAtWatermarks(
                        plan.endsAtWatermarks()
                                || sinksReadWatermarks
                                || outputType.getChildren().stream()
                                        .anyMatch(TypeCheckUtils::isRowTime));
    }

    private BundleSettings shareOf(BundleSettings plan, ReadableConfig config) {
        return BundleSettingsResolver.areOfUser(config)
                ? plan
                : plan.withLatency(Math.max(1, plan.latencyMillis() / nodes()));
    }

    /**
     * @param description of the node, which shows the plan's settings, or those of the node where
     *     it was read from a compiled plan
     * @param config of the node
     * @return the same with those of the node
     */
    public String describe(String description, ReadableConfig config) {
        if (isCompiled) {
            return description;
        }
        final BundleSettings plan = BundleSettingsResolver.resolve(config);
        return description.replace(plan.toString(), shareOf(plan, config).toString());
    }
}
