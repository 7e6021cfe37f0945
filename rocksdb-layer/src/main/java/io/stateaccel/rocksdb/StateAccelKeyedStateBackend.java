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

import io.stateaccel.flink.rocksdb.BackendParts;
import io.stateaccel.flink.rocksdb.FlinkKeyedBackend;
import io.stateaccel.flink.rocksdb.OpenDatabase;
import io.stateaccel.rocksdb.blob.AutomaticSeparation;
import io.stateaccel.rocksdb.cache.CachedStates;
import io.stateaccel.rocksdb.cache.CurrentKey;
import io.stateaccel.rocksdb.cache.StateCacheStatistics;
import io.stateaccel.rocksdb.cache.SubTaskCache;
import io.stateaccel.rocksdb.metrics.BackendMetrics;
import io.stateaccel.rocksdb.store.KeyValueStore;
import io.stateaccel.rocksdb.store.RocksDBStores;
import io.stateaccel.views.batch.ReadsAhead;
import io.stateaccel.views.batch.SerializedLists;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.RunnableFuture;
import java.util.stream.Stream;
import javax.annotation.Nonnull;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.State;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.checkpoint.CheckpointOptions;
import org.apache.flink.runtime.state.CheckpointStreamFactory;
import org.apache.flink.runtime.state.KeyGroupedInternalPriorityQueue;
import org.apache.flink.runtime.state.Keyed;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.PriorityComparable;
import org.apache.flink.runtime.state.SavepointResources;
import org.apache.flink.runtime.state.SnapshotResult;
import org.apache.flink.runtime.state.StateSnapshotTransformer.StateSnapshotTransformFactory;
import org.apache.flink.runtime.state.heap.HeapPriorityQueueElement;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.apache.flink.util.FlinkRuntimeException;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.FlushOptions;
import org.rocksdb.RocksDBException;

/**
 * Flink's RocksDB backend, which here notes the kind of each state just before Flink creates the
 * state's column family, puts a write-back cache in front of states with one value per key, and
 * gathers what is written to lists.
 *
 * <p>Whatever reads RocksDB past these (snapshots, savepoints, scans over keys, migration) first
 * has them written back, in the task thread. Everything else, snapshots and state formats included,
 * is {@link RocksDBKeyedStateBackend}'s. Threading and errors are as there.
 *
 * @param <K> the type of the keys
 */
