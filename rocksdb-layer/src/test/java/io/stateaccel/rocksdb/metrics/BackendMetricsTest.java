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
package io.stateaccel.rocksdb.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.jni.NativeTesting;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.rocksdb.testing.BackendHarness.Snapshot;
import io.stateaccel.views.batch.ReadsAhead;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.configuration.IllegalConfigurationException;
import org.apache.flink.configuration.StateLatencyTrackOptions;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Histogram;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.metrics.groups.GenericMetricGroup;
import org.apache.flink.runtime.metrics.util.TestingMetricRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the backend shows of RocksDB, its states and its disk. */
class BackendMetricsTest {

    private static final String ROCKSDB = "operator.state-accel.rocksdb.";
    private static final String LIST = ROCKSDB + "state_name.list.";
    private static final String MAP = ROCKSDB + "state_name.map.";
    private static final String VALUE = ROCKSDB + "state_name.value.";

    @TempDir private Path directory;

    private final Map<String, Metric> shown = new TreeMap<>();
    private final GenericMetricGroup operator =
            new GenericMetricGroup(
                    TestingMetricRegistry.builder()
                            .setRegisterConsumer(
                                    (metric, name, group) ->
                                            shown.put(group.getMetricIdentifier(name), metric))
                            .setUnregisterConsumer(
                                    (metric, name, group) ->
                                            shown.remove(group.getMetricIdentifier(name), metric))
                            .build(),
                    null,
                    "operator");

    private AbstractKeyedStateBackend<Long> backend;

    @Test
    void countWhatReachesRocksDB() throws Exception {
        open(Map.of(StateAccelOptions.METRICS_SAMPLE_INTERVAL.key(), "1"));
        InternalListState<Long, Integer, Long> list = list();
        list.setCurrentNamespace(1);
        InternalValueState<Long, VoidNamespace, Long> value =
                state(new ValueStateDescriptor<>("value", LongSerializer.INSTANCE));
        InternalMapState<Long, VoidNamespace, Long, Long> map =
                state(
                        new MapStateDescriptor<>(
                                "map", LongSerializer.INSTANCE, LongSerializer.INSTANCE));
        for (long key = 0; key < 10; key++) {
            backend.setCurrentKey(key);
            assertThat(list.get()).isNull();
            list.add(key);
            list.addAll(List.of(key, key + 1));
            list.addAll(List.of());
            assertThat(list.get()).containsExactly(key, key, key + 1);
            value.value();
            value.update(key);
            value.value();
            map.put(key, key);
            map.entries().forEach(entry -> assertThat(entry.getValue()).isEqualTo(entry.getKey()));
        }
        backend.setCurrentKey(3L);
        list.update(List.of(8L));
        list.clear();

        assertThat(counts(LIST))
                .containsEntry("reads", 20L)
                .containsEntry("absentReads", 10L)
                .containsEntry("merges", 20L)
                .containsEntry("writes", 2L)
                .containsEntry("scans", 0L);
        assertThat(histogram(LIST + "readNanos").getCount()).isEqualTo(20);
        assertThat(histogram(LIST + "readNanos").getStatistics().getMin()).isPositive();
        // Three numbers and the delimiters between them.
        assertThat(histogram(LIST + "valueBytes").getStatistics().getMax()).isEqualTo(26);
        assertThat(histogram(LIST + "valueBytes").getCount()).isEqualTo(10);
        assertThat(counts(VALUE))
                .containsEntry("reads", 10L)
                .containsEntry("absentReads", 10L)
                .containsEntry("writes", 0L);
        assertThat(counts(MAP)).containsEntry("writes", 10L).containsEntry("scans", 10L);
        assertThat(histogram(MAP + "scanNanos").getCount()).isEqualTo(10);

        BackendHarness.take(
                Snapshot.INCREMENTAL_CHECKPOINT, 1, backend, new SharedStateRegistryImpl());
        assertThat(counts(VALUE)).containsEntry("writes", 10L);
        assertThat(gauge(VALUE + "level.0.files")).isEqualTo(1L);
        assertThat(gauge(VALUE + "level.6.files")).isEqualTo(0L);
        assertThat(count(VALUE + "sstBytes")).isPositive();
        assertThat(count(VALUE + "memtableBytes")).isPositive();
        assertThat(count(VALUE + "keys")).isEqualTo(10);
        assertThat(count(ROCKSDB + "blockCacheCapacityBytes"))
                .isBetween(1L, BackendHarness.MANAGED_MEMORY_BYTES);
        backend.dispose();
    }

