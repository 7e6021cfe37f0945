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
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.util.FlinkRuntimeException;
import org.rocksdb.RocksDBException;

/**
 * One pass over the entries of a map in RocksDB, in the order of their serialised keys. Reads some
 * entries at a time, so that no iterator of RocksDB stays open, and what was written meanwhile is
 * seen beyond those; like the iterator of Flink's {@code RocksDBMapState}, whose layout and
 * behaviour this is. Changes go through the cache. Where all keys of the map are known, RocksDB is
 * asked for the values that the cache does not have, and not brought up to date.
 *
 * @param <UK> the type of the map's keys
 * @param <UV> the type of the map's values
 */
final class MapEntries<UK, UV> implements Iterator<Map.Entry<UK, UV>> {

    private static final int LOADED_AT_ONCE = 128;

    /** To find out whether there is one; if these are all, they are known from then on. */
    private static final int KEYS_TO_LOOK_FOR = 16;

    private final StateCache cache;
    private final byte[] prefix;
    private final TypeSerializer<UK> keySerializer;
    private final TypeSerializer<UV> valueSerializer;

    private final DataInputDeserializer input = new DataInputDeserializer();
    private final DataOutputSerializer output = new DataOutputSerializer(64);

    private final List<StoredEntry> loaded = new ArrayList<>();
    private int next;
    private boolean allLoaded;
    @Nullable private StoredEntry current;

    /**
     * @param prefix the serialised key and namespace of the map
     */
    MapEntries(
            StateCache cache,
            byte[] prefix,
            TypeSerializer<UK> keySerializer,
            TypeSerializer<UV> valueSerializer) {
        this.cache = cache;
        this.prefix = prefix;
        this.keySerializer = keySerializer;
        this.valueSerializer = valueSerializer;
    }

    /** Reads the value of an entry. */
    @Nullable
    static <V> V readValue(DataInputDeserializer input, TypeSerializer<V> serializer)
            throws IOException {
        boolean isNull = input.readBoolean();
        return isNull ? null : serializer.deserialize(input);
    }

    /** Writes the value of an entry. */
    static <V> void writeValue(
            @Nullable V value, TypeSerializer<V> serializer, DataOutputSerializer output)
            throws IOException {
        output.clear();
        output.writeBoolean(value == null);
        if (value != null) {
            serializer.serialize(value, output);
        }
    }

    @Override
    public boolean hasNext() {
        load();
        return next < loaded.size();
    }

    /** The next entry; as with Flink's, null after the last one. */
    @Override
    @Nullable
    public Map.Entry<UK, UV> next() {
        load();
        if (next == loaded.size()) {
            return null;
        }
        current = loaded.get(next++);
        return current;
    }

    @Override
    public void remove() {
        if (current == null || current.isRemoved()) {
            throw new IllegalStateException(
                    "The remove operation must be called after a valid next operation.");
        }
        current.remove();
    }

    /** Whether the map has no entry; to be asked before the pass. */
    boolean isEmpty() {
        WholeMaps.Keys known = cache.wholeMaps().find(prefix);
        if (known != null) {
            return known.isEmpty();
        }
        List<byte[]> keys = new ArrayList<>();
        try {
            boolean more =
                    cache.readStored(
                            prefix, null, false, KEYS_TO_LOOK_FOR, (key, value) -> keys.add(key));
            if (!more) {
                cache.know(prefix, keys);
            }
        } catch (RocksDBException e) {
            throw new FlinkRuntimeException("Error while retrieving data from RocksDB.", e);
        }
        return keys.isEmpty();
    }

    /** Removes all entries; to be called before the pass. */
    void removeAll() {
        WholeMaps.Keys known = cache.wholeMaps().find(prefix);
        List<byte[]> keys = new ArrayList<>();
        byte[] last = null;
        boolean more = known == null;
        try {
            if (known != null) {
                for (byte[] key : known.all()) {
                    cache.removeStored(key);
                    known.removed(key);
                }
            }
            while (more) {
                keys.clear();
                more =
                        cache.readStored(
                                prefix, last, false, LOADED_AT_ONCE, (key, value) -> keys.add(key));
                for (byte[] key : keys) {
                    cache.removeStored(key);
                    last = key;
                }
            }
        } catch (RocksDBException e) {
            throw new FlinkRuntimeException("Error while cleaning the state in RocksDB.", e);
        }
    }

