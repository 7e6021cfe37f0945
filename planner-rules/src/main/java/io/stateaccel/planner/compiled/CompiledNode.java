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
package io.stateaccel.planner.compiled;

import io.stateaccel.config.StateAccelOptionsValidator;
import io.stateaccel.views.time.TimeToLive;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.planner.delegation.PlannerBase;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNode;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeContext;
import org.apache.flink.table.planner.plan.nodes.exec.StateMetadata;
import org.apache.flink.table.planner.plan.utils.ExecNodeMetadataUtil;

/** What an exec node of ours shares with compiled plans, where it stands in for a node of Flink. */
public final class CompiledNode {

    private CompiledNode() {}

    /**
     * The name and version of a node that is planned. The version is that of Flink's node, since
     * what is inherited from it may go by that.
     *
     * @param node has the name
     * @param stock the node of Flink that it extends
     */
    public static <N extends ExecNode<?>, S extends ExecNode<?>> ExecNodeContext context(
            Class<N> node, Class<S> stock) {
        return new ExecNodeContext(
                ExecNodeMetadataUtil.latestAnnotation(node).name()
                        + "_"
                        + ExecNodeMetadataUtil.latestAnnotation(stock).version());
    }

    /**
     * The options that stay with a node in a compiled plan, whatever the session says that executes
     * it: those of Flink's node and some more, of these the ones that have a value or a default.
     *
     * @param tableConfig of the session
     */
    public static <S extends ExecNode<?>> ReadableConfig config(
            Class<S> stock, ReadableConfig tableConfig, List<ConfigOption<?>> more) {
        final Configuration config = new Configuration();
        config.addAll((Configuration) ExecNodeContext.newPersistedConfig(stock, tableConfig));
        more.forEach(option -> copy(option, tableConfig, config));
        return config;
    }

    private static <T> void copy(ConfigOption<T> option, ReadableConfig from, Configuration to) {
        T value = from.get(option);
        if (value != null) {
            to.set(option, value);
        }
    }

    /**
     * To be called before a node makes its operator. What is otherwise done when a statement is
     * planned has not been done for a plan that is read: users edit those.
     */
    public static void translating(PlannerBase planner, ExecNodeConfig config) {
        if (config.isCompiled()) {
            StateAccelOptionsValidator.validate(config);
            planner.getTableConfig()
                    .getPlannerConfig()
                    .unwrap(CompiledPlanUser.class)
                    .ifPresent(CompiledPlanUser::translating);
        }
    }

    /**
     * How long the states of a node live.
     *
     * @param number of states
     * @param states as the node has them, null where the session's time holds
     */
    public static List<TimeToLive> timesToLive(
            int number, @Nullable List<StateMetadata> states, ExecNodeConfig config) {
        return StateMetadata.getStateTtlForMultiInputOperator(config, number, states).stream()
                .map(TimeToLive::ofMillis)
                .toList();
    }

    /** How long the one state of a node lives. */
    public static TimeToLive timeToLive(
            @Nullable List<StateMetadata> states, ExecNodeConfig config) {
        return timesToLive(1, states, config).get(0);
    }
}
