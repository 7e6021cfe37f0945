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
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.api.ValidationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StateAccelOptionsValidatorTest {

    @Test
    void defaultsAreValid() {
        final Configuration defaults = new Configuration();

        assertThatCode(() -> StateAccelOptionsValidator.validate(defaults))
                .doesNotThrowAnyException();
        assertThat(StateAccelOptionsValidator.isEnabled(defaults)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "enabled, ja, 'true' or 'false'",
        "rocksdb.enabled, 2, 'true' or 'false'",
        "mini-batch.size, -1, at least 1",
        "mini-batch.size, 0, at least 1",
        "mini-batch.size, many, at least 1",
        "mini-batch.allow-latency, -1 s, at least 1 ms",
        "mini-batch.allow-latency, 0 ms, at least 1 ms",
        "mini-batch.allow-latency, 999 us, at least 1 ms",
        "mini-batch.allow-latency, soon, at least 1 ms",
        "aggregate-cache.size, -1 mb, a memory size",
        "aggregate-cache.size, big, a memory size",
        "window.heap-size, many, a memory size",
    })
    void aWrongValueIsNamedWithItsKeyAndTheFix(String option, String value, String fix) {
        final String key = StateAccelOptions.TABLE_PREFIX + option;

        assertThatThrownBy(() -> StateAccelOptionsValidator.validate(config(key, value)))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("'" + key + "'")
                .hasMessageContaining("'" + value + "'")
                .hasMessageContaining(fix)
                .hasNoCause();
    }

    @ParameterizedTest
    @CsvSource({
        "mini-batch.size, 1",
        "mini-batch.allow-latency, 1 ms",
        "aggregate-cache.size, 0",
        "window.heap-size, 0",
    })
    void theSmallestValuesAreValid(String option, String value) {
        final Configuration config = config(StateAccelOptions.TABLE_PREFIX + option, value);

        assertThatCode(() -> StateAccelOptionsValidator.validate(config))
                .doesNotThrowAnyException();
    }

    @Test
    void aMisspeltKeyIsToldTheNearestKnownOne() {
        assertThatThrownBy(
                        () ->
                                StateAccelOptionsValidator.validate(
                                        config("table.exec.state-accel.mini-batch.sise", "10")))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("Unknown option 'table.exec.state-accel.mini-batch.sise'")
                .hasMessageContaining("Did you mean 'table.exec.state-accel.mini-batch.size'?")
                .hasMessageContaining(
                        "Known options: table.exec.state-accel.enabled,"
                                + " table.exec.state-accel.mini-batch.size,");
    }

    @Test
    void aKeyLikeNoOtherIsToBeRemoved() {
        assertThatThrownBy(
                        () ->
                                StateAccelOptionsValidator.validate(
                                        config("table.exec.state-accel.turbo-charger", "10")))
                .hasMessageContaining("RESET 'table.exec.state-accel.turbo-charger'")
                .hasMessageContaining("Known options: ");
    }

    @Test
    void keysOfOthersAreNotLookedAt() {
        final Configuration config = config("table.exec.mini-batch.sise", "10");

        assertThat(StateAccelOptionsValidator.describeUnknownKey(config)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "'mapp.memtable:skip-list', 'mapp.memtable', 'value, list, map'",
        "'map.memtabel:skip-list', 'map.memtabel', 'memtable, bloom-filter.bits-per-key,'",
        "'timer.memtable:skip-list', 'timer.memtable', 'compression-per-level, block-size'",
        "'map.memtable:hash', 'map.memtable', 'hash-skip-list, hash-linked-list'",
        "'list.block-size:4kb,map.block-size:0', 'map.block-size', '1 kb to 16 mb'",
        "'map.key-prefix:false,map.memtable:hash-skip-list', 'map.key-prefix', 'is skip-list or'",
    })
    void aWrongOverrideIsNamedWithTheFix(String overrides, String entry, String fix) {
        final String key = StateAccelOptions.ROCKSDB_OVERRIDES.key();

        assertThatThrownBy(() -> StateAccelOptionsValidator.validate(config(key, overrides)))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("'" + overrides + "' of option '" + key + "'")
                .hasMessageContaining("'" + entry + "'")
                .hasMessageContaining(fix);
    }

    @Test
    void everyOverrideThereIsIsTaken() {
        final String overrides =
                "value.memtable:hash-skip-list,list.memtable:HASH-LINKED-LIST,"
                        + "map.memtable:skip-list,map.key-prefix:false,"
                        + "reducing.bloom-filter.bits-per-key:0,timer.block-size:64kb,"
                        + "aggregating.compression-per-level:none;LZ4; zstd,"
                        + "list.value-separation.min-size:1 kb";

        assertThatCode(
                        () ->
                                StateAccelOptionsValidator.validate(
                                        config(
                                                StateAccelOptions.ROCKSDB_OVERRIDES.key(),
                                                overrides)))
                .doesNotThrowAnyException();
    }

    /** As Flink reads a map of {@code config.yaml}. */
    @Test
    void aMapMayHaveAKeyForEachEntry() {
        final String key = StateAccelOptions.ROCKSDB_OVERRIDES.key() + ".map.block-size";

        assertThatCode(() -> StateAccelOptionsValidator.validate(config(key, "8kb")))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> StateAccelOptionsValidator.validate(config(key, "8")))
                .hasMessageContaining("Invalid value 'map.block-size:8' of option");
    }

    private static Configuration config(String key, String value) {
        return Configuration.fromMap(Map.of(key, value));
    }
}
