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

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.bundle.BundleSettings;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.config.ExecutionConfigOptions;

/**
 * Decides whose mini-batch settings rule: the user's own ones wherever the user enabled them. Flink
 * has no limit of bytes, so ours holds in any case.
 */
public final class BundleSettingsResolver {

    private static final List<ConfigOption<?>> OPTIONS =
            List.of(
                    ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ENABLED,
                    ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_SIZE,
                    ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ALLOW_LATENCY,
                    StateAccelOptions.MINI_BATCH_SIZE,
                    StateAccelOptions.MINI_BATCH_ALLOW_LATENCY,
                    StateAccelOptions.MINI_BATCH_MAX_BYTES,
                    StateAccelOptions.MINI_BATCH_FOLLOW_LOAD);

    private BundleSettingsResolver() {}

    /** The options that decide about bundles, and some more that a node goes by. */
    public static List<ConfigOption<?>> optionsAnd(ConfigOption<?>... more) {
        return Stream.concat(OPTIONS.stream(), Stream.of(more)).toList();
    }

    /**
     * The settings of a plan, whose latency is that of a row's whole way through it unless they are
     * the user's own.
     *
     * @throws ValidationException when the user's own size or latency is missing or not positive
     */
    public static BundleSettings resolve(ReadableConfig config) {
        if (areOfUser(config)) {
            return ofUser(config);
        }
        final boolean followLoad = config.get(StateAccelOptions.MINI_BATCH_FOLLOW_LOAD);
        return new BundleSettings(
                config.get(StateAccelOptions.MINI_BATCH_SIZE),
                config.get(StateAccelOptions.MINI_BATCH_ALLOW_LATENCY).toMillis(),
                config.get(StateAccelOptions.MINI_BATCH_MAX_BYTES),
                followLoad,
                !followLoad);
    }

    /** Whether the user's own mini-batch settings rule, which hold for each operator. */
    static boolean areOfUser(ReadableConfig config) {
        return config.get(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ENABLED);
    }

    private static BundleSettings ofUser(ReadableConfig config) {
        // Flink's defaults are -1 and 0: whoever enables mini-batch has to set both.
        final long size = config.get(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_SIZE);
        if (size < 1) {
            throw mustBePositive(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_SIZE.key(), size);
        }
        final long latencyMillis =
                config.get(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ALLOW_LATENCY).toMillis();
        if (latencyMillis < 1) {
            throw mustBePositive(
                    ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ALLOW_LATENCY.key(), latencyMillis);
        }
        return new BundleSettings(
                size,
                latencyMillis,
                config.get(StateAccelOptions.MINI_BATCH_MAX_BYTES),
                false,
                true);
    }

    private static ValidationException mustBePositive(String key, long found) {
        return new ValidationException(
                "'"
                        + ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ENABLED.key()
                        + "' is true, but '"
                        + key
                        + "' is "
                        + found
                        + ": set it to a positive value, or set '"
                        + ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ENABLED.key()
                        + "' to 'false' to let '"
                        + StateAccelOptions.TABLE_PREFIX
                        + "mini-batch.*' rule.");
    }
}
