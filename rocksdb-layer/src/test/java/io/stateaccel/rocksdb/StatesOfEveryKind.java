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

import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.rocksdb.testing.OptionsFile;
import io.stateaccel.rocksdb.testing.RandomStates;
import io.stateaccel.rocksdb.testing.RandomStates.Keys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.junit.jupiter.api.io.TempDir;

/** Backends with states of every kind, and the options that RocksDB has in effect for them. */
abstract class StatesOfEveryKind {

    static final List<String> READ_BY_KEY =
            List.of("value", "list", "map", "reducing", "aggregating");
    static final int MAX_PARALLELISM = 128;
    static final KeyGroupRange ALL_KEY_GROUPS = KeyGroupRange.of(0, MAX_PARALLELISM - 1);

    @TempDir Path directory;

    /** Those that RocksDB has while a backend with the given ones is in use. */
    OptionsFile optionsInEffect(Map<String, String> options) throws Exception {
        AbstractKeyedStateBackend<String> backend =
                open(options, List.of(), new UnregisteredMetricsGroup());
        try {
            useEveryKind(backend);
            return OptionsFile.below(directory);
        } finally {
            backend.dispose();
        }
    }

    AbstractKeyedStateBackend<String> open(
            Map<String, String> options, List<KeyedStateHandle> handles, MetricGroup metrics)
            throws IOException {
        return BackendHarness.open(
                Make.ACCELERATED.create(BackendHarness.config(directory, options)),
                Keys.VARIABLE_LENGTH.serializer(),
                MAX_PARALLELISM,
                ALL_KEY_GROUPS,
                handles,
                TtlTimeProvider.DEFAULT,
                metrics);
    }

    static void useEveryKind(AbstractKeyedStateBackend<String> backend) throws Exception {
        new RandomStates<>(List.of(backend), Keys.VARIABLE_LENGTH).mutate(new Random(1), 100);
    }

    static void assertSafeToIterate(OptionsFile options, String state) {
        assertThat(options.columnFamily(state, "memtable_factory")).as(state).contains("SkipList");
        if (!state.equals("map")) {
            assertNoKeyPrefix(options, state);
        }
    }

    static void assertKeyPrefix(OptionsFile options, String state) {
        assertThat(options.columnFamily(state, "prefix_extractor"))
                .as(state)
                .startsWith("stateaccel.KeyPrefix.");
    }

    static void assertNoKeyPrefix(OptionsFile options, String state) {
        assertThat(options.columnFamily(state, "prefix_extractor")).as(state).isEqualTo("nullptr");
    }
}