    @Test
    void readsAheadAreOneReadEach() throws Exception {
        NativeTesting.library(directory);
        open(Map.of());
        InternalListState<Long, Integer, Long> list = list();
        list.setCurrentNamespace(1);
        InternalValueState<Long, VoidNamespace, Long> value =
                state(new ValueStateDescriptor<>("value", LongSerializer.INSTANCE));
        List<Long> keys = LongStream.range(0, 20).boxed().toList();
        ReadsAhead.of(backend).readAhead("list", keys);
        ReadsAhead.of(backend).readAhead("value", keys);
        for (long key : keys) {
            backend.setCurrentKey(key);
            assertThat(list.get()).isNull();
            list.add(key);
            assertThat(value.value()).isNull();
            value.update(key);
        }
        ReadsAhead.of(backend).readAhead("list", keys);
        ReadsAhead.of(backend).readAhead("value", keys);
        for (long key : keys) {
            backend.setCurrentKey(key);
            if (key % 2 == 0) {
                list.add(-key);
                assertThat(list.get()).containsExactly(key, -key);
            } else {
                assertThat(list.get()).containsExactly(key);
            }
            assertThat(value.value()).isEqualTo(key);
        }
        assertThat(counts(LIST))
                .containsEntry("reads", 50L)
                .containsEntry("readsAhead", 40L)
                .containsEntry("absentReads", 20L);
        // The second time they are cached.
        assertThat(counts(VALUE)).containsEntry("reads", 20L).containsEntry("readsAhead", 20L);
        backend.dispose();
    }

    /** Flink wraps states that expire, and all states while it tracks how long they take. */
    @Test
    void readsAheadReachStatesInWrappers() throws Exception {
        NativeTesting.library(directory);
        open(Map.of(StateLatencyTrackOptions.LATENCY_TRACK_ENABLED.key(), "true"));
        InternalListState<Long, VoidNamespace, Long> list =
                state(expiring(new ListStateDescriptor<>("list", LongSerializer.INSTANCE)));
        InternalValueState<Long, VoidNamespace, Long> value =
                state(expiring(new ValueStateDescriptor<>("value", LongSerializer.INSTANCE)));
        assertThat(List.of(list, value))
                .noneMatch(state -> state.getClass().getName().startsWith("io.stateaccel."));
        List<Long> keys = LongStream.range(0, 20).boxed().toList();
        for (boolean written : new boolean[] {false, true}) {
            ReadsAhead.of(backend).readAhead("list", keys);
            ReadsAhead.of(backend).readAhead("value", keys);
            for (long key : keys) {
                backend.setCurrentKey(key);
                assertThat(value.value()).isEqualTo(written ? key : null);
                assertThat(list.get())
                        .containsExactlyElementsOf(written ? List.of(key) : List.of());
                value.update(key);
                list.add(key);
            }
        }
        assertThat(counts(LIST)).containsEntry("reads", 40L).containsEntry("readsAhead", 40L);
        // The second time they are cached.
        assertThat(counts(VALUE)).containsEntry("reads", 20L).containsEntry("readsAhead", 20L);
        backend.dispose();
    }

    private static <D extends StateDescriptor<?, ?>> D expiring(D descriptor) {
        descriptor.enableTimeToLive(StateTtlConfig.newBuilder(Duration.ofDays(1)).build());
        return descriptor;
    }

    @Test
    void sayWhatWasChosen() throws Exception {
        open(Map.of());
        list();
        state(new ValueStateDescriptor<>("value", LongSerializer.INSTANCE));

        assertThat(gauge(VALUE + "memtable")).isEqualTo("SkipListFactory+whole-key filter");
        assertThat(gauge(VALUE + "filter")).isEqualTo("whole-key, partitioned");
        assertThat(gauge(VALUE + "prefixFilter")).isEqualTo(0L);
        assertThat(gauge(VALUE + "compression")).isEqualTo("lz4");
        assertThat(gauge(VALUE + "blockBytes")).isEqualTo(4096L);
        assertThat(gauge(VALUE + "minBlobBytes")).isEqualTo(0L);
        assertThat(shown).containsKey(ROCKSDB + "nativeLibrary");
        backend.dispose();
    }

    @Test
    void sayWhatWasChosenLater() throws Exception {
        open(Map.of(StateAccelOptions.VALUE_SEPARATION_AUTOMATIC.key(), "true"));
        ValueState<byte[]> value =
                state(new ValueStateDescriptor<>("value", BytePrimitiveArraySerializer.INSTANCE));
        for (long key = 0; key < 1000; key++) {
            backend.setCurrentKey(key);
            value.update(new byte[2000]);
        }
        assertThat(gauge(VALUE + "minBlobBytes")).isEqualTo(0L);
        BackendHarness.take(
                Snapshot.INCREMENTAL_CHECKPOINT, 1, backend, new SharedStateRegistryImpl());
        assertThat(gauge(VALUE + "minBlobBytes")).isEqualTo(1024L);
        assertThat(count(VALUE + "blobBytes")).isPositive();
        backend.dispose();
    }

