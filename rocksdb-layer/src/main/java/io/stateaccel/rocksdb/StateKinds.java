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

import io.stateaccel.rocksdb.prefix.KeyLayout;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.KeyedBackendSerializationProxy;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.metainfo.StateMetaInfoSnapshot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    private static final Logger LOG = LoggerFactory.getLogger(StateKinds.class);

    private final Map<String, StateKind> kinds = new HashMap<>();
    private final Map<String, KeyLayout> layouts = new HashMap<>();

    /** Notes a state's kind; a kind that is already known stays. */
    void add(String stateName, StateKind kind) {
        kinds.putIfAbsent(stateName, kind);
    }

    /**
     * Notes the kind of a state with keys and namespaces, and where those end in its RocksDB keys.
     * What is already known stays.
     *
     * @param keyGroupBytes length of the key group in RocksDB keys
     */
    void add(
            String stateName,
            StateKind kind,
            int keyGroupBytes,
            TypeSerializer<?> key,
            TypeSerializer<?> namespace) {
        if (kinds.putIfAbsent(stateName, kind) == null) {
            KeyLayout.of(keyGroupBytes, key, namespace)
                    .ifPresent(layout -> layouts.put(stateName, layout));
        }
    }

    /** The kind of a state, {@link StateKind#OTHER} when it was never noted. */
    StateKind get(String stateName) {
        return kinds.getOrDefault(stateName, StateKind.OTHER);
    }

    /** Where key and namespace end in the RocksDB keys of a state, if that is known. */
    Optional<KeyLayout> layout(String stateName) {
        return Optional.ofNullable(layouts.get(stateName));
    }

    /**
     * Notes the states named in the metadata of checkpoints or savepoints.
     *
     * <p>This reads the metadata of each handle once more than stock Flink, which keeps what it
     * reads to itself. It is the small head of the handle, in checkpoints mostly held inline.
     *
     * @param keyGroupBytes length of the key group in RocksDB keys
     * @param handles what the backend restores from; other types of handles are left for Flink to
     *     refuse
     * @param classLoader loads the serializer snapshots in the metadata
     * @param cancellation closes the stream that is being read when the task is cancelled
     * @throws IOException when a handle's metadata cannot be read
     */
    void addRestored(
            int keyGroupBytes,
            Collection<KeyedStateHandle> handles,
            ClassLoader classLoader,
            CloseableRegistry cancellation)
            throws IOException {
        for (KeyedStateHandle handle : handles) {
            if (handle instanceof IncrementalKeyedStateHandle incremental) {
                addFromMetadata(
                        keyGroupBytes,
                        incremental.getMetaDataStateHandle(),
                        classLoader,
                        cancellation);
            } else if (handle instanceof KeyGroupsStateHandle full) {
                addFromMetadata(keyGroupBytes, full, classLoader, cancellation);
            }
        }
    }

    private void addFromMetadata(
            int keyGroupBytes,
            StreamStateHandle metadata,
            ClassLoader classLoader,
            CloseableRegistry cancellation)
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
            StateKind kind = StateKind.of(snapshot);
            TypeSerializer<?> key = restored(proxy.getKeySerializerSnapshot());
            TypeSerializer<?> namespace =
                    restored(
                            snapshot.getTypeSerializerSnapshot(
                                    StateMetaInfoSnapshot.CommonSerializerKeys
                                            .NAMESPACE_SERIALIZER));
            if (key == null || namespace == null) {
                add(snapshot.getName(), kind);
            } else {
                add(snapshot.getName(), kind, keyGroupBytes, key, namespace);
            }
        }
    }

    /**
     * The serializer of a snapshot, null when there is none or its classes are gone, which is no
     * error as long as nobody asks for the state.
     */
    @Nullable
    private static TypeSerializer<?> restored(@Nullable TypeSerializerSnapshot<?> snapshot) {
        if (snapshot == null) {
            return null;
        }
        try {
            return snapshot.restoreSerializer();
        } catch (RuntimeException | LinkageError e) {
            LOG.debug("[state-accel] no serializer from {}", snapshot, e);
            return null;
        }
    }
}
