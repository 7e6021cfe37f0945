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
package io.stateaccel.metrics;

import io.stateaccel.config.HottestKeyMode;
import io.stateaccel.config.StateAccelOptions;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.execution.Environment;
import org.apache.flink.runtime.metrics.groups.AbstractMetricGroup;

/**
 * Where the metrics of the accelerator are: {@code state-accel} in an operator's group, and in it a
 * group for each part that has some. {@code docs/metrics.md} lists all of them.
 *
 * <p>Values are plain fields that the task thread writes and a reporter's thread may see a little
 * late. So metrics cost the task thread what it takes to count, and nothing else.
 */
public final class AcceleratorMetrics {

    private static final String GROUP = "state-accel";

    private AcceleratorMetrics() {}

    /** Whether the job, or else the cluster, wants metrics: what {@code task} was started with. */
    public static boolean areEnabled(Environment task) {
        return option(StateAccelOptions.METRICS_ENABLED, task);
    }

    /** What is shown of keys, as the job, or else the cluster, wants it. */
    public static HottestKeyMode hottestKeyMode(Environment task) {
        return option(StateAccelOptions.METRICS_HOTTEST_KEY, task);
    }

    private static <T> T option(ConfigOption<T> option, Environment task) {
        return task.getJobConfiguration()
                .getOptional(option)
                .orElseGet(() -> task.getTaskManagerInfo().getConfiguration().get(option));
    }

    /**
     * The group to work with: that of the operator, or one that no reporter sees when metrics are
     * off.
     */
    public static MetricGroup ofOperator(MetricGroup operator, boolean enabled) {
        return enabled ? operator : new UnregisteredMetricsGroup();
    }

    /**
     * Opens the group of a part of the accelerator.
     *
     * @param operator the operator's group, in which no other live object has the same part
     */
    public static MetricGroup open(MetricGroup operator, String part) {
        MetricGroup accelerator = operator.addGroup(GROUP);
        // A backend whose changelog could not be replayed is never disposed of; Flink then tries
        // another copy of the snapshot, and the old group would refuse the metrics of that attempt.
        close(accelerator.addGroup(part));
        return accelerator.addGroup(part);
    }

    /** Takes all metrics of a group off the reporters, which hold what they show until then. */
    public static void close(MetricGroup group) {
        if (group instanceof AbstractMetricGroup<?> closeable) {
            closeable.close();
        }
    }
}
