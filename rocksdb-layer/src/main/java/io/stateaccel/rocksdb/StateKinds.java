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

import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;

/**
 * The kind of every state of one keyed backend, by name.
 *
 * <p>Flink asks for column family options by state name alone, before it opens or creates the
 * column family. The kinds must be here by then: those of restored states come from the metadata at
 * the head of each state handle, those of new states from their descriptor, which {@link
 * StateAccelKeyedStateBackend} sees first.
 *
 * <p>Not thread-safe: used by the task thread only, like the backend it belongs to.
 */
final class StateKinds {

    private final Map<String, StateKind> kinds = new HashMap<>();

    /** Notes a state's kind; a kind that is already known stays. */
    void add(String stateName, StateKind kind) {
        kinds.putIfAbsent(stateName, kind);
    }

    /** The kind of a state, {@link StateKind#OTHER} when it was never noted. */
    StateKind get(String stateName) {
        return kinds.getOrDefault(stateName, StateKind.OTHER);
    }

    /**
     * Notes the states named in the metadata of checkpoints or savepoints.
     *
     * <p>This reads the metadata of each handle once more than stock Flink, which keeps what it
     * reads to itself. It is the small head of the handle, in checkpoints mostly held inline.
     *
     * @param handles what the backend restores from; other types of handles are left for Flink to
     *     refuse
     * @param classLoader loads the serializer snapshots in the metadata
     * @param cancellation closes the stream that is being read when the task is cancelled
     * @throws IOException when a handle's metadata cannot be read
     */
    void addRestored(
            Collection<KeyedStateHandle> handles,
            ClassLoader classLoader,
            CloseableRegistry cancellation)
            throws IOException {
        for (KeyedStateHandle handle : handles) {
            if (handle instanceof IncrementalKeyedStateHandle incremental) {
                addFromMetadata(incremental.getMetaDataStateHandle(), classLoader, cancellation);
            } else if (handle instanceof KeyGroupsStateHandle full) {
                addFromMetadata(full, classLoader, cancellation);
            }
        }
    }

    private void addFromMetadata(
            StreamStateHandle metadata, ClassLoader classLoader, CloseableRegistry cancellation)
            throws IOException {
        KeyedBackendSerializationProxy<?> proxy = new KeyedBackendSerializationProxy<>(classLoader);
        InputStream in = metadata.openInputStream();
        cancellation.registerCloseable(in);
        try {
            proxy.read(new DataInputViewStreamWrapper(in));
        } finally {
            if (cancellation.unregisterCloseable(in)) {
                in.close();
            }
        }
        for (StateMetaInfoSnapshot snapshot : proxy.getStateMetaInfoSnapshots()) {
            add(snapshot.getName(), StateKind.of(snapshot));
        }
    }
}
