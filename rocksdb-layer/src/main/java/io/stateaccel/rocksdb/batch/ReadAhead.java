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
package io.stateaccel.rocksdb.batch;

import io.stateaccel.rocksdb.metrics.StateAccess;
import java.util.Arrays;
import java.util.List;
import javax.annotation.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDBException;

/**
 * What keys of one column family have, read in one go, each until it is taken or the key is
 * written. Whoever writes the column family says so for each key, so what is here is never old.
 *
 * <p>Used by one thread.
 */
public final class ReadAhead {

    /** In the place of the number of a key. */
    public static final int NONE = -1;

    /** What does not fit is left to be read by itself. */
    private static final long MOST_VALUE_BYTES = 4 << 20;

    /** Fibonacci hashing: 2^32 / golden ratio. */
    private static final int SPREAD = 0x9E3779B9;

    private final BatchAccess access;
    private final StateAccess counts;

    private byte[][] keys = {};
    private byte[][] values = {};

    /** Numbers of keys, plus one, by hash; a power of two, at most half of them in use. */
    private int[] places = {};

    private int size;
    private int left;
    private long valueBytes;
    private int absent;

    /**
     * @param counts told of the reads
     */
    public ReadAhead(BatchAccess access, StateAccess counts) {
        this.access = access;
        this.counts = counts;
    }

    /** Whether to read ahead is faster than to read. */
    public boolean isWorthwhile() {
        return access.readsInOneCall();
    }

    /** Whether nothing is left of what was read. */
    public boolean isEmpty() {
        return left == 0;
    }

    /**
     * Reads keys; what is left of earlier ones is dropped.
     *
     * @param serialized the keys, each once, brought into the order of RocksDB
     */
    public void read(ColumnFamilyHandle columnFamily, List<byte[]> serialized)
            throws RocksDBException {
        clear();
        if (serialized.isEmpty()) {
            return;
        }
        serialized.sort(Arrays::compareUnsigned);
        makeRoom(serialized.size());
        absent = 0;
        long begun = counts.beginRead();
        int read = access.read(columnFamily, serialized, MOST_VALUE_BYTES, this::add);
        counts.readsEnded(begun, read, absent, valueBytes);
        left = read;
    }

    private void makeRoom(int count) {
        if (keys.length < count) {
            keys = new byte[count][];
            values = new byte[count][];
            places = new int[Integer.highestOneBit(count) << 2];
        }
    }

    private void add(byte[] key, @Nullable byte[] value) {
        int place = placeOf(key);
        while (places[place] != 0) {
            place = next(place);
        }
        keys[size] = key;
        values[size] = value;
        places[place] = ++size;
        if (value == null) {
            absent++;
        } else {
            valueBytes += value.length;
        }
    }

    private int placeOf(byte[] key) {
        return Arrays.hashCode(key) * SPREAD >>> Integer.numberOfLeadingZeros(places.length) + 1;
    }

    private int next(int place) {
        return place + 1 & places.length - 1;
    }

    /** The number of a key that was read and neither taken nor forgotten, else {@link #NONE}. */
    public int find(byte[] key) {
        if (left == 0) {
            return NONE;
        }
        for (int place = placeOf(key); places[place] != 0; place = next(place)) {
            int number = places[place] - 1;
            if (keys[number] != null && Arrays.equals(keys[number], key)) {
                return number;
            }
        }
        return NONE;
    }

    /**
     * The value of a key, which is forgotten here.
     *
     * @param number of a key that was found
     * @return null when it has none
     */
    @Nullable
    public byte[] take(int number) {
        byte[] value = values[number];
        keys[number] = null;
        values[number] = null;
        left--;
        return value;
    }

    /** To be called before a key is written. */
    public void forget(byte[] key) {
        int number = find(key);
        if (number != NONE) {
            take(number);
        }
    }

    /** Forgets all keys. */
    public void clear() {
        if (size > 0) {
            Arrays.fill(keys, 0, size, null);
            Arrays.fill(values, 0, size, null);
            Arrays.fill(places, 0);
        }
        size = 0;
        left = 0;
        valueBytes = 0;
    }
}
