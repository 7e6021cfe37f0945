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

import io.stateaccel.rocksdb.batch.SerializedKeys;
import io.stateaccel.rocksdb.cache.CachedLists;
import io.stateaccel.rocksdb.cache.CachedValue;
import io.stateaccel.rocksdb.cache.CurrentKey;
import io.stateaccel.rocksdb.cache.SubTaskCache;
import io.stateaccel.rocksdb.metrics.StateAccess;
import io.stateaccel.rocksdb.store.KeyValueStore;
import io.stateaccel.rocksdb.store.PendingWrites;
import io.stateaccel.views.batch.ReadsAhead;
import io.stateaccel.views.batch.SerializedList;
import io.stateaccel.views.batch.SerializedLists;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.runtime.state.ListDelimitedSerializer;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.Preconditions;
import org.rocksdb.RocksDBException;

/**
 * Flink's list state in RocksDB, with its accesses counted, and read and written in batches by who
 * {@linkplain ReadsAhead reads ahead}, or behind a {@linkplain CachedLists cache} where these say
 * that it is worth while. Reads by itself, as Flink's {@code RocksDBListState} does, to see the
 * bytes of the value, and writes so in batches; all else is left to that. Used by the task thread
 * only, but for {@link #getSerializedValue} of queryable state, which nobody has cached.
 *
 * @param <K> the type of the key
 * @param <N> the type of the namespace
 * @param <V> the type of the list's elements
 */
final class BatchedListState<K, N, V> implements InternalListState<K, N, V>, SerializedLists {

    /** What a big list was serialised in is given up. */
    private static final int MOST_BYTES_KEPT = 1 << 20;

    private static final long NOT_VISITED = -1;

    private static final VarHandle INTS =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private final String stateName;
    private final RocksDBKeyedStateBackend<K> backend;
    private final CurrentKey<K> currentKey;
    private final PendingWrites writes;
    private final StateAccess access;
    private final DataInputDeserializer input = new DataInputDeserializer();

    /** With a buffer that grows. */
    private ListDelimitedSerializer listSerializer = new ListDelimitedSerializer();

    private InternalListState<K, N, V> plain;
    private KeyValueStore store;
    @Nullable private CachedLists cache;
    private TypeSerializer<N> namespaceSerializer;
    private TypeSerializer<V> elementSerializer;

    private N namespace;

    /** The key's version at the last access; none when the namespace has changed since. */
    private long visitedKeyVersion = NOT_VISITED;

    /** The key of the last list that was asked for by its number, and what it was made of. */
    @Nullable private byte[] numberedKey;

    private long numberedKeyVersion;
    private int numberOfKey;

    /**
     * Whether somebody goes from key to key. For somebody who reads the list that was just appended
     * to, batches would be of one write each.
     */
    private boolean inBatches;

    /**
     * @param writes those to all lists of the backend, which writes them before anything else sees
     *     RocksDB
     */
    BatchedListState(
            String stateName,
            RocksDBKeyedStateBackend<K> backend,
            CurrentKey<K> currentKey,
            PendingWrites writes,
            StateAccess access) {
        this.stateName = stateName;
        this.backend = backend;
        this.currentKey = currentKey;
        this.writes = writes;
        this.access = access;
    }

    /**
     * Takes the place of Flink's state, now and after each update of its metadata; what is cached
     * has been written back before.
     *
     * @param store where {@code plain} is
     */
    void standInFor(InternalListState<K, N, V> plain, KeyValueStore store) {
        this.plain = plain;
        this.store = store;
        this.cache = null;
        this.namespaceSerializer = plain.getNamespaceSerializer();
        this.elementSerializer =
                ((ListSerializer<V>) plain.getValueSerializer()).getElementSerializer();
        this.visitedKeyVersion = NOT_VISITED;
        this.numberedKey = null;
    }

    /** Puts a cache in front of RocksDB, until the next {@link #standInFor}. */
    void cacheIn(SubTaskCache caches) throws IOException {
        cache = caches.lists(stateName, store);
    }

    @Override
    public void setCurrentNamespace(N namespace) {
        this.namespace = namespace;
        visitedKeyVersion = NOT_VISITED;
        plain.setCurrentNamespace(namespace);
    }

