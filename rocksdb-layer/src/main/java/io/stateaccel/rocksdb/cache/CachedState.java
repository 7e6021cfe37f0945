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

import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.rocksdb.RocksDBException;

/**
 * A state that is kept in a {@link StateCache}.
 *
 * <p>Behaves like Flink's RocksDB state of the same kind, which it stands in for: same serializers,
 * same bytes, same exceptions. Flink's TTL, metrics and changelog wrappers go around it as they go
 * around that one. Used by the task thread only, but for {@link #getSerializedValue} of queryable
 * state, which is not cached.
 *
 * @param <K> the type of the key
 * @param <N> the type of the namespace
 * @param <V> the type of the value
 */
abstract class CachedState<K, N, V> implements InternalKvState<K, N, V> {

    /** Of a buffer to serialise to. */
    static final int FIRST_OUTPUT_BYTES = 128;

    private static final int MOST_OUTPUT_BYTES = 1 << 20;

    final RocksDBKeyedStateBackend<K> backend;
    final CurrentKey<K> currentKey;
    final StateCache cache;

    private InternalKvState<K, N, V> plain;
    private TypeSerializer<N> namespaceSerializer;
    private boolean namespacesAreImmutable;

    private N namespace;

    CachedState(RocksDBKeyedStateBackend<K> backend, CurrentKey<K> currentKey, StateCache cache) {
        this.backend = backend;
        this.currentKey = currentKey;
        this.cache = cache;
    }

    /**
     * The buffer to serialise to next.
     *
     * @param used holds nothing that is needed; given up if it grew for a big value
     */
    static DataOutputSerializer afterUse(DataOutputSerializer used) {
        return used.getSharedBuffer().length > MOST_OUTPUT_BYTES
                ? new DataOutputSerializer(FIRST_OUTPUT_BYTES)
                : used;
    }

    /** Takes the serializers of the state in RocksDB, now and after each update of its metadata. */
    void standInFor(InternalKvState<K, N, V> plain) {
        this.plain = plain;
        this.namespaceSerializer = plain.getNamespaceSerializer();
        this.namespacesAreImmutable = namespaceSerializer.isImmutableType();
        setValueSerializer(plain.getValueSerializer());
        keyOrNamespaceChanged();
    }

    /**
     * Reads what keys have in the current namespace, for the next read of each.
     *
     * @param keys each once; any of them, or none, is the current key afterwards
     */
    void readAhead(List<? extends K> keys) throws RocksDBException {
        // A map is not one value per key.
    }

    abstract void setValueSerializer(TypeSerializer<V> valueSerializer);

    /** What is known of the current key's entry in this namespace is another one's now. */
    abstract void keyOrNamespaceChanged();

    @Override
    public final TypeSerializer<K> getKeySerializer() {
        return plain.getKeySerializer();
    }

    @Override
    public final TypeSerializer<N> getNamespaceSerializer() {
        return namespaceSerializer;
    }

    @Override
    public final TypeSerializer<V> getValueSerializer() {
        return plain.getValueSerializer();
    }

    @Override
    public final void setCurrentNamespace(N namespace) {
        // A namespace that may have been changed since is another one.
        if (namespace != this.namespace || !namespacesAreImmutable) {
            this.namespace = namespace;
            keyOrNamespaceChanged();
        }
    }

    final N namespace() {
        return namespace;
    }

    final boolean namespacesAreImmutable() {
        return namespacesAreImmutable;
    }

    /** The key of the current key and namespace in RocksDB, in an array of its own. */
    final byte[] serializedKeyAndNamespace() {
        return currentKey.withNamespace(namespace, namespaceSerializer);
    }

    @Override
    public final StateIncrementalVisitor<K, N, V> getStateIncrementalVisitor(
            int recommendedMaxNumberOfReturnedRecords) {
        return plain.getStateIncrementalVisitor(recommendedMaxNumberOfReturnedRecords);
    }

    final InternalKvState<K, N, V> plain() {
        return plain;
    }
}