    @Test
    void sayWhatWasSet() throws Exception {
        open(Map.of(StateAccelOptions.VALUE_SEPARATION_MIN_SIZE.key(), "3kb"));
        state(new ValueStateDescriptor<>("value", LongSerializer.INSTANCE));
        assertThat(gauge(VALUE + "minBlobBytes")).isEqualTo(3072L);
        backend.dispose();
    }

    /** Serializers of a list may be updated under whoever holds the state. */
    @Test
    void areOfTheSameListWhenItIsAskedForAgain() throws Exception {
        open(Map.of());
        Object list = updatableList();
        assertThat(updatableList()).isSameAs(list);
        backend.dispose();
    }

    @Test
    void mergedNamespacesReadAsInFlink() throws Exception {
        open(Map.of());
        InternalListState<Long, Integer, Long> list = list();
        backend.setCurrentKey(1L);
        for (int namespace = 0; namespace < 3; namespace++) {
            list.setCurrentNamespace(namespace);
            list.add((long) namespace);
        }
        list.mergeNamespaces(0, List.of(1, 2));
        // That of the last call, of which nothing is left.
        assertThat(list.get()).isNull();
        list.setCurrentNamespace(0);
        assertThat(list.get()).containsExactly(0L, 1L, 2L);
        backend.dispose();
    }

    @Test
    void goWithTheBackendAndCanBeReadStill() throws Exception {
        open(Map.of());
        state(new ValueStateDescriptor<>("value", LongSerializer.INSTANCE));
        Map<String, Metric> last = new HashMap<>(shown);
        backend.dispose();
        assertThat(shown).isEmpty();
        // A reporter may have got hold of them before.
        last.values().stream()
                .filter(Gauge.class::isInstance)
                .forEach(metric -> assertThat(((Gauge<?>) metric).getValue()).isNotNull());
    }

    @Test
    void areNoneWhenTheyAreOff() throws Exception {
        open(Map.of(StateAccelOptions.METRICS_ENABLED.key(), "false"));
        state(new ValueStateDescriptor<>("value", LongSerializer.INSTANCE));
        assertThat(shown).isEmpty();
        backend.dispose();
    }

    @Test
    void haveNoSamplesWithAnIntervalOfZero() throws Exception {
        open(Map.of(StateAccelOptions.METRICS_SAMPLE_INTERVAL.key(), "0"));
        InternalListState<Long, Integer, Long> list = list();
        list.setCurrentNamespace(1);
        for (long key = 0; key < 1000; key++) {
            backend.setCurrentKey(key);
            list.get();
        }
        assertThat(gauge(LIST + "reads")).isEqualTo(1000L);
        assertThat(histogram(LIST + "readNanos").getCount()).isZero();
        backend.dispose();
    }

    @Test
    void refuseANegativeInterval() {
        assertThatThrownBy(
                        () -> open(Map.of(StateAccelOptions.METRICS_SAMPLE_INTERVAL.key(), "-1")))
                .isInstanceOf(IllegalConfigurationException.class)
                .hasMessageContaining(StateAccelOptions.METRICS_SAMPLE_INTERVAL.key());
    }

    private Map<String, Long> counts(String prefix) {
        Map<String, Long> counts = new TreeMap<>();
        for (String name :
                List.of("reads", "absentReads", "readsAhead", "scans", "writes", "merges")) {
            counts.put(name, count(prefix + name));
        }
        return counts;
    }

    private long count(String name) {
        return (Long) gauge(name);
    }

    private Object gauge(String name) {
        assertThat(shown).containsKey(name);
        return ((Gauge<?>) shown.get(name)).getValue();
    }

    private Histogram histogram(String name) {
        return (Histogram) shown.get(name);
    }

    private InternalListState<Long, Integer, Long> list() throws Exception {
        return backend.createOrUpdateInternalState(
                IntSerializer.INSTANCE, new ListStateDescriptor<>("list", LongSerializer.INSTANCE));
    }

    private Object updatableList() throws Exception {
        return backend.createOrUpdateInternalState(
                IntSerializer.INSTANCE,
                new ListStateDescriptor<>("list", LongSerializer.INSTANCE),
                StateSnapshotTransformFactory.noTransform(),
                true);
    }

    @SuppressWarnings("unchecked")
    private <T> T state(StateDescriptor<?, ?> descriptor) throws Exception {
        return (T)
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE, VoidNamespaceSerializer.INSTANCE, descriptor);
    }

    private void open(Map<String, String> options) throws Exception {
        backend =
                BackendHarness.open(
                        Make.ACCELERATED.create(BackendHarness.config(directory, options)),
                        LongSerializer.INSTANCE,
                        128,
                        KeyGroupRange.of(0, 127),
                        List.of(),
                        TtlTimeProvider.DEFAULT,
                        operator);
    }
}
