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
package io.stateaccel.config;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;

/**
 * Checks {@code table.exec.state-accel.*} before a statement is planned.
 *
 * <p>Those of the state backend are left to {@link BackendOptionsValidator}.
 *
 * <p>In goes the effective configuration of a session ({@code TableConfig}, which falls back to the
 * configuration of the cluster). Out comes nothing, or a {@link ValidationException} that names the
 * key, the value found and what to write instead.
 */
public final class StateAccelOptionsValidator {

    /** A key this close to a known one, in edits, is taken for a typing error. */
    private static final int NEAR_ENOUGH = 6;

    /** What a number of milliseconds can say. */
    private static final Duration LONGEST = Duration.ofMillis(Long.MAX_VALUE);

    private StateAccelOptionsValidator() {}

    /**
     * Whether acceleration is switched on.
     *
     * @throws ValidationException when the value is no boolean
     */
    public static boolean isEnabled(ReadableConfig config) {
        return read(config, StateAccelOptions.ENABLED, "'true' or 'false'");
    }

    /**
     * Checks every option and every key below {@link StateAccelOptions#TABLE_PREFIX} and {@link
     * StateAccelOptions#BACKEND_PREFIX}.
     *
     * @throws ValidationException on the first value or key that is wrong
     */
    public static void validate(ReadableConfig config) {
        describeUnknownKey(config)
                .ifPresent(
                        message -> {
                            throw new ValidationException(message);
                        });
        isEnabled(config);
        read(config, StateAccelOptions.ROCKSDB_ENABLED, "'true' or 'false'");
        read(config, StateAccelOptions.JOIN_AGGREGATE_FUSION_ENABLED, "'true' or 'false'");
        read(config, StateAccelOptions.JOIN_LOCAL_AGGREGATE_ENABLED, "'true' or 'false'");
        read(config, StateAccelOptions.MINI_BATCH_FOLLOW_LOAD, "'true' or 'false'");
        read(config, StateAccelOptions.PACKED_DISTINCT_ENABLED, "'true' or 'false'");
        read(config, StateAccelOptions.ALLOW_EMPTY_STATE, "'true' or 'false'");
        read(config, StateAccelOptions.JOIN_RANK_FUSION_ENABLED, "'true' or 'false'");
        read(config, StateAccelOptions.JOIN_NORMALIZE_FUSION_ENABLED, "'true' or 'false'");
        read(config, StateAccelOptions.AGGREGATE_BEFORE_JOIN_ENABLED, "'true' or 'false'");
        read(config, StateAccelOptions.JOIN_INPUT_PROJECTION_ENABLED, "'true' or 'false'");
        read(config, StateAccelOptions.AGGREGATE_CACHE_SIZE, "a memory size such as '16 mb'");
        read(config, StateAccelOptions.WINDOW_HEAP_SIZE, "a memory size such as '32 mb'");

        final String wholeNumber = "a whole number of rows, at least 1, such as '20000'";
        if (read(config, StateAccelOptions.MINI_BATCH_SIZE, wholeNumber) < 1) {
            throw invalid(config, StateAccelOptions.MINI_BATCH_SIZE, wholeNumber);
        }

        final String duration = "a duration of at least 1 ms, such as '1 s'";
        final Duration latency = read(config, StateAccelOptions.MINI_BATCH_ALLOW_LATENCY, duration);
        if (latency.compareTo(Duration.ofMillis(1)) < 0 || latency.compareTo(LONGEST) > 0) {
            throw invalid(config, StateAccelOptions.MINI_BATCH_ALLOW_LATENCY, duration);
        }
        final String someBytes = "a memory size of at least 1 byte, such as '16 mb'";
        if (read(config, StateAccelOptions.MINI_BATCH_MAX_BYTES, someBytes).getBytes() < 1) {
            throw invalid(config, StateAccelOptions.MINI_BATCH_MAX_BYTES, someBytes);
        }
        try {
            BackendOptionsValidator.validate(config);
        } catch (IllegalConfigurationException e) {
            throw new ValidationException(e.getMessage());
        }
    }

    /**
     * What to tell the user about the first key below one of the two prefixes that no option has;
     * empty when there is none. The switch itself may be the key that is misspelt, so this is worth
     * asking while acceleration is off.
     */
    public static Optional<String> describeUnknownKey(ReadableConfig config) {
        final List<String> known = StateAccelOptions.all().stream().map(ConfigOption::key).toList();
        return config.toMap().keySet().stream()
                .filter(
                        key ->
                                key.startsWith(StateAccelOptions.TABLE_PREFIX)
                                        || key.startsWith(StateAccelOptions.BACKEND_PREFIX))
                .filter(key -> !StateAccelOptions.isKnown(key))
                .sorted()
                .findFirst()
                .map(key -> describeUnknownKey(key, known));
    }

    private static String describeUnknownKey(String key, List<String> known) {
        final String nearest =
                known.stream().min(Comparator.comparingInt(k -> edits(key, k))).orElseThrow();
        final String suggestion =
                edits(key, nearest) <= NEAR_ENOUGH
                        ? " Did you mean '" + nearest + "'?"
                        : " Remove it, for example with RESET '" + key + "'.";
        return "Unknown option '"
                + key
                + "'."
                + suggestion
                + " Known options: "
                + known.stream().collect(Collectors.joining(", "))
                + ".";
    }

    private static <T> T read(ReadableConfig config, ConfigOption<T> option, String expected) {
        try {
            return config.get(option);
        } catch (IllegalArgumentException e) {
            // Without the cause: sql-client.sh shows only the innermost message.
            throw invalid(config, option, expected);
        }
    }

    private static ValidationException invalid(
            ReadableConfig config, ConfigOption<?> option, String expected) {
        return new ValidationException(
                BackendOptionsValidator.describeInvalid(config, option, expected));
    }

    /** Levenshtein's distance: the least number of letters to insert, remove or replace. */
    private static int edits(String from, String to) {
        int[] previous = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) {
            previous[j] = j;
        }
        for (int i = 1; i <= from.length(); i++) {
            final int[] current = new int[to.length() + 1];
            current[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                final int replaced =
                        previous[j - 1] + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
            }
            previous = current;
        }
        return previous[to.length()];
    }
}