    /** As {@link ReadsAhead} says, of this state; from then on writes are gathered. */
    void readAhead(List<? extends K> keys) throws RocksDBException {
        inBatches = true;
        if (!store.getsAhead()) {
            return;
        }
        SerializedKeys serialized = new SerializedKeys();
        for (K key : keys) {
            backend.setCurrentKey(key);
            if (!serialized.add(key())) {
                break;
            }
        }
        if (cache == null) {
            writes.write();
            store.getAhead(serialized.list());
        } else {
            cache.readAhead(serialized.list());
        }
    }

    private byte[] key() {
        return currentKey.withNamespace(namespace, namespaceSerializer);
    }

    private boolean isNewVisit() {
        boolean isNew = visitedKeyVersion != currentKey.version();
        visitedKeyVersion = currentKey.version();
        return isNew;
    }

    @Override
    public List<V> getInternal() throws IOException, RocksDBException {
        byte[] key = key();
        if (cache != null) {
            CachedValue value = cache.read(key, isNewVisit());
            return value.isAbsent()
                    ? null
                    : deserialize(value.bytes(), value.offset(), value.length());
        }
        byte[] value = store.get(key);
        return value == null ? null : deserialize(value, 0, value.length);
    }

    private List<V> deserialize(byte[] bytes, int offset, int length) throws IOException {
        // Not when elements are appended: RocksDB does not separate them, but whole lists.
        access.seen(length);
        List<V> elements = new ArrayList<>();
        input.setBuffer(bytes, offset, length);
        while (input.available() > 0) {
            elements.add(elementSerializer.deserialize(input));
            if (input.available() > 0) {
                input.skipBytesToRead(1);
            }
        }
        return elements;
    }

    @Override
    public Iterable<V> get() throws IOException, RocksDBException {
        return getInternal();
    }

    @Override
    public void add(V value) throws Exception {
        Preconditions.checkNotNull(value, "You cannot add null to a ListState.");
        append(List.of(value));
    }

    @Override
    public void addAll(List<V> values) throws Exception {
        Preconditions.checkNotNull(values, "List of values to add cannot be null.");
        if (!values.isEmpty()) {
            append(values);
        }
    }

    private void append(List<V> values) throws IOException, RocksDBException {
        byte[] key = key();
        byte[] elements = serialize(values);
        if (cache != null && cache.append(key, isNewVisit(), elements, elements.length)) {
            return;
        }
        if (inBatches) {
            store.forget(key);
            store.addMerge(key, 0, key.length, elements, 0, elements.length);
            writeIfFull();
        } else {
            writes.write();
            store.merge(key, elements);
        }
    }

    private byte[] serialize(List<V> values) throws IOException {
        byte[] serialized = listSerializer.serializeList(values, elementSerializer);
        if (serialized.length > MOST_BYTES_KEPT) {
            listSerializer = new ListDelimitedSerializer();
        }
        return serialized;
    }

    private void writeIfFull() throws RocksDBException {
        if (writes.isFull()) {
            writes.write();
        }
    }

    @Override
    public void update(List<V> values) throws Exception {
        updateInternal(values);
    }

    @Override
    public void updateInternal(List<V> values) throws Exception {
        Preconditions.checkNotNull(values, "List of values to add cannot be null.");
        if (values.isEmpty()) {
            clear();
            return;
        }
        byte[] key = key();
        byte[] list = serialize(values);
        if (cache != null && cache.replace(key, isNewVisit(), list)) {
            return;
        }
        if (inBatches) {
            store.forget(key);
            store.add(key, list);
            writeIfFull();
        } else {
            writes.write();
            store.put(key, list, list.length);
        }
    }

    @Override
    public void clear() {
        byte[] key = key();
        try {
            if (cache != null && cache.replace(key, isNewVisit(), null)) {
                return;
            }
            if (inBatches) {
                store.forget(key);
                store.addRemoval(key, 0, key.length);
                writeIfFull();
            } else {
                writes.write();
                store.remove(key);
            }
        } catch (RocksDBException e) {
            throw new FlinkRuntimeException("Error while writing lists to RocksDB", e);
        }
    }

    @Override
    public byte[] key(int number) {
        return keyOf(number);
    }