public final class StateAccelKeyedStateBackend<K> extends FlinkKeyedBackend<K>
        implements ReadsAhead<K>, SerializedLists.Backend {

    private final ColumnFamilyOptionsSource columnFamilyOptions;
    private final StateKinds kinds;
    private final Map<String, RocksDbKvStateInfo> states;
    private final CurrentKey<K> currentKey;
    private final BackendMetrics metrics;
    private final List<BeforeSnapshot> beforeSnapshot;

    /** With what was written to lists, or has left the cache, and RocksDB does not have yet. */
    private final RocksDBStores stores;

    private final Map<String, BatchedListState<K, ?, ?>> lists = new HashMap<>();

    /** These two are null when nothing is to be cached. */
    @Nullable private final SubTaskCache cache;

    @Nullable private final CachedStates<K> cachedStates;

    /** Null when no state decides on it for itself. */
    @Nullable private final AutomaticSeparation automaticSeparation;

    /**
     * @param parts closed with this, like all that is passed
     * @param additions those for {@code database}
     */
    StateAccelKeyedStateBackend(
            BackendParts<K> parts, OpenDatabase<K> database, Additions additions) {
        super(parts, database);
        this.columnFamilyOptions = additions.columnFamilyOptions();
        this.kinds = additions.kinds();
        this.states = parts.states();
        this.metrics = additions.metrics();
        this.beforeSnapshot = additions.beforeSnapshot();
        this.cache = additions.cache();
        this.stores = additions.stores();
        this.automaticSeparation = additions.automaticSeparation();
        this.currentKey = new CurrentKey<>(database.keyBuilder());
        this.cachedStates = cache == null ? null : new CachedStates<>(this, currentKey, cache);
    }

    @Nonnull
    @Override
    public <N, SV, SEV, S extends State, IS extends S> IS createOrUpdateInternalState(
            @Nonnull TypeSerializer<N> namespaceSerializer,
            @Nonnull StateDescriptor<S, SV> stateDesc,
            @Nonnull StateSnapshotTransformFactory<SEV> snapshotTransformFactory,
            boolean allowFutureMetadataUpdates)
            throws Exception {
        String name = stateDesc.getName();
        kinds.add(
                name,
                StateKind.of(stateDesc.getType()),
                getKeyGroupPrefixBytes(),
                keySerializer,
                namespaceSerializer);
        // Flink may migrate the stored values to another serializer.
        stores.write();
        if (cache != null) {
            cache.forget(name);
        }
        IS state =
                super.createOrUpdateInternalState(
                        namespaceSerializer,
                        stateDesc,
                        snapshotTransformFactory,
                        allowFutureMetadataUpdates);
        ColumnFamilyHandle columnFamily = show(name);
        boolean cached = cache != null && CachedStates.canCache(stateDesc);
        boolean list = stateDesc.getType() == StateDescriptor.Type.LIST;
        if (automaticSeparation != null) {
            automaticSeparation.add(name, columnFamily, cached || list);
        }
        if (!cached && !list) {
            return state;
        }
        KeyValueStore store =
                stores.of(
                        columnFamily,
                        columnFamilyOptions.prefixLayout(name).orElse(null),
                        metrics.access(name));
        return list
                ? batched(name, state, store)
                : cachedStates.standInFor(stateDesc, state, store);
    }

    private ColumnFamilyHandle show(String stateName) {
        ColumnFamilyHandle columnFamily = states.get(stateName).columnFamilyHandle;
        metrics.show(stateName, columnFamily, columnFamilyOptions.choice(stateName));
        return columnFamily;
    }

    /** The state to hand out instead of Flink's; the one of an earlier call if there was one. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    private <IS> IS batched(String stateName, IS plain, KeyValueStore store) {
        BatchedListState state =
                lists.computeIfAbsent(
                        stateName,
                        name ->
                                new BatchedListState<>(
                                        name, this, currentKey, stores, metrics.access(name)));
        state.standInFor((InternalListState) plain, store);
        return (IS) state;
    }

    @Override
    public void setCurrentKey(K newKey) {
        try {
            super.setCurrentKey(newKey);
        } finally {
            keyChanged();
        }
    }

    @Override
    protected void keyChanged() {
        currentKey.changed();
    }

    @Override
    public void readAhead(String stateName, List<? extends K> keys) throws RocksDBException {
        BatchedListState<K, ?, ?> list = lists.get(stateName);
        if (list != null) {
            list.readAhead(keys);
        } else if (cachedStates != null) {
            cachedStates.readAhead(stateName, keys);
        }
    }

    @Override
    public void keepLists(String stateName) throws IOException {
        BatchedListState<K, ?, ?> list = lists.get(stateName);
        if (list != null && cache != null) {
            list.cacheIn(cache);
        }
    }

    @Override
    public boolean keepsLists() {
        return cache != null;
    }

    @Override
    public SerializedLists serializedLists(String stateName) {
        return lists.get(stateName);
    }

    /** What the cache of a state has done; empty when the state is not cached. */
    public Optional<StateCacheStatistics> cacheStatistics(String stateName) {
        return cache == null ? Optional.empty() : cache.statistics(stateName);
    }

    @Nonnull
    @Override
    public RunnableFuture<SnapshotResult<KeyedStateHandle>> snapshot(
            long checkpointId,
            long timestamp,
            @Nonnull CheckpointStreamFactory streamFactory,
            @Nonnull CheckpointOptions checkpointOptions)
            throws Exception {
        writeBack();
        beforeSnapshot.forEach(each -> each.look(states));
        return super.snapshot(checkpointId, timestamp, streamFactory, checkpointOptions);
    }

    @Nonnull
    @Override
    public SavepointResources<K> savepoint() throws Exception {
        writeBack();
        flushHashMemtables();
        return super.savepoint();
    }

    /**
     * The iterators of canonical savepoints see nothing of them, see {@link ColumnFamilyPolicy}.
     */
    private void flushHashMemtables() throws RocksDBException {
        List<ColumnFamilyHandle> columnFamilies =
                states.entrySet().stream()
                        .filter(state -> columnFamilyOptions.hasHashMemtable(state.getKey()))
                        .map(state -> state.getValue().columnFamilyHandle)
                        .toList();
        if (!columnFamilies.isEmpty()) {
            try (FlushOptions flush = new FlushOptions().setWaitForFlush(true)) {
                db.flush(flush, columnFamilies);
            }
        }
    }

    @Override
    public <N> Stream<K> getKeys(String state, N namespace) {
        beforeScan();
        return super.getKeys(state, namespace);
    }

    @Override
    public <N> Stream<Tuple2<K, N>> getKeysAndNamespaces(String state) {
        beforeScan();
        return super.getKeysAndNamespaces(state);
    }

    @Override
    public int numKeyValueStateEntries() {
        beforeScan();
        return super.numKeyValueStateEntries();
    }

    @Override
    public void compactState(StateDescriptor<?, ?> stateDesc) throws RocksDBException {
        beforeScan();
        super.compactState(stateDesc);
    }

    @Override
    public void dispose() {
        if (cache != null) {
            cache.close();
        }
        stores.close();
        metrics.close();
        super.dispose();
    }

    private void writeBack() throws IOException {
        try {
            stores.write();
        } catch (RocksDBException e) {
            throw new IOException("Could not write lists to RocksDB.", e);
        }
        if (cache != null) {
            cache.writeBack();
        }
    }

    @Override
    protected void beforeScan() {
        try {
            writeBack();
        } catch (IOException e) {
            throw new FlinkRuntimeException(e);
        }
    }

    @Override
    public <T extends HeapPriorityQueueElement & PriorityComparable<? super T> & Keyed<?>>
            KeyGroupedInternalPriorityQueue<T> create(
                    @Nonnull String stateName,
                    @Nonnull TypeSerializer<T> byteOrderedElementSerializer,
                    boolean allowFutureMetadataUpdates) {
        kinds.add(stateName, StateKind.TIMER);
        KeyGroupedInternalPriorityQueue<T> timers =
                super.create(stateName, byteOrderedElementSerializer, allowFutureMetadataUpdates);
        // Timers on the heap have no column family.
        if (states.containsKey(stateName)) {
            show(stateName);
        }
        return timers;
    }
}
