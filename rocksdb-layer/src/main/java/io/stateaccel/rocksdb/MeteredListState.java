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

import io.stateaccel.rocksdb.cache.CurrentKey;
import io.stateaccel.rocksdb.metrics.StateAccess;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.runtime.state.ListDelimitedSerializer;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * Flink's list state in RocksDB, with its accesses counted. Reads by itself, as Flink's {@code
 * RocksDBListState} does, to see the bytes of the value; all else is left to that. Used by the task
 * thread only, but for {@link #getSerializedValue} of queryable state.
 *
 * @param <K> the type of the key
 * @param <N> the type of the namespace
 * @param <V> the type of the list's elements
 */
final class MeteredListState<K, N, V> implements InternalListState<K, N, V> {

    private final CurrentKey<K> currentKey;
    private final RocksDB db;
    private final StateAccess access;
    private final ListDelimitedSerializer listSerializer = new ListDelimitedSerializer();

    private InternalListState<K, N, V> plain;
    private ColumnFamilyHandle columnFamily;
    private TypeSerializer<N> namespaceSerializer;
    private TypeSerializer<V> elementSerializer;

    private N namespace;

    MeteredListState(CurrentKey<K> currentKey, RocksDB db, StateAccess access) {
        this.currentKey = currentKey;
        this.db = db;
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
        this.namespaceSerializer = plain.getNamespaceSerializer();
        this.elementSerializer =
                ((ListSerializer<V>) plain.getValueSerializer()).getElementSerializer();
    }

    @Override
    public void setCurrentNamespace(N namespace) {
        this.namespace = namespace;
        plain.setCurrentNamespace(namespace);
    }

    @Override
    public List<V> getInternal() throws IOException, RocksDBException {
        byte[] key = currentKey.withNamespace(namespace, namespaceSerializer);
        long begun = access.beginRead();
        byte[] value = db.get(columnFamily, key);
        access.readEnded(begun, value);
        if (value != null) {
            // Not when elements are appended: RocksDB does not separate them, but whole lists.
            access.seen(value.length);
        }
        return listSerializer.deserializeList(value, elementSerializer);
    }

    @Override
    public Iterable<V> get() throws IOException, RocksDBException {
        return getInternal();
    }

    @Override
    public void add(V value) throws Exception {
        access.merged();
        plain.add(value);
    }

    @Override
    public void addAll(List<V> values) throws Exception {
        if (!values.isEmpty()) {
            access.merged();
        }
        plain.addAll(values);
    }

    @Override
    public void update(List<V> values) throws Exception {
        access.written();
        plain.update(values);
    }

    @Override
    public void updateInternal(List<V> values) throws Exception {
        access.written();
        plain.updateInternal(values);
    }

    @Override
    public void clear() {
        access.written();
        plain.clear();
    }

    /** Not counted. */
    @Override
    public void mergeNamespaces(N target, Collection<N> sources) throws Exception {
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
