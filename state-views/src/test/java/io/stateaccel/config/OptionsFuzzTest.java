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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever an option is set to: it is taken, or one message names option, value and the fix. */
class OptionsFuzzTest {

    private static final int RANDOM_VALUES = 60;

    private static final List<String> NO_BOOLEANS = List.of("yes", "1", "", "truee", "on", "null");
    private static final List<String> NO_MEMORY_SIZES =
            List.of("big", "-1 mb", "1 xb", "1.5 mb", "mb", "", "99999999999999 tb", "1 s");

    /** Wrong types, ranges and units, by option. */
    private static final Map<ConfigOption<?>, List<String>> WRONG =
            Map.ofEntries(
                    Map.entry(StateAccelOptions.ENABLED, NO_BOOLEANS),
                    Map.entry(
                            StateAccelOptions.MINI_BATCH_SIZE,
                            List.of("many", "0", "-3", "1.5", "99999999999", "1 k", "", "0x10")),
                    Map.entry(
                            StateAccelOptions.MINI_BATCH_ALLOW_LATENCY,
                            List.of(
                                    "soon",
                                    "0 ms",
                                    "999 us",
                                    "-1 s",
                                    "1 fortnight",
                                    "1 mb",
                                    "",
                                    "999999999999999999999 d",
                                    "9999999999999 d",
                                    "106751991168 d")),
                    Map.entry(
                            StateAccelOptions.MINI_BATCH_MAX_BYTES,
                            Stream.concat(NO_MEMORY_SIZES.stream(), Stream.of("0", "0 mb"))
                                    .toList()),
                    Map.entry(StateAccelOptions.AGGREGATE_CACHE_SIZE, NO_MEMORY_SIZES),
                    Map.entry(StateAccelOptions.WINDOW_HEAP_SIZE, NO_MEMORY_SIZES),
                    Map.entry(StateAccelOptions.JOIN_AGGREGATE_FUSION_ENABLED, NO_BOOLEANS),
                    Map.entry(StateAccelOptions.JOIN_LOCAL_AGGREGATE_ENABLED, NO_BOOLEANS),
                    Map.entry(StateAccelOptions.JOIN_RANK_FUSION_ENABLED, NO_BOOLEANS),
                    Map.entry(StateAccelOptions.JOIN_NORMALIZE_FUSION_ENABLED, NO_BOOLEANS),
                    Map.entry(StateAccelOptions.AGGREGATE_BEFORE_JOIN_ENABLED, NO_BOOLEANS),
                    Map.entry(StateAccelOptions.JOIN_INPUT_PROJECTION_ENABLED, NO_BOOLEANS),
                    Map.entry(StateAccelOptions.PACKED_DISTINCT_ENABLED, NO_BOOLEANS),
                    Map.entry(StateAccelOptions.ALLOW_EMPTY_STATE, NO_BOOLEANS),
                    Map.entry(StateAccelOptions.MINI_BATCH_FOLLOW_LOAD, NO_BOOLEANS),
                    Map.entry(StateAccelOptions.ROCKSDB_ENABLED, NO_BOOLEANS),
                    Map.entry(StateAccelOptions.ROCKSDB_PARTITIONED_INDEX_FILTERS, NO_BOOLEANS),
                    Map.entry(
                            StateAccelOptions.ROCKSDB_BLOOM_FILTER_BITS_PER_KEY,
                            List.of("many", "-1", "101", "1.5", "", "10 bits", "99999999999")),
                    Map.entry(
                            StateAccelOptions.ROCKSDB_LEVEL0_MAX_FILES,
                            List.of("many", "-1", "3", "101", "1.5", "", "99999999999")),
                    Map.entry(
                            StateAccelOptions.ROCKSDB_COMPRESSION_PER_LEVEL,
                            List.of("gzip", "lz4;gzip", "lz4,zstd", "lz4 zstd", "6")),
                    Map.entry(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE, NO_MEMORY_SIZES),
                    Map.entry(
                            StateAccelOptions.VALUE_SEPARATION_MIN_SIZE_PER_STATE,
                            List.of("4kb", "state", "state:much", "state:-1", "a:4kb,b:")),
                    Map.entry(StateAccelOptions.VALUE_SEPARATION_AUTOMATIC, NO_BOOLEANS),
                    Map.entry(
                            StateAccelOptions.ROCKSDB_OVERRIDES,
                            List.of(
                                    "hash-linked-list",
                                    "memtable:skip-list",
                                    "mapp.memtable:skip-list",
                                    "map:skip-list",
                                    "map.:skip-list",
                                    "map.memtabel:skip-list",
                                    "map.memtable:hash",
                                    "map.memtable:",
                                    "timer.memtable:hash-skip-list",
                                    "timer.bloom-filter.bits-per-key:10",
                                    "timer.value-separation.min-size:1kb",
                                    "value.key-prefix:true",
                                    "map.key-prefix:yes",
                                    "map.key-prefix:false,map.memtable:hash-skip-list",
                                    "list.bloom-filter.bits-per-key:101",
                                    "list.bloom-filter.bits-per-key:many",
                                    "value.compression-per-level:gzip",
                                    "value.compression-per-level:lz4;gzip",
                                    "value.block-size:1b",
                                    "value.block-size:1gb",
                                    "value.block-size:much",
                                    "value.value-separation.min-size:-1",
                                    "value.block-size:4kb,value.block-size:8kb")),
                    Map.entry(StateAccelOptions.CACHE_SIZE, NO_MEMORY_SIZES),
                    Map.entry(
                            StateAccelOptions.CACHE_BYPASS_HIT_RATIO,
                            List.of("often", "-0.1", "1.1", "NaN", "Infinity", "10 %", "")),
                    Map.entry(StateAccelOptions.NATIVE_ENABLED, NO_BOOLEANS),
                    Map.entry(StateAccelOptions.RESTORE_MANIFEST_CHECK_ENABLED, NO_BOOLEANS),
                    Map.entry(StateAccelOptions.RESTORE_KEY_GROUP_CHECK_ENABLED, NO_BOOLEANS),
                    Map.entry(StateAccelOptions.METRICS_ENABLED, NO_BOOLEANS),
                    Map.entry(
                            StateAccelOptions.METRICS_SAMPLE_INTERVAL,
                            List.of("often", "-1", "1.5", "", "99999999999")),
                    Map.entry(
                            StateAccelOptions.METRICS_HOTTEST_KEY,
                            List.of("plain", "true", "", "1", "HASH;VALUE")),
                    Map.entry(
                            StateAccelOptions.DISK_CHECK_MODE,
                            List.of("sometimes", "true", "", "1", "WARN;FAIL")),
                    Map.entry(
                            StateAccelOptions.DISK_CHECK_MIN_READS_PER_SECOND,
                            List.of("many", "-1", "0.5", "", "500 iops", "99999999999")));

