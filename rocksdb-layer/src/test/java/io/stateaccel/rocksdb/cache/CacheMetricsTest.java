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
package io.stateaccel.rocksdb.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.rocksdb.testing.BackendHarness.Snapshot;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.Metric;
import org.apache.flink.runtime.metrics.MetricRegistry;
import org.apache.flink.runtime.metrics.groups.GenericMetricGroup;
import org.apache.flink.runtime.metrics.util.TestingMetricRegistry;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.runtime.state.ttl.TtlTimeProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The cache's metrics: what they count, and that they come and go with the backend. */
class CacheMetricsTest {

    private static final String VALUE = "operator.state-accel.cache.state_name.value.";
    private static final String MAP = "operator.state-accel.cache.state_name.map.";

    @TempDir private Path directory;

    private final Map<String, Metric> reported = new TreeMap<>();
    private final MetricRegistry registry =
            TestingMetricRegistry.builder()
                    .setRegisterConsumer(
                            (metric, name, group) ->
                                    assertThat(
                                                    reported.putIfAbsent(
                                                            group.getMetricIdentifier(name),
                                                            metric))
                                            .isNull())
                    .setUnregisterConsumer(
                            (metric, name, group) ->
                                    assertThat(
                                                    reported.remove(
                                                            group.getMetricIdentifier(name),
                                                            metric))
                                            .isTrue())
                    .build();
    private final GenericMetricGroup operator = new GenericMetricGroup(registry, null, "operator");

    private AbstractKeyedStateBackend<Long> backend;
    private InternalValueState<Long, VoidNamespace, Long> value;
    private InternalMapState<Long, VoidNamespace, Long, Long> map;

    @Test
    void countEachStateByItself() throws Exception {
        open("1mb");
        for (int round = 0; round < 3; round++) {
            for (long key = 0; key < 10; key++) {
                backend.setCurrentKey(key);
                assertThat(value.value()).isEqualTo(round == 0 ? null : round - 1L);
                value.update((long) round);
                map.put(key, key);
                map.get(key);
                map.contains(-1L);
            }
        }
        assertThat(values(VALUE))
                .containsEntry("misses", 10L)
                .containsEntry("hits", 20L)
                .containsEntry("absentHits", 0L)
                .containsEntry("writes", 30L)
                .containsEntry("coalescedWrites", 20L)
                .containsEntry("writeBacks", 0L)
                .containsEntry("evictions", 0L)
                .containsEntry("entries", 10L)
                .containsEntry("bypassed", 0L)
                .containsEntry("bypassSwitches", 0L)
                .hasEntrySatisfying("dirtyBytes", bytes -> assertThat(bytes).isPositive());
        assertThat(values(MAP))
                .containsEntry("misses", 10L)
                .containsEntry("hits", 50L)
                .containsEntry("absentHits", 20L)
                .containsEntry("writes", 30L)
                .containsEntry("coalescedWrites", 20L)
                .containsEntry("entries", 20L);
        assertThat(gauge("operator.state-accel.cache.budgetBytes")).isEqualTo(1 << 20);
        assertThat(gauge("operator.state-accel.cache.usedBytes"))
                .isEqualTo(gauge(VALUE + "usedBytes") + gauge(MAP + "usedBytes"))
                .isPositive();

        BackendHarness.take(
                Snapshot.INCREMENTAL_CHECKPOINT, 1, backend, new SharedStateRegistryImpl());
        assertThat(gauge(VALUE + "writeBacks")).isEqualTo(10);
        assertThat(gauge(VALUE + "dirtyBytes")).isZero();
        assertThat(gauge(MAP + "writeBacks")).isEqualTo(10);
        backend.dispose();
    }

    @Test
    void showEvictionsAndBypasses() throws Exception {
        open("64kb");
        for (long key = 0; key < 100_000; key++) {
            backend.setCurrentKey(key);
            value.update(key);
        }
        assertThat(gauge(VALUE + "bypassed")).isEqualTo(1);
        assertThat(gauge(VALUE + "bypassSwitches")).isEqualTo(1);
        assertThat(gauge(VALUE + "evictions")).isPositive();
        assertThat(gauge(MAP + "bypassed")).isZero();
        for (long i = 0; i < 200_000; i++) {
            backend.setCurrentKey(i % 50);
            value.update(i);
        }
        assertThat(gauge(VALUE + "bypassed")).isZero();
        assertThat(gauge(VALUE + "bypassSwitches")).isEqualTo(2);
        backend.dispose();
    }

    @Test
    void goWithTheBackendAndComeBackWithTheNext() throws Exception {
        open("1mb");
        backend.setCurrentKey(1L);
        value.update(1L);
        assertThat(gauge(VALUE + "writes")).isEqualTo(1);
        backend.dispose();
        assertThat(reported).isEmpty();

        open("1mb");
        assertThat(gauge(VALUE + "writes")).isZero();
        backend.dispose();
        assertThat(reported).isEmpty();
    }

    /** Flink forgets the backend under a changelog that fails to be replayed. */
    @Test
    void areThoseOfTheLastBackendWhenOneWasAbandoned() throws Exception {
        open("1mb");
        AbstractKeyedStateBackend<Long> abandoned = backend;
        backend.setCurrentKey(1L);
        value.update(1L);
        open("1mb");
        assertThat(gauge(VALUE + "writes")).isZero();
        abandoned.dispose();
        assertThat(gauge(VALUE + "writes")).isZero();
        backend.dispose();
        assertThat(reported).isEmpty();
    }

    @Test
    void areNoneWithoutACache() throws Exception {
        open("0");
        assertThat(reported.keySet()).noneMatch(name -> name.contains("state-accel.cache"));
        backend.dispose();
    }

    private Map<String, Long> values(String prefix) {
        Map<String, Long> values = new TreeMap<>();
        for (String name : reported.keySet()) {
            if (name.startsWith(prefix)) {
                values.put(name.substring(prefix.length()), gauge(name));
            }
        }
        return values;
    }

    private long gauge(String name) {
        assertThat(reported).containsKey(name);
        return ((Number) ((Gauge<?>) reported.get(name)).getValue()).longValue();
    }

    private void open(String cacheSize) throws Exception {
        backend =
                BackendHarness.open(
                        Make.ACCELERATED.create(
                                BackendHarness.config(
                                        directory,
                                        Map.of(StateAccelOptions.CACHE_SIZE.key(), cacheSize))),
                        LongSerializer.INSTANCE,
                        128,
                        KeyGroupRange.of(0, 127),
                        List.of(),
                        TtlTimeProvider.DEFAULT,
                        operator);
        value =
                (InternalValueState<Long, VoidNamespace, Long>)
                        backend.getPartitionedState(
                                VoidNamespace.INSTANCE,
                                VoidNamespaceSerializer.INSTANCE,
                                new ValueStateDescriptor<>("value", LongSerializer.INSTANCE));
        map =
                (InternalMapState<Long, VoidNamespace, Long, Long>)
                        backend.getPartitionedState(
                                VoidNamespace.INSTANCE,
                                VoidNamespaceSerializer.INSTANCE,
                                new MapStateDescriptor<>(
                                        "map", LongSerializer.INSTANCE, LongSerializer.INSTANCE));
    }
}
