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

import io.stateaccel.rocksdb.batch.ReadAhead;
import io.stateaccel.rocksdb.batch.SerializedKeys;
import io.stateaccel.rocksdb.batch.WriteBuffer;
import io.stateaccel.rocksdb.cache.CurrentKey;
import io.stateaccel.rocksdb.metrics.StateAccess;
import io.stateaccel.views.batch.ReadsAhead;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.runtime.state.ListDelimitedSerializer;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.apache.flink.util.FlinkRuntimeException;
import org.apache.flink.util.Preconditions;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Flink's list state in RocksDB, with its accesses counted, and read and written in batches by who
 * {@linkplain ReadsAhead reads ahead}. Reads by itself, as Flink's {@code RocksDBListState} does,
 * to see the bytes of the value, and writes so in batches; all else is left to that. Used by the
 * task thread only, but for {@link #getSerializedValue} of queryable state.
 *
 * @param <K> the type of the key
 * @param <N> the type of the namespace
 * @param <V> the type of the list's elements
 */
final class BatchedListState<K, N, V> implements InternalListState<K, N, V> {

    /** What a big list was serialised in is given up. */
    private static final int MOST_BYTES_KEPT = 1 << 20;

    private final RocksDBKeyedStateBackend<K> backend;
    private final CurrentKey<K> currentKey;
    private final RocksDB db;
    private final WriteBuffer writes;
    private final ReadAhead ahead;
    private final StateAccess access;

    /** With a buffer that grows. */
    private ListDelimitedSerializer listSerializer = new ListDelimitedSerializer();

    private InternalListState<K, N, V> plain;
    private ColumnFamilyHandle columnFamily;
    private WriteBuffer.Target target;
    private TypeSerializer<N> namespaceSerializer;
    private TypeSerializer<V> elementSerializer;

    private N namespace;

    /**
     * Whether somebody goes from key to key. For somebody who reads the list that was just appended
     * to, batches would be of one write each.
     */
    private boolean inBatches;

    /**
     * @param writes those to all lists of the backend, which writes them before anything else sees
     *     RocksDB
     * @param ahead of this state
     */
    BatchedListState(
            RocksDBKeyedStateBackend<K> backend,
            CurrentKey<K> currentKey,
            RocksDB db,
            WriteBuffer writes,
            ReadAhead ahead,
            StateAccess access) {
        this.backend = backend;
        this.currentKey = currentKey;
        this.db = db;
        this.writes = writes;
        this.ahead = ahead;
        this.access = access;
    }

    /**
     * Takes the place of Flink's state, now and after each update of its metadata.
     *
     * @param columnFamily where {@code plain} is
     */
    void standInFor(InternalListState<K, N, V> plain, ColumnFamilyHandle columnFamily) {
        this.plain = plain;
        this.columnFamily = columnFamily;
        this.target = WriteBuffer.Target.of(columnFamily);
        this.namespaceSerializer = plain.getNamespaceSerializer();
        this.elementSerializer =
                ((ListSerializer<V>) plain.getValueSerializer()).getElementSerializer();
        ahead.clear();
    }

    @Override
    public void setCurrentNamespace(N namespace) {
        this.namespace = namespace;
        plain.setCurrentNamespace(namespace);
    }

    /** As {@link ReadsAhead} says, of this state; from then on writes are gathered. */
    void readAhead(List<? extends K> keys) throws RocksDBException {
        inBatches = true;
        writes.write();
        if (!ahead.isWorthwhile()) {
            return;
        }
        SerializedKeys serialized = new SerializedKeys();
        for (K key : keys) {
            backend.setCurrentKey(key);
            if (!serialized.add(key())) {
                break;
            }
        }
        ahead.read(columnFamily, serialized.list());
    }

    private byte[] key() {
        return currentKey.withNamespace(namespace, namespaceSerializer);
    }

    @Override
    public List<V> getInternal() throws IOException, RocksDBException {
        byte[] value = serialized();
        if (value != null) {
            // Not when elements are appended: RocksDB does not separate them, but whole lists.
            access.seen(value.length);
        }
        return listSerializer.deserializeList(value, elementSerializer);
    }

    @Nullable
    private byte[] serialized() throws RocksDBException {
        byte[] key = key();
        int read = ahead.find(key);
        if (read != ReadAhead.NONE) {
            return ahead.take(read);
        }
        writes.write();
        long begun = access.beginRead();
        byte[] value = db.get(columnFamily, key);
        access.readEnded(begun, value);
        return value;
    }

    @Override
    public Iterable<V> get() throws IOException, RocksDBException {
        return getInternal();
    }

    @Override
    public void add(V value) throws Exception {
        Preconditions.checkNotNull(value, "You cannot add null to a ListState.");
        access.merged();
        if (inBatches) {
            append(List.of(value));
        } else {
            plain.add(value);
        }
    }

    @Override
    public void addAll(List<V> values) throws Exception {
        Preconditions.checkNotNull(values, "List of values to add cannot be null.");
        if (!values.isEmpty()) {
            access.merged();
        }
        if (inBatches && !values.isEmpty()) {
            append(values);
        } else {
            plain.addAll(values);
        }
    }

    private void append(List<V> values) throws IOException, RocksDBException {
        writes.addMerge(target, keyToWrite(), serialize(values));
        writeIfFull();
    }

    /** The current key, whose value is not what was read ahead any more. */
    private byte[] keyToWrite() {
        byte[] key = key();
        ahead.forget(key);
        return key;
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
        access.written();
        if (inBatches) {
            writes.add(target, keyToWrite(), serialize(values));
            writeIfFull();
        } else {
            writes.write();
            plain.updateInternal(values);
        }
    }

    @Override
    public void clear() {
        access.written();
        try {
            if (inBatches) {
                byte[] key = keyToWrite();
                writes.addRemoval(target, key, 0, key.length);
                writeIfFull();
                return;
            }
            writes.write();
        } catch (RocksDBException e) {
            throw new FlinkRuntimeException("Error while writing lists to RocksDB", e);
        }
        plain.clear();
    }

    /** Not counted. */
    @Override
    public void mergeNamespaces(N target, Collection<N> sources) throws Exception {
        writes.write();
        ahead.clear();
        plain.mergeNamespaces(target, sources);
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
