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

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;

/**
 * Checks {@code state.backend.state-accel.*} where a statement is planned, and where a DataStream
 * program, which may have no table API on its class path, configures its state backend.
 */
public final class BackendOptionsValidator {

    /** Above this a filter is only memory; RocksDB itself takes any number. */
    private static final int MOST_BITS_PER_KEY = 100;

    /** Above this every read of an absent key asks too many filters. */
    private static final int MOST_LEVEL0_FILES = 100;

    private static final Set<String> COMPRESSIONS = Set.of("none", "snappy", "lz4", "zstd");

    /** What {@link #areBitsPerKey} takes. */
    static final String BITS_PER_KEY =
            "a whole number between 0 (no filter) and " + MOST_BITS_PER_KEY + ", such as '10'";

    /** What {@link #areCompressions} takes. */
    static final String COMPRESSION_LIST = "a list of none, snappy, lz4, zstd, such as 'lz4;zstd'";

    private BackendOptionsValidator() {}

    /**
     * Checks every option of the backend.
     *
     * @throws IllegalConfigurationException on the first value that is wrong; names the key, the
     *     value found and what to write instead
     */
    public static void validate(ReadableConfig config) {
        check(
                config,
                StateAccelOptions.ROCKSDB_PARTITIONED_INDEX_FILTERS,
                "'true' or 'false'",
                either -> true);
        check(
                config,
                StateAccelOptions.ROCKSDB_BLOOM_FILTER_BITS_PER_KEY,
                BITS_PER_KEY,
                BackendOptionsValidator::areBitsPerKey);
        check(
                config,
                StateAccelOptions.ROCKSDB_COMPRESSION_PER_LEVEL,
                COMPRESSION_LIST,
                BackendOptionsValidator::areCompressions);
        check(
                config,
                StateAccelOptions.ROCKSDB_LEVEL0_MAX_FILES,
                "a whole number between 4 (as in RocksDB) and "
                        + MOST_LEVEL0_FILES
                        + ", such as '12'",
                files -> files >= 4 && files <= MOST_LEVEL0_FILES);
        check(
                config,
                StateAccelOptions.VALUE_SEPARATION_MIN_SIZE,
                "a memory size such as '4 kb', or '0' for none",
                size -> true);
        check(
                config,
                StateAccelOptions.VALUE_SEPARATION_MIN_SIZE_PER_STATE,
                "names of states with memory sizes, such as 'right-records:4kb,left-records:0'",
                sizes -> sizes.values().stream().allMatch(BackendOptionsValidator::isMemorySize));
        check(
                config,
                StateAccelOptions.VALUE_SEPARATION_AUTOMATIC,
                "'true' or 'false'",
                either -> true);
        checkOverrides(config);
        check(
                config,
                StateAccelOptions.CACHE_SIZE,
                "a memory size such as '64 mb', or '0'",
                size -> true);
        check(
                config,
                StateAccelOptions.CACHE_BYPASS_HIT_RATIO,
                "a number from 0 to 1, such as '0.1'",
                ratio -> ratio >= 0 && ratio <= 1);
        check(config, StateAccelOptions.NATIVE_ENABLED, "'true' or 'false'", either -> true);
        check(
                config,
                StateAccelOptions.RESTORE_MANIFEST_CHECK_ENABLED,
                "'true' or 'false'",
                either -> true);
        check(
                config,
                StateAccelOptions.RESTORE_KEY_GROUP_CHECK_ENABLED,
                "'true' or 'false'",
                either -> true);
        check(config, StateAccelOptions.DISK_CHECK_MODE, "WARN, FAIL or OFF", mode -> true);
        check(
                config,
                StateAccelOptions.DISK_CHECK_MIN_READS_PER_SECOND,
                "a whole number of reads, at least 0, such as '500'",
                reads -> reads >= 0);
        check(config, StateAccelOptions.METRICS_ENABLED, "'true' or 'false'", either -> true);
        check(
                config,
                StateAccelOptions.METRICS_SAMPLE_INTERVAL,
                "a whole number of reads, at least 0 (none), such as '100'",
                interval -> interval >= 0);
        check(config, StateAccelOptions.METRICS_HOTTEST_KEY, "HASH, VALUE or OFF", mode -> true);
    }

    private static void checkOverrides(ReadableConfig config) {
        ConfigOption<Map<String, String>> option = StateAccelOptions.ROCKSDB_OVERRIDES;
        Optional<String> expected;
        try {
            expected = config.getOptional(option).flatMap(KindOverrides::expectedInsteadOf);
        } catch (IllegalArgumentException e) {
            expected =
                    Optional.of("entries such as 'map.block-size:16kb,value.memtable:skip-list'");
        }
        if (expected.isPresent()) {
            throw new IllegalConfigurationException(
                    describeInvalid(config, option, expected.get()));
        }
    }

    private static boolean isMemorySize(String size) {
        MemorySize.parseBytes(size);
        return true;
    }

    static boolean areBitsPerKey(int bits) {
        return bits >= 0 && bits <= MOST_BITS_PER_KEY;
    }

    static boolean areCompressions(List<String> names) {
        return !names.isEmpty()
                && names.stream()
                        .map(name -> name.trim().toLowerCase(Locale.ROOT))
                        .allMatch(COMPRESSIONS::contains);
    }

    private static <T> void check(
            ReadableConfig config, ConfigOption<T> option, String expected, Predicate<T> isValid) {
        boolean valid;
        try {
            valid = config.getOptional(option).map(isValid::test).orElse(true);
        } catch (IllegalArgumentException e) {
            // Without the cause: sql-client.sh shows only the innermost message.
            valid = false;
        }
        if (!valid) {
            throw new IllegalConfigurationException(describeInvalid(config, option, expected));
        }
    }

    /** What to tell the user about an option whose value is wrong. */
    static String describeInvalid(ReadableConfig config, ConfigOption<?> option, String expected) {
        return "Invalid value '"
                + written(config, option)
                + "' of option '"
                + option.key()
                + "': set it to "
                + expected
                + ", or use the default with RESET '"
                + option.key()
                + "'.";
    }

    /** As the user wrote it; a map may be written with an option for each entry. */
    private static String written(ReadableConfig config, ConfigOption<?> option) {
        Map<String, String> all = config.toMap();
        String prefix = option.key() + '.';
        return all.containsKey(option.key())
                ? all.get(option.key())
                : all.entrySet().stream()
                        .filter(entry -> entry.getKey().startsWith(prefix))
                        .sorted(Map.Entry.comparingByKey())
                        .map(e -> e.getKey().substring(prefix.length()) + ':' + e.getValue())
                        .collect(Collectors.joining(","));
    }
}