    private void load() {
        if (next < loaded.size() || allLoaded) {
            return;
        }
        loaded.clear();
        next = 0;
        try {
            WholeMaps.Keys known = cache.wholeMaps().find(prefix);
            if (known == null) {
                loadStored();
                knowLoaded();
            } else if (KnownValues.areBestScanned(cache, known)) {
                loadStored();
            } else {
                loadKnown(known);
            }
        } catch (RocksDBException e) {
            throw new FlinkRuntimeException("Error while retrieving data from RocksDB.", e);
        }
    }

    private void loadKnown(WholeMaps.Keys known) throws RocksDBException {
        allLoaded = true;
        List<byte[]> keys = known.all();
        byte[][] values = KnownValues.read(cache, prefix, keys);
        for (int i = 0; i < values.length; i++) {
            byte[] key = keys.get(i);
            if (values[i] == null) {
                known.removed(key);
            } else if (current == null || Arrays.compareUnsigned(key, current.key) > 0) {
                loaded.add(new StoredEntry(key, values[i]));
            }
        }
    }

    private void loadStored() throws RocksDBException {
        allLoaded =
                !cache.readStored(
                        prefix,
                        current == null ? null : current.key,
                        true,
                        LOADED_AT_ONCE,
                        (key, value) -> loaded.add(new StoredEntry(key, value)));
    }

    /** Has the keys of the map known if these are all. */
    private void knowLoaded() throws RocksDBException {
        if (!allLoaded || current != null) {
            return;
        }
        List<byte[]> keys = new ArrayList<>(loaded.size());
        for (StoredEntry entry : loaded) {
            keys.add(entry.key);
        }
        cache.know(prefix, keys);
    }

    /** An entry; read from its bytes when asked. */
    private final class StoredEntry implements Map.Entry<UK, UV> {

        private final byte[] key;

        /** Null when the entry was removed. */
        @Nullable private byte[] valueBytes;

        @Nullable private UK mapKey;
        @Nullable private UV value;

        StoredEntry(byte[] key, byte[] valueBytes) {
            this.key = key;
            this.valueBytes = valueBytes;
        }

        boolean isRemoved() {
            return valueBytes == null;
        }

        @Override
        public UK getKey() {
            if (mapKey == null) {
                input.setBuffer(key, prefix.length, key.length - prefix.length);
                try {
                    mapKey = keySerializer.deserialize(input);
                } catch (IOException e) {
                    throw new FlinkRuntimeException("Error while deserializing the user key.", e);
                }
            }
            return mapKey;
        }

        @Override
        @Nullable
        public UV getValue() {
            if (value == null && valueBytes != null) {
                input.setBuffer(valueBytes);
                try {
                    value = readValue(input, valueSerializer);
                } catch (IOException e) {
                    throw new FlinkRuntimeException("Error while deserializing the user value.", e);
                }
            }
            return value;
        }

        @Override
        public UV setValue(UV newValue) {
            if (isRemoved()) {
                throw new IllegalStateException("The value has already been deleted.");
            }
            UV oldValue = getValue();
            try {
                writeValue(newValue, valueSerializer, output);
                valueBytes = output.getCopyOfBuffer();
                value = newValue;
                cache.write(key, KeyHash.of(key), true, valueBytes, valueBytes.length);
                WholeMaps.Keys known = cache.wholeMaps().find(prefix);
                if (known != null) {
                    known.added(key);
                }
            } catch (IOException | RocksDBException e) {
                throw new FlinkRuntimeException("Error while putting data into RocksDB.", e);
            }
            return oldValue;
        }

        private void remove() {
            valueBytes = null;
            value = null;
            try {
                cache.write(key, KeyHash.of(key), true, null, CachedValue.ABSENT);
                WholeMaps.Keys known = cache.wholeMaps().find(prefix);
                if (known != null) {
                    known.removed(key);
                }
            } catch (RocksDBException e) {
                throw new FlinkRuntimeException("Error while removing data from RocksDB.", e);
            }
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Map.Entry<?, ?> entry
                    && Objects.equals(getKey(), entry.getKey())
                    && Objects.equals(getValue(), entry.getValue());
        }

        @Override
        public int hashCode() {
            return Objects.hashCode(getKey()) ^ Objects.hashCode(getValue());
        }

        @Override
        public String toString() {
            return getKey() + "=" + getValue();
        }
    }
}
