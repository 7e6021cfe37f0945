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

import javax.annotation.Nullable;

/**
 * One key of one state: the serialised key (key group, key, namespace) and, right behind it in the
 * same array, the serialised value. One array instead of two saves a header and, on a hit, a cache
 * line.
 */
final class CacheEntry {

    /** Not in a cache, or no longer. */
    static final byte NOWHERE = 0;

    static final byte IN_SMALL = 1;
    static final byte IN_MAIN = 2;

    private static final int REFERENCE_BYTES = BytesOnHeap.REFERENCE;

    /** Header, four references, three ints and three bytes; see {@code CacheFootprintTest}. */
    static final int OBJECT_BYTES = BytesOnHeap.align(12 + 4 * REFERENCE_BYTES + 12 + 3);

    /** Length of a value that is known to be absent. */
    static final int ABSENT = -1;

    byte[] bytes;
    int hash;
    int keyLength;
    int valueLength;

    @Nullable CacheEntry nextInQueue;
    @Nullable CacheEntry previousDirty;
    @Nullable CacheEntry nextDirty;

    byte queue;
    byte uses;
    byte flags;

    private static final byte DIRTY = 1;
    private static final byte ABSENT_IN_STORE = 2;

    boolean isCached() {
        return queue != NOWHERE;
    }

    boolean isAbsent() {
        return valueLength == ABSENT;
    }

    boolean isDirty() {
        return (flags & DIRTY) != 0;
    }

    void setDirty(boolean dirty) {
        flags = (byte) (dirty ? flags | DIRTY : flags & ~DIRTY);
    }

    /** Whether RocksDB is known to hold nothing for the key, whatever this entry holds. */
    boolean isAbsentInStore() {
        return (flags & ABSENT_IN_STORE) != 0;
    }

    void setAbsentInStore(boolean absent) {
        flags = (byte) (absent ? flags | ABSENT_IN_STORE : flags & ~ABSENT_IN_STORE);
    }

    /** Bytes of key and value, without what the heap adds. */
    int contentBytes() {
        return keyLength + Math.max(0, valueLength);
    }
}