    static Stream<Arguments> wrongValues() {
        return WRONG.entrySet().stream()
                .flatMap(
                        entry ->
                                entry.getValue().stream()
                                        .map(value -> Arguments.of(entry.getKey(), value)));
    }

    @Test
    void everyOptionIsTried() {
        Set<String> tried =
                WRONG.keySet().stream().map(ConfigOption::key).collect(Collectors.toSet());
        assertThat(StateAccelOptions.all()).extracting(ConfigOption::key).allMatch(tried::contains);
    }

    @ParameterizedTest
    @MethodSource("wrongValues")
    void aWrongValueGetsOneMessageWithTheFix(ConfigOption<?> option, String value) {
        Configuration config = config(option, value);
        assertThatThrownBy(() -> StateAccelOptionsValidator.validate(config))
                .isInstanceOf(ValidationException.class)
                .hasNoCause()
                .hasMessageStartingWith(
                        "Invalid value '"
                                + value
                                + "' of option '"
                                + option.key()
                                + "': set it to ")
                .hasMessageEndingWith(", or use the default with RESET '" + option.key() + "'.");
        if (option.key().startsWith(StateAccelOptions.BACKEND_PREFIX)) {
            assertThatThrownBy(() -> BackendOptionsValidator.validate(config))
                    .isInstanceOf(IllegalConfigurationException.class)
                    .hasNoCause()
                    .hasMessageContaining("'" + value + "' of option '" + option.key() + "'");
        }
    }

    static Stream<ConfigOption<?>> options() {
        return StateAccelOptions.all().stream();
    }

    @ParameterizedTest
    @MethodSource("options")
    void noValueFailsWithoutAMessage(ConfigOption<?> option) {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int taken = 0;
        for (int i = 0; i < RANDOM_VALUES; i++) {
            String value = randomValue(random);
            String as = "%s = '%s', seed %d".formatted(option.key(), value, seed);
            try {
                StateAccelOptionsValidator.validate(config(option, value));
                taken++;
            } catch (ValidationException e) {
                assertThat(e).as(as).hasMessageContaining("'" + value + "'");
                assertThat(e).as(as).hasMessageContaining("'" + option.key() + "'");
            } catch (RuntimeException e) {
                throw new AssertionError(as, e);
            }
        }
        assertThat(taken).as("not everything is taken, seed %d", seed).isLessThan(RANDOM_VALUES);
    }

    /** Numbers with and without units, words, and characters that are none of them. */
    private static String randomValue(Random random) {
        String[] numbers = {"0", "1", "-1", "1e3", "0.5", "2147483648", "9223372036854775808"};
        String[] rest = {"", " ms", " mb", "%", ";lz4", " d", "true", "\u00e9", "'", "\n", " b"};
        StringBuilder value = new StringBuilder();
        for (int part = random.nextInt(2); part >= 0; part--) {
            value.append(numbers[random.nextInt(numbers.length)]);
            value.append(rest[random.nextInt(rest.length)]);
        }
        if (random.nextInt(4) == 0) {
            value.setLength(random.nextInt(value.length() + 1));
        }
        return value.toString();
    }

    private static Configuration config(ConfigOption<?> option, String value) {
        Configuration config = new Configuration();
        config.setString(option.key(), value);
        return config;
    }
}
