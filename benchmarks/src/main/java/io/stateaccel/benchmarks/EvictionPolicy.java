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
package io.stateaccel.benchmarks;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.stateaccel.rocksdb.cache.EntryRecords;
import io.stateaccel.rocksdb.cache.MemoryMeter;
import io.stateaccel.rocksdb.cache.S3FifoCache;
import io.stateaccel.views.batch.KeyHash;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Policies that could choose what leaves the state cache, each with room for a number of entries of
 * equal size.
 */
public enum EvictionPolicy {
    /** The state cache's own, {@link S3FifoCache}. */
    S3_FIFO {
        @Override
        public CacheOfEntries withRoomFor(int entries) {
            return new S3Fifo(entries);
        }
    },

    /** The JDK's {@link LinkedHashMap} in the order of accesses. */
    LRU {
        @Override
        public CacheOfEntries withRoomFor(int entries) {
            return new Lru(entries);
        }
    },

    /** Caffeine, whose maintenance runs in the calling thread here. */
    W_TINY_LFU {
        @Override
        public CacheOfEntries withRoomFor(int entries) {
            return new WTinyLfu(entries);
        }
    };

    public abstract CacheOfEntries withRoomFor(int entries);

    /** Keys and values as the state cache has them: serialised. Used by one thread. */
    public interface CacheOfEntries {

        /**
         * Reads a key.
         *
         * @param stored what the store behind the cache holds for the key; copied when the cache
         *     does not
         * @return whether the cache held it
         */
        boolean read(byte[] key, byte[] stored);
    }

    private static final class S3Fifo implements CacheOfEntries {

        private final S3FifoCache cache = new S3FifoCache(new MemoryMeter());
        private final int room;

        S3Fifo(int room) {
            this.room = room;
        }

        @Override
        public boolean read(byte[] key, byte[] stored) {
            int hash = KeyHash.of(key);
            int entry = cache.find(key, hash);
            if (entry != EntryRecords.NONE) {
                cache.use(entry);
                return true;
            }
            cache.insert(key, hash, stored, stored.length);
            while (cache.size() > room) {
                cache.removeVictim(cache.victim());
            }
            return false;
        }
    }

    private static final class Lru implements CacheOfEntries {

        private final Map<Key, byte[]> cache;

        Lru(int room) {
            this.cache =
                    new LinkedHashMap<>(2 * room, 0.75f, true) {
                        private static final long serialVersionUID = 1L;

                        @Override
                        protected boolean removeEldestEntry(Map.Entry<Key, byte[]> eldest) {
                            return size() > room;
                        }
                    };
        }

        @Override
        public boolean read(byte[] keyBytes, byte[] stored) {
            Key key = new Key(keyBytes);
            if (cache.get(key) != null) {
                return true;
            }
            cache.put(key, stored.clone());
            return false;
        }
    }

    private static final class WTinyLfu implements CacheOfEntries {

        private final Cache<Key, byte[]> cache;

        WTinyLfu(int room) {
            this.cache =
                    Caffeine.newBuilder()
                            .initialCapacity(room)
                            .maximumSize(room)
                            .executor(Runnable::run)
                            .build();
        }

        @Override
        public boolean read(byte[] keyBytes, byte[] stored) {
            Key key = new Key(keyBytes);
            if (cache.getIfPresent(key) != null) {
                return true;
            }
            cache.put(key, stored.clone());
            return false;
        }
    }

    private static final class Key {

        private final byte[] bytes;
        private final int hash;

        Key(byte[] bytes) {
            this.bytes = bytes;
            this.hash = KeyHash.of(bytes);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Key key && Arrays.equals(bytes, key.bytes);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }
}
