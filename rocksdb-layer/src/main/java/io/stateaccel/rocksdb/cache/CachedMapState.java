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

import io.stateaccel.views.batch.KeyHash;
import io.stateaccel.views.batch.MappedIterator;
import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.MapSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.rocksdb.RocksDBException;

/**
 * Cached {@code MapState}. Single entries of the map are cached, so a map may be of any size; who
 * goes through a map reads RocksDB, after what is dirty was written back, so that this costs no
 * more writes than it would without a cache, and neither fills the cache nor copies the map. Of
 * small maps the keys are known afterwards ({@link WholeMaps}), and the next pass finds them there.
 *
 * @param <K> the type of the key
 * @param <N> the type of the namespace
 * @param <UK> the type of the map's keys
 * @param <UV> the type of the map's values
 */
final class CachedMapState<K, N, UK, UV> extends CachedState<K, N, Map<UK, UV>>
        implements InternalMapState<K, N, UK, UV> {

    private DataOutputSerializer output = new DataOutputSerializer(FIRST_OUTPUT_BYTES);
    private final DataInputDeserializer input = new DataInputDeserializer();

    private TypeSerializer<UK> mapKeySerializer;
    private TypeSerializer<UV> mapValueSerializer;

    /** The entry of the last access, whose key the next access often repeats. */
    @Nullable private byte[] recentKey;

    /** The keys of the current map if they are known, as of the two versions. */
    @Nullable private WholeMaps.Keys knownKeys;

    private long knownOfKey = -1;
    private long knownOfMaps = -1;

    CachedMapState(
            RocksDBKeyedStateBackend<K> backend, CurrentKey<K> currentKey, StateCache cache) {
        super(backend, currentKey, cache);
    }

    @Override
    void setValueSerializer(TypeSerializer<Map<UK, UV>> valueSerializer) {
        MapSerializer<UK, UV> serializer = (MapSerializer<UK, UV>) valueSerializer;
        mapKeySerializer = serializer.getKeySerializer();
        mapValueSerializer = serializer.getValueSerializer();
    }

    @Override
    void keyOrNamespaceChanged() {
        recentKey = null;
        knownOfKey = -1;
    }

    /** The keys of the current map; null if they are not known. */
    @Nullable
    private WholeMaps.Keys knownKeys() {
        WholeMaps maps = cache.wholeMaps();
        if (maps.isEmpty()) {
            return null;
        }
        // A namespace that may be changed is not to be relied on.
        if (!namespacesAreImmutable()
                || knownOfKey != currentKey.version()
                || knownOfMaps != maps.version()) {
            knownKeys = maps.find(serializedKeyAndNamespace());
            knownOfKey = currentKey.version();
            knownOfMaps = maps.version();
        }
        return knownKeys;
    }

    @Override
    public UV get(UK mapKey) throws IOException, RocksDBException {
        CachedValue value = find(mapKey);
        if (value.isAbsent()) {
            return null;
        }
        input.setBuffer(value.bytes(), value.offset(), value.length());
        return MapEntries.readValue(input, mapValueSerializer);
    }

    @Override
    public boolean contains(UK mapKey) throws IOException, RocksDBException {
        return !find(mapKey).isAbsent();
    }

    private CachedValue find(UK mapKey) throws IOException, RocksDBException {
        byte[] key = serialized(mapKey);
        WholeMaps.Keys known = knownKeys();
        if (known != null && !known.contains(key)) {
            return cache.readAbsent();
        }
        return cache.read(key, KeyHash.of(key), isNewVisit(key));
    }

    @Override
    public void put(UK mapKey, UV value) throws IOException, RocksDBException {
        MapEntries.writeValue(value, mapValueSerializer, output);
        byte[] key = serialized(mapKey);
        store(key, output.getSharedBuffer(), output.length());
        output = afterUse(output);
        WholeMaps.Keys known = knownKeys();
        if (known != null) {
            known.added(key);
        }
    }

    @Override
    public void putAll(Map<UK, UV> map) throws IOException, RocksDBException {
        if (map == null) {
            return;
        }
        for (Map.Entry<UK, UV> entry : map.entrySet()) {
            put(entry.getKey(), entry.getValue());
        }
    }

    @Override
    public void remove(UK mapKey) throws IOException, RocksDBException {
        byte[] key = serialized(mapKey);
        WholeMaps.Keys known = knownKeys();
        if (known == null) {
            store(key, null, CachedValue.ABSENT);
        } else if (known.contains(key)) {
            store(key, null, CachedValue.ABSENT);
            known.removed(key);
        }
    }

    private byte[] serialized(UK mapKey) throws IOException {
        return currentKey.withNamespaceAndMapKey(
                namespace(), getNamespaceSerializer(), mapKey, mapKeySerializer);
    }

    private void store(byte[] key, @Nullable byte[] value, int valueLength)
            throws RocksDBException {
        cache.write(key, KeyHash.of(key), isNewVisit(key), value, valueLength);
    }

    private boolean isNewVisit(byte[] key) {
        boolean isNew = !Arrays.equals(key, recentKey);
        recentKey = key;
        return isNew;
    }

    @Override
    public Iterable<Map.Entry<UK, UV>> entries() {
        return this::iterator;
    }

    @Override
    public Iterator<Map.Entry<UK, UV>> iterator() {
        return entriesOf(serializedKeyAndNamespace());
    }

    @Override
    public Iterable<UK> keys() {
        byte[] prefix = serializedKeyAndNamespace();
        return () -> each(prefix, Map.Entry::getKey);
    }

    @Override
    public Iterable<UV> values() {
        byte[] prefix = serializedKeyAndNamespace();
        return () -> each(prefix, Map.Entry::getValue);
    }

    private <T> Iterator<T> each(byte[] prefix, Function<Map.Entry<UK, UV>, T> part) {
        // As in Flink's, null comes behind the last entry.
        return new MappedIterator<>(
                entriesOf(prefix), entry -> entry == null ? null : part.apply(entry));
    }

    private MapEntries<UK, UV> entriesOf(byte[] prefix) {
        return new MapEntries<>(cache, prefix, mapKeySerializer, mapValueSerializer);
    }

    @Override
    public boolean isEmpty() {
        return entriesOf(serializedKeyAndNamespace()).isEmpty();
    }

    @Override
    public void clear() {
        entriesOf(serializedKeyAndNamespace()).removeAll();
    }

    @Override
    public byte[] getSerializedValue(
            byte[] serializedKeyAndNamespace,
            TypeSerializer<K> safeKeySerializer,
            TypeSerializer<N> safeNamespaceSerializer,
            TypeSerializer<Map<UK, UV>> safeValueSerializer)
            throws Exception {
        cache.writeBack();
        return plain().getSerializedValue(
                        serializedKeyAndNamespace,
                        safeKeySerializer,
                        safeNamespaceSerializer,
                        safeValueSerializer);
    }
}