    @Override
    public long keyVersion() {
        return currentKey.version();
    }

    @Override
    public boolean read(int number, SerializedList into) throws RocksDBException {
        byte[] key = keyOf(number);
        if (cache != null) {
            CachedValue value = cache.read(key, isNewVisit());
            if (value.isAbsent()) {
                return false;
            }
            into.set(value.bytes(), value.offset(), value.length());
            return true;
        }
        byte[] value = store.get(key);
        if (value == null) {
            return false;
        }
        into.set(value, 0, value.length);
        return true;
    }

    @Override
    public void append(int number, byte[] elements, int length) throws RocksDBException {
        byte[] key = keyOf(number);
        if (cache == null || !cache.append(key, isNewVisit(), elements, length)) {
            store.forget(key);
            store.addMerge(key, 0, key.length, elements, 0, length);
            writeIfFull();
        }
    }

    @Override
    public boolean overwrite(int number, int listLength, int offset, byte[] bytes, int length)
            throws RocksDBException {
        byte[] key = keyOf(number);
        if (cache != null && cache.overwrite(key, isNewVisit(), offset, bytes, length)) {
            return true;
        }
        byte[] list = store.get(key);
        if (list == null || list.length != listLength) {
            return false;
        }
        System.arraycopy(bytes, 0, list, offset, length);
        store.add(key, list);
        writeIfFull();
        return true;
    }

    @Override
    public void replace(int number, byte[] list) throws RocksDBException {
        set(keyOf(number), list);
    }

    @Override
    public void remove(int number) throws RocksDBException {
        set(keyOf(number), null);
    }

    private void set(byte[] key, @Nullable byte[] list) throws RocksDBException {
        if (cache != null && cache.replace(key, isNewVisit(), list)) {
            return;
        }
        store.forget(key);
        if (list == null) {
            store.addRemoval(key, 0, key.length);
        } else {
            store.add(key, list);
        }
        writeIfFull();
    }

    /**
     * The current key with a number as the namespace, in an array that has another number after the
     * next call.
     */
    @SuppressWarnings("unchecked")
    private byte[] keyOf(int number) {
        if (numberedKey == null || numberedKeyVersion != currentKey.version()) {
            numberedKey = currentKey.withNamespace((N) (Integer) number, namespaceSerializer);
            numberedKeyVersion = currentKey.version();
            numberOfKey = number;
        } else if (numberOfKey != number) {
            // Nothing comes behind a namespace of fixed length.
            INTS.set(numberedKey, numberedKey.length - Integer.BYTES, number);
            numberOfKey = number;
            visitedKeyVersion = NOT_VISITED;
        }
        return numberedKey;
    }

    /** Not counted. */
    @Override
    public void mergeNamespaces(N target, Collection<N> sources) throws Exception {
        if (cache == null) {
            writes.write();
            store.forgetAll();
        } else {
            cache.forgetAll();
        }
        plain.mergeNamespaces(target, sources);
        visitedKeyVersion = NOT_VISITED;
        // Flink's state is left in one of the namespaces.
        plain.setCurrentNamespace(namespace);
    }

    @Override
    public TypeSerializer<K> getKeySerializer() {
        return plain.getKeySerializer();
    }

    @Override
    public TypeSerializer<N> getNamespaceSerializer() {
        return namespaceSerializer;
    }

    @Override
    public TypeSerializer<List<V>> getValueSerializer() {
        return plain.getValueSerializer();
    }

    @Override
    public byte[] getSerializedValue(
            byte[] serializedKeyAndNamespace,
            TypeSerializer<K> safeKeySerializer,
            TypeSerializer<N> safeNamespaceSerializer,
            TypeSerializer<List<V>> safeValueSerializer)
            throws Exception {
        return plain.getSerializedValue(
                serializedKeyAndNamespace,
                safeKeySerializer,
                safeNamespaceSerializer,
                safeValueSerializer);
    }

    @Override
    public StateIncrementalVisitor<K, N, List<V>> getStateIncrementalVisitor(
            int recommendedMaxNumberOfReturnedRecords) {
        return plain.getStateIncrementalVisitor(recommendedMaxNumberOfReturnedRecords);
    }
}
