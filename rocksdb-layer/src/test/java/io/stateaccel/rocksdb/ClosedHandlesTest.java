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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.flink.state.rocksdb.RocksDBOptionsFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.rocksdb.AbstractImmutableNativeReference;
import org.rocksdb.BloomFilter;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;

/** The native objects that are made of the options of states, which Java does not free. */
class ClosedHandlesTest extends StatesOfEveryKind {

    @BeforeEach
    void forgetHandles() {
        CapturingFactory.handles.clear();
    }

    @Test
    void closesEveryNativeObjectItMade() throws Exception {
        AbstractKeyedStateBackend<String> backend = openCapturing(List.of());
        useEveryKind(backend);
        List<AbstractImmutableNativeReference> handles = CapturingFactory.nativeHandles();
        assertThat(handles).filteredOn(BloomFilter.class::isInstance).hasSize(READ_BY_KEY.size());
        assertThat(handles).allMatch(AbstractImmutableNativeReference::isOwningHandle);
        backend.dispose();
        assertThat(handles).noneMatch(AbstractImmutableNativeReference::isOwningHandle);
    }

    @Test
    void closesEverythingWhenAStateCannotBeRestored() {
        KeyedStateHandle garbage =
                new KeyGroupsStateHandle(
                        new KeyGroupRangeOffsets(ALL_KEY_GROUPS),
                        new ByteStreamStateHandle(
                                "garbage", "not a savepoint".getBytes(StandardCharsets.UTF_8)));
        assertThatThrownBy(() -> openCapturing(List.of(garbage))).isInstanceOf(IOException.class);
        assertThat(CapturingFactory.nativeHandles())
                .noneMatch(AbstractImmutableNativeReference::isOwningHandle);
        assertThat(directory.toFile().list()).isEmpty();
    }

    private AbstractKeyedStateBackend<String> openCapturing(List<KeyedStateHandle> handles)
            throws IOException {
        return open(
                Map.of("state.backend.rocksdb.options-factory", CapturingFactory.class.getName()),
                handles,
                new UnregisteredMetricsGroup());
    }

    /** Shows the handles that the backend promises to close. */
    public static final class CapturingFactory implements RocksDBOptionsFactory {

        private static final long serialVersionUID = 1L;
        private static final List<Collection<AutoCloseable>> handles = new ArrayList<>();

        static List<AbstractImmutableNativeReference> nativeHandles() {
            // By identity: two filters of the same size are equal to one another.
            Set<AutoCloseable> distinct = Collections.newSetFromMap(new IdentityHashMap<>());
            handles.forEach(distinct::addAll);
            return distinct.stream().map(AbstractImmutableNativeReference.class::cast).toList();
        }

        @Override
        public DBOptions createDBOptions(
                DBOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
            handles.add(new ArrayList<>(handlesToClose));
            return currentOptions;
        }

        @Override
        public ColumnFamilyOptions createColumnOptions(
                ColumnFamilyOptions currentOptions, Collection<AutoCloseable> handlesToClose) {
            handles.add(new ArrayList<>(handlesToClose));
            return currentOptions;
        }
    }
}
