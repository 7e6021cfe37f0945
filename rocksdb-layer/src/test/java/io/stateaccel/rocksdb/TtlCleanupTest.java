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
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.ttl.MockTtlTimeProvider;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Expired state: out of sight as on the hashmap backend, and out of RocksDB after compaction. */
class TtlCleanupTest {

    private static final int KEYS = 500;

    private final ValueStateDescriptor<String> value =
            withTtl(new ValueStateDescriptor<>("value", StringSerializer.INSTANCE));
    private final ListStateDescriptor<String> list =
            withTtl(new ListStateDescriptor<>("list", StringSerializer.INSTANCE));
    private final MapStateDescriptor<String, String> map =
            withTtl(
                    new MapStateDescriptor<>(
                            "map", StringSerializer.INSTANCE, StringSerializer.INSTANCE));

    @TempDir private Path directory;

    @ParameterizedTest
    @EnumSource(
            names = {"STOCK", "HASHMAP"},
            mode = EnumSource.Mode.EXCLUDE)
    void compactionDropsWhatHasExpired(Make make) throws Exception {
        MockTtlTimeProvider time = new MockTtlTimeProvider();
        RocksDBKeyedStateBackend<String> accelerated =
                (RocksDBKeyedStateBackend<String>) open(make, time);
        AbstractKeyedStateBackend<String> reference = open(Make.HASHMAP, time);
        try {
            for (AbstractKeyedStateBackend<String> backend : List.of(accelerated, reference)) {
                time.setCurrentTimestamp(0);
                write(backend, 0, KEYS);
                time.setCurrentTimestamp(600);
                write(backend, KEYS / 2, KEYS);
                time.setCurrentTimestamp(1_100);
            }
            // Before any read: reading takes out expired values by itself.
            assertThat(accelerated.numKeyValueStateEntries()).isEqualTo(3 * KEYS);
            for (StateDescriptor<?, ?> descriptor : List.of(value, list, map)) {
                accelerated.compactState(descriptor);
            }
            assertThat(accelerated.numKeyValueStateEntries()).isEqualTo(3 * KEYS / 2);

            assertThat(BackendHarness.databaseFiles(directory).keySet().toString())
                    .matches(files -> files.contains(".blob") == (make == Make.ACCELERATED_BLOBS));

            SortedMap<String, String> expected = read(reference);
            assertThat(expected).hasSize(3 * KEYS / 2);
            assertThat(read(accelerated)).isEqualTo(expected);
        } finally {
            accelerated.dispose();
            reference.dispose();
        }
    }

    private void write(AbstractKeyedStateBackend<String> backend, int from, int to)
            throws Exception {
        for (int i = from; i < to; i++) {
            backend.setCurrentKey("key" + i);
            ValueState<String> valueState = state(backend, value);
            valueState.update("v" + i);
            ListState<String> listState = state(backend, list);
            // Written twice it has elements that expire and others that do not.
            listState.addAll(List.of("a" + i, "b" + i));
            MapState<String, String> mapState = state(backend, map);
            mapState.put("m", "w" + i);
        }
    }

    private SortedMap<String, String> read(AbstractKeyedStateBackend<String> backend)
            throws Exception {
        SortedMap<String, String> out = new TreeMap<>();
        for (int i = 0; i < KEYS; i++) {
            backend.setCurrentKey("key" + i);
            ValueState<String> valueState = state(backend, value);
            if (valueState.value() != null) {
                out.put("value " + i, valueState.value());
            }
            ListState<String> listState = state(backend, list);
            StringBuilder elements = new StringBuilder();
            if (listState.get() != null) {
                listState.get().forEach(elements::append);
            }
            if (elements.length() > 0) {
                out.put("list " + i, elements.toString());
            }
            MapState<String, String> mapState = state(backend, map);
            if (mapState.contains("m")) {
                out.put("map " + i, mapState.get("m"));
            }
        }
        return out;
    }

    private AbstractKeyedStateBackend<String> open(Make make, MockTtlTimeProvider time)
            throws Exception {
        return BackendHarness.open(
                make.create(BackendHarness.config(directory, Map.of())),
                StringSerializer.INSTANCE,
                128,
                KeyGroupRange.of(0, 127),
                List.of(),
                time,
                new UnregisteredMetricsGroup());
    }

    private static <S extends State> S state(
            AbstractKeyedStateBackend<String> backend, StateDescriptor<S, ?> descriptor)
            throws Exception {
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    private static <D extends StateDescriptor<?, ?>> D withTtl(D descriptor) {
        descriptor.enableTimeToLive(
                StateTtlConfig.newBuilder(Duration.ofMillis(1_000))
                        .cleanupInRocksdbCompactFilter(1)
                        .build());
        return descriptor;
    }
}
