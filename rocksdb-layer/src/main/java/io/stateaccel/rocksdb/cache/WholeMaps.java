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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;

/**
 * Which keys the small maps of a state have that a pass has gone through: a pass over one of them,
 * or the question whether it is empty, needs no scan of RocksDB, which would have to be brought up
 * to date before. Known are those that are used, within a part of the memory for the cache; where
 * that is full, a map pushes others out when it comes for the second time while it is remembered as
 * a <i>ghost</i> (as in {@link S3FifoCache}), so that passes over more maps than there is room for
 * leave those known that are. Beginning with the first pass over any map of the state, every change
 * of a map has to be told here.
 *
 * <p>A key that is known may have expired in RocksDB, and have no value; one that is not has none.
 */
final class WholeMaps {

    /** A map of more is not known. */
    static final int MOST_KEYS = 64;

    private static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

    /** Of the entry here and in the table, the two objects and the list. */
    private static final int BYTES_PER_MAP = 176;

    /** Beside an array. */
    private static final int BYTES_PER_KEY = 2 * BytesOnHeap.REFERENCE;

    private final MemoryMeter meter;

    /**
     * In the order in which they came; who has been used goes to the end once instead of leaving.
     */
    private final Map<Prefix, Keys> maps = new LinkedHashMap<>();

    private long bytes;
    private long version;

    /**
     * Hashes of maps that there was no room for, each in the place that it has; 0 where none is.
     */
    private int[] ghosts = {};

    WholeMaps(MemoryMeter meter) {
        this.meter = meter;
    }

    /** Key group, key and namespace of a map. */
    private static final class Prefix {
        private final byte[] bytes;
        private final int hash;

        Prefix(byte[] bytes) {
            this.bytes = bytes;
            this.hash = KeyHash.of(bytes);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Prefix prefix && Arrays.equals(bytes, prefix.bytes);
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    boolean isEmpty() {
        return maps.isEmpty();
    }

    /** Another number whenever a map may be known that was not, or the other way round. */
    long version() {
        return version;
    }

    /**
     * The keys of a map; null if they are not known.
     *
     * @param prefix of the map, kept
     */
    @Nullable
    Keys find(byte[] prefix) {
        if (maps.isEmpty()) {
            return null;
        }
        Keys known = maps.get(new Prefix(prefix));
        if (known != null) {
            known.isUsed = true;
        }
        return known;
    }

    /**
     * Keeps the keys of a map, if there is room for them or it has come before.
     *
     * @param prefix of the map, kept
     * @param keys all of them, in the order of their bytes; they are kept, the list is not
     * @param mostBytes that all maps may take
     */
    void know(byte[] prefix, List<byte[]> keys, long mostBytes) {
        if (keys.size() > MOST_KEYS) {
            return;
        }
        giveUpTo(mostBytes);
        Prefix ofMap = new Prefix(prefix);
        long needed = bytesOf(prefix, keys);
        if (needed > mostBytes || bytes + needed > mostBytes && !isGhost(ofMap.hash)) {
            return;
        }
        giveUpTo(mostBytes - needed);
        Keys before = maps.put(ofMap, new Keys(ofMap, keys, needed));
        change(needed - (before == null ? 0 : before.bytes));
        version++;
    }

    private static long bytesOf(byte[] prefix, List<byte[]> keys) {
        long bytes = BYTES_PER_MAP + BytesOnHeap.byteArray(prefix.length);
        for (int i = 0; i < keys.size(); i++) {
            bytes += bytesOf(keys.get(i));
        }
        return bytes;
    }

    private static long bytesOf(byte[] key) {
        return BYTES_PER_KEY + BytesOnHeap.byteArray(key.length);
    }

    private void giveUpTo(long mostBytes) {
        if (bytes > mostBytes) {
            version++;
        }
        while (bytes > mostBytes && !maps.isEmpty()) {
            Keys eldest = maps.values().iterator().next();
            maps.remove(eldest.prefix);
            if (eldest.isUsed) {
                eldest.isUsed = false;
                maps.put(eldest.prefix, eldest);
            } else {
                change(-eldest.bytes);
            }
        }
    }

    /** Whether a map has been turned away not long ago; if not, it has now. */
    private boolean isGhost(int hash) {
        if (ghosts.length < maps.size()) {
            rememberGhosts(Integer.highestOneBit(2 * maps.size()));
        }
        if (ghosts.length == 0) {
            return false;
        }
        int place = hash & ghosts.length - 1;
        boolean isGhost = ghosts[place] == hash;
        ghosts[place] = isGhost ? 0 : hash;
        return isGhost;
    }

    private void rememberGhosts(int count) {
        meter.add((long) Integer.BYTES * (count - ghosts.length));
        ghosts = new int[count];
    }

    /** Knows none any more. */
    void clear() {
        maps.clear();
        change(-bytes);
        rememberGhosts(0);
        version++;
    }

    private void change(long by) {
        bytes += by;
        meter.add(by);
    }

    /** The keys of one map, with its prefix. To be asked for again when the version is another. */
    final class Keys {
        private final Prefix prefix;
        private final List<byte[]> sorted;
        private long bytes;
        private boolean isUsed;

        private Keys(Prefix prefix, List<byte[]> sorted, long bytes) {
            this.prefix = prefix;
            this.sorted = new ArrayList<>(sorted);
            this.bytes = bytes;
        }

        boolean isEmpty() {
            return sorted.isEmpty();
        }

        int size() {
            return sorted.size();
        }

        boolean contains(byte[] key) {
            return place(key) >= 0;
        }

        /** A copy, in the order of their bytes. */
        List<byte[]> all() {
            return List.copyOf(sorted);
        }

        /**
         * The map has a value for this key.
         *
         * @param key kept
         */
        void added(byte[] key) {
            int place = place(key);
            if (place >= 0) {
                return;
            }
            if (sorted.size() == MOST_KEYS) {
                maps.remove(prefix);
                WholeMaps.this.change(-bytes);
                version++;
                return;
            }
            sorted.add(-place - 1, key);
            change(bytesOf(key));
        }

        /** The map has no value for this key. */
        void removed(byte[] key) {
            int place = place(key);
            if (place >= 0) {
                change(-bytesOf(sorted.remove(place)));
            }
        }

        private void change(long by) {
            bytes += by;
            WholeMaps.this.change(by);
        }

        private int place(byte[] key) {
            return Collections.binarySearch(sorted, key, ORDER);
        }
    }
}
