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
package io.stateaccel.nexmark.checksum;

/**
 * The hash of the row that each key of a table of upserts has, on the heap: a digest of such a
 * table has to know what an upsert replaces. Keys are known by 64 bits of their hash. Forgets no
 * key, and takes 48 to 96 bytes for each. Used by one thread.
 */
final class UpsertedRows {

    private static final int FIRST_CAPACITY = 1 << 10;

    private long[] keys = new long[FIRST_CAPACITY];
    private long[] highs = new long[FIRST_CAPACITY];
    private long[] lows = new long[FIRST_CAPACITY];
    private int size;

    /**
     * Finds the place of a key, which {@link #high}, {@link #low} and {@link #set} take. It holds
     * until the next call.
     */
    int find(long keyHash) {
        // Zero is a free place.
        long key = keyHash == 0 ? 1 : keyHash;
        int at = place(key);
        if (keys[at] == 0) {
            if (2 * (size + 1) > keys.length) {
                grow();
                at = place(key);
            }
            keys[at] = key;
            size++;
        }
        return at;
    }

    /** Upper half of the hash of the row, zero like the lower half if there is none. */
    long high(int at) {
        return highs[at];
    }

    long low(int at) {
        return lows[at];
    }

    /** Gives a key a row; none if both halves are zero. */
    void set(int at, long high, long low) {
        highs[at] = high;
        lows[at] = low;
    }

    private int place(long key) {
        int mask = keys.length - 1;
        int at = (int) (key ^ (key >>> 32)) & mask;
        while (keys[at] != 0 && keys[at] != key) {
            at = (at + 1) & mask;
        }
        return at;
    }

    private void grow() {
        long[] oldKeys = keys;
        long[] oldHighs = highs;
        long[] oldLows = lows;
        keys = new long[2 * oldKeys.length];
        highs = new long[keys.length];
        lows = new long[keys.length];
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldKeys[i] != 0) {
                int at = place(oldKeys[i]);
                keys[at] = oldKeys[i];
                set(at, oldHighs[i], oldLows[i]);
            }
        }
    }
}
