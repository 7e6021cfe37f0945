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
package io.stateaccel.rocksdb;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.jni.NativeTesting;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.rocksdb.testing.LogCollector;
import io.stateaccel.rocksdb.testing.OptionsFile;
import io.stateaccel.rocksdb.testing.RandomStates;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.base.BigIntSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which memtables states have: skip lists or hash tables. */
class MemtablePolicyTest extends StatesOfEveryKind {

    @ParameterizedTest
    @CsvSource({
        "hash-skip-list, HashSkipListRepFactory, 16 mb",
        "hash-skip-list, HashSkipListRepFactory, 0",
        "hash-linked-list, HashLinkListRepFactory, 16 mb",
        "hash-linked-list, HashLinkListRepFactory, 0",
    })
    void memtablesAreHashTablesWhereThatIsAskedFor(String memtable, String factory, String cache)
            throws Exception {
        NativeTesting.library(directory);
        OptionsFile options =
                optionsInEffect(
                        Map.of(
                                StateAccelOptions.ROCKSDB_OVERRIDES.key(),
                                "value.memtable:%1$s,list.memtable:%1$s,map.memtable:%1$s,map.bloom-filter.bits-per-key:0"
                                        .formatted(memtable),
                                StateAccelOptions.CACHE_SIZE.key(),
                                cache));
        for (String state : List.of("value", "list", "map")) {
            assertThat(options.columnFamily(state, "memtable_factory")).as(state).contains(factory);
            assertKeyPrefix(options, state);
        }
        for (String state : List.of("reducing", "aggregating", "timers")) {
            assertSafeToIterate(options, state);
        }
        assertThat(options.database("allow_concurrent_memtable_write")).isEqualTo("false");
    }

    @Test
    void severalThreadsMayWriteToSkipLists() throws Exception {
        OptionsFile options =
                optionsInEffect(
                        Map.of(
                                StateAccelOptions.ROCKSDB_OVERRIDES.key(),
                                "map.memtable:skip-list"));
        assertThat(options.database("allow_concurrent_memtable_write")).isEqualTo("true");
    }

    @ParameterizedTest
    @CsvSource({
        "state.backend.state-accel.native.enabled, false, which needs the native library",
        "state.backend.rocksdb.options-factory,"
                + " io.stateaccel.rocksdb.testing.UnchangedOptions,"
                + " it is up to the RocksDBOptionsFactory",
    })
    void memtablesAreSkipListsWhereTheyCannotBeHashTables(String option, String value, String why)
            throws Exception {
        LogCollector log = new LogCollector(ColumnFamilyOptionsSource.class.getName());
        try {
            OptionsFile options =
                    optionsInEffect(
                            Map.of(
                                    StateAccelOptions.ROCKSDB_OVERRIDES.key(),
                                    "value.memtable:hash-skip-list",
                                    option,
                                    value));
            assertSafeToIterate(options, "value");
            assertThat(options.database("allow_concurrent_memtable_write")).isEqualTo("true");
        } finally {
            log.close();
        }
        assertThat(log.lines())
                .filteredOn(line -> line.contains("hash-skip-list"))
                .containsExactly("[state-accel] state 'value': no hash-skip-list memtable, " + why);
    }

    @Test
    void theMemtableOfKeysThatCannotBeToldFromTheirBytesIsASkipList() throws Exception {
        NativeTesting.library(directory);
        LogCollector log = new LogCollector(ColumnFamilyOptionsSource.class.getName());
        AbstractKeyedStateBackend<BigInteger> backend =
                BackendHarness.open(
                        Make.ACCELERATED_HASH_LINKED_LIST.create(
                                BackendHarness.config(directory, Map.of())),
                        BigIntSerializer.INSTANCE,
                        MAX_PARALLELISM,
                        ALL_KEY_GROUPS,
                        List.of());
        try {
            backend.getPartitionedState("namespace", StringSerializer.INSTANCE, RandomStates.VALUE);
            assertSafeToIterate(OptionsFile.below(directory), "value");
        } finally {
            backend.dispose();
            log.close();
        }
        assertThat(log.lines())
                .filteredOn(line -> line.contains("hash-linked-list"))
                .containsExactly(
                        "[state-accel] state 'value': no hash-linked-list memtable, the bytes of"
                                + " its keys or namespaces do not tell where they end");
    }
}
