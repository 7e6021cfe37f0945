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

import io.stateaccel.rocksdb.batch.SerializedKeys;
import io.stateaccel.views.batch.KeyHash;
import java.io.IOException;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.queryablestate.client.state.serialization.KvStateSerializer;
import org.apache.flink.runtime.state.KeyGroupRangeAssignment;
import org.apache.flink.runtime.state.SerializedCompositeKeyBuilder;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.apache.flink.util.FlinkRuntimeException;
import org.rocksdb.RocksDBException;

/**
 * A state with one value per key and namespace.
 *
 * @param <K> the type of the key
 * @param <N> the type of the namespace
 * @param <V> the type of the value
 */
abstract class CachedSingleState<K, N, V> extends CachedState<K, N, V> {

    private static final long NOT_VISITED = -1;

    private DataOutputSerializer output = new DataOutputSerializer(FIRST_OUTPUT_BYTES);
    private final DataInputDeserializer input = new DataInputDeserializer();

    private TypeSerializer<V> valueSerializer;

    /**
     * The entry of the last access, if it can be used again while key and namespace stay and
     * nothing is removed from the cache.
     */
    private int recent = EntryRecords.NONE;

    private long removalsBefore;

    /** The key's version at the last access; none when the namespace has changed since. */
    private long visitedKeyVersion = NOT_VISITED;

    CachedSingleState(
            RocksDBKeyedStateBackend<K> backend, CurrentKey<K> currentKey, StateCache cache) {
        super(backend, currentKey, cache);
    }

    @Override
    final void setValueSerializer(TypeSerializer<V> valueSerializer) {
        this.valueSerializer = valueSerializer;
    }

    @Override
    final void keyOrNamespaceChanged() {
        recent = EntryRecords.NONE;
        visitedKeyVersion = NOT_VISITED;
    }

    @Override
    final void readAhead(List<? extends K> keys) throws RocksDBException {
        if (!cache.readsAhead()) {
            return;
        }
        SerializedKeys serialized = new SerializedKeys();
        for (K key : keys) {
            backend.setCurrentKey(key);
            if (!serialized.add(serializedKeyAndNamespace())) {
                break;
            }
        }
        cache.readAhead(serialized.list());
    }

    @Override
    public final void clear() {
        try {
            store(null, CachedValue.ABSENT);
        } catch (RocksDBException e) {
            throw new FlinkRuntimeException("Error while removing entry from RocksDB", e);
        }
    }

    /** The value of the current key and namespace, a new object at each call; null if absent. */
    @Nullable
    final V load() throws IOException, RocksDBException {
        CachedValue value;
        if (isRecentUsable()) {
            value = cache.readAgain(recent);
        } else {
            byte[] key = serializedKeyAndNamespace();
            value = cache.read(key, KeyHash.of(key), isNewVisit());
            remember(value.entry());
        }
        if (value.isAbsent()) {
            return null;
        }
        input.setBuffer(value.bytes(), value.offset(), value.length());
        return valueSerializer.deserialize(input);
    }

    /** Sets the value of the current key and namespace; the object is not kept. */
    final void store(V value) throws IOException, RocksDBException {
        output.clear();
        valueSerializer.serialize(value, output);
        store(output.getSharedBuffer(), output.length());
        output = afterUse(output);
    }

    private void store(@Nullable byte[] value, int valueLength) throws RocksDBException {
        if (isRecentUsable()) {
            cache.overwrite(recent, value, valueLength);
        } else {
            byte[] key = serializedKeyAndNamespace();
            remember(cache.write(key, KeyHash.of(key), isNewVisit(), value, valueLength));
        }
    }

    private boolean isNewVisit() {
        return visitedKeyVersion != currentKey.version();
    }

    private boolean isRecentUsable() {
        return recent != EntryRecords.NONE && !isNewVisit() && cache.removals() == removalsBefore;
    }

    private void remember(int entry) {
        recent = namespacesAreImmutable() ? entry : EntryRecords.NONE;
        removalsBefore = cache.removals();
        visitedKeyVersion = currentKey.version();
    }

    @Override
    public final byte[] getSerializedValue(
            byte[] serializedKeyAndNamespace,
            TypeSerializer<K> safeKeySerializer,
            TypeSerializer<N> safeNamespaceSerializer,
            TypeSerializer<V> safeValueSerializer)
            throws Exception {
        Tuple2<K, N> keyAndNamespace =
                KvStateSerializer.deserializeKeyAndNamespace(
                        serializedKeyAndNamespace, safeKeySerializer, safeNamespaceSerializer);
        SerializedCompositeKeyBuilder<K> builder =
                new SerializedCompositeKeyBuilder<>(
                        safeKeySerializer, backend.getKeyGroupPrefixBytes(), 32);
        builder.setKeyAndKeyGroup(
                keyAndNamespace.f0,
                KeyGroupRangeAssignment.assignToKeyGroup(
                        keyAndNamespace.f0, backend.getNumberOfKeyGroups()));
        return cache.peek(
                builder.buildCompositeKeyNamespace(keyAndNamespace.f1, getNamespaceSerializer()));
    }
}
