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
package io.stateaccel.planner.rule;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.planner.AsyncState;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.planner.bundle.BundleSettingsResolver;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.planner.bundle.WindowHeap;
import io.stateaccel.planner.reasons.ReasonLog;
import io.stateaccel.planner.statement.StatementPlans;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.api.TableConfig;
import org.apache.flink.table.api.config.ExecutionConfigOptions;

/**
 * What a rule may ask beside the node itself.
 *
 * @param tableConfig the session's configuration
 * @param reasons told what stays stock, or is accelerated less than it could be
 * @param statement what other plans of the statement have in common with the one at hand
 */
public record RuleContext(
        TableConfig tableConfig, ReasonLog reasons, StatementPlans.Statement statement) {

    /** Flink's, which has its constant in another class in Flink 1.20. */
    private static final ConfigOption<Boolean> INTERRUPTIBLE_TIMERS =
            ConfigOptions.key("execution.checkpointing.unaligned.interruptible-timers.enabled")
                    .booleanType()
                    .defaultValue(false);

    /**
     * When bundles are flushed, for all nodes of the plan.
     *
     * @throws org.apache.flink.table.api.ValidationException when the user's own mini-batch size or
     *     latency is missing or not positive
     */
    public BundleSettings bundle() {
        return BundleSettingsResolver.resolve(tableConfig);
    }

    /**
     * What of these settings is left for one node. To be asked for when the whole statement is
     * optimised.
     */
    public BundleShare bundleShare() {
        return new BundleShare(statement.sinksReadWatermarks());
    }

    /** Heap for accumulators of one aggregate sub-task. */
    public MemorySize aggregateCacheSize() {
        return tableConfig.get(StateAccelOptions.AGGREGATE_CACHE_SIZE);
    }

    /** Heap for the slices of windows of one sub-task. */
    public WindowHeap windowHeap() {
        return WindowHeap.of(tableConfig);
    }

    /**
     * Whether each of these nodes is read by the next one and nothing else in the statement, so
     * that they may become one: what Flink shares would be planned twice otherwise.
     */
    public boolean isOneWay(List<RelNode> nodes) {
        for (int i = 1; i < nodes.size(); i++) {
            if (!statement.isReadOnlyBy(nodes.get(i - 1), nodes.get(i))) {
                return false;
            }
        }
        return true;
    }

    public boolean isAsyncStateEnabled() {
        return AsyncState.isEnabled(tableConfig);
    }

    /**
     * Whether other things may be done between the timers of one watermark, for the sake of
     * unaligned checkpoints.
     */
    public boolean mayTimersBeInterrupted() {
        return tableConfig.get(INTERRUPTIBLE_TIMERS);
    }

    /** State TTL of nodes that carry no hint, in milliseconds, 0 when state is kept for ever. */
    public long stateTtlMillis() {
        return tableConfig.get(ExecutionConfigOptions.IDLE_STATE_RETENTION).toMillis();
    }
}
