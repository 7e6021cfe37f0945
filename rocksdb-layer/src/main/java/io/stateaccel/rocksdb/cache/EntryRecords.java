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

import java.util.Arrays;

/**
 * What a cache knows of each entry beside its content: records of eight ints, half a cache line, in
 * arrays without references. A record keeps its number while the entry is in the cache.
 *
 * <p>Not thread-safe.
 */
public final class EntryRecords {

    /** In the place of the number of a record. */
    public static final int NONE = -1;

    static final int RECORD_BYTES = 32;

    private static final int INTS_BITS = 3;

    private static final int HASH = 0;
    private static final int ADDRESS = 1;
    private static final int KEY_LENGTH = 2;
    private static final int VALUE_LENGTH = 3;
    private static final int PREVIOUS_DIRTY = 4;
    private static final int NEXT_DIRTY = 5;
    private static final int BITS = 6;
    private static final int STORED_LENGTH = 7;

    /** Of a record that is not in use. */
    private static final int NEXT_FREE = HASH;

    private static final int USES_MASK = 3;
    private static final int IN_MAIN = 1 << 2;
    private static final int DIRTY = 1 << 3;
    private static final int ABSENT_IN_STORE = 1 << 4;

    private static final int PAGE_BITS = 8;
    private static final int PAGE_RECORDS = 1 << PAGE_BITS;
    private static final int PAGE_MASK = PAGE_RECORDS - 1;
    private static final int FEWEST_RECORDS = 4;

    private final MemoryMeter meter;

    /** All but the first, which grows up to that, have {@link #PAGE_RECORDS} records. */
    private int[][] pages = {new int[FEWEST_RECORDS << INTS_BITS]};

    private int pageCount = 1;

    /** Records that were ever in use. */
    private int used;

    private int firstFree = NONE;
    private long bytes;

    /**
     * @param meter told of every byte that is taken and given back
     */
    EntryRecords(MemoryMeter meter) {
        this.meter = meter;
        take(pageBytes(pages[0]));
    }

    /** Heap bytes taken. */
    long bytes() {
        return bytes;
    }

    /** Records that fit without more memory. */
    int capacity() {
        return (pageCount - 1) * PAGE_RECORDS + (pages[pageCount - 1].length >> INTS_BITS);
    }

    /** Numbers of records in use are below this. */
    int limit() {
        return used;
    }

    /** Takes memory, if need be, so that the next {@link #add} takes none. */
    void makeRoom() {
        if (firstFree != NONE || used < capacity()) {
            return;
        }
        int[] lastPage = pages[pageCount - 1];
        int ints = PAGE_RECORDS << INTS_BITS;
        if (lastPage.length < ints) {
            int more = Math.max(FEWEST_RECORDS << INTS_BITS, lastPage.length >> 2);
            int[] larger = Arrays.copyOf(lastPage, Math.min(ints, lastPage.length + more));
            pages[pageCount - 1] = larger;
            take(pageBytes(larger) - pageBytes(lastPage));
            return;
        }
        if (pageCount == pages.length) {
            pages = Arrays.copyOf(pages, 2 * pageCount);
        }
        pages[pageCount] = new int[ints];
        take(pageBytes(pages[pageCount]));
        pageCount++;
    }

    /**
     * Adds a record of an entry that is clean and was not used yet; {@link #makeRoom} was called.
     *
     * @return its number
     */
    int add(int hash, int keyLength, int valueLength) {
        int record;
        if (firstFree != NONE) {
            record = firstFree;
            firstFree = get(record, NEXT_FREE);
        } else {
            record = used++;
        }
        set(record, HASH, hash);
        set(record, KEY_LENGTH, keyLength);
        set(record, VALUE_LENGTH, valueLength);
        set(record, BITS, 0);
        set(record, STORED_LENGTH, Math.max(0, valueLength));
        return record;
    }

    /** Adds a copy of a record of others, but for what is linked; {@link #makeRoom} was called. */
    int addCopy(EntryRecords others, int other) {
        int record = add(others.hash(other), others.keyLength(other), others.valueLength(other));
        set(record, ADDRESS, others.address(other));
        set(record, BITS, others.get(other, BITS));
        set(record, STORED_LENGTH, others.storedLength(other));
        return record;
    }

    void remove(int record) {
        set(record, ADDRESS, NONE);
        set(record, NEXT_FREE, firstFree);
        firstFree = record;
    }

    /** Gives all memory back; these records are not used again. */
    void release() {
        take(-bytes);
    }

    int hash(int record) {
        return get(record, HASH);
    }

    /** Where the content is in its queue's log; {@link #NONE} once the record was removed. */
    int address(int record) {
        return get(record, ADDRESS);
    }

    void setAddress(int record, int address) {
        set(record, ADDRESS, address);
    }

    int keyLength(int record) {
        return get(record, KEY_LENGTH);
    }

    /** The length of the value, which is behind the key; {@link CachedValue#ABSENT} for none. */
    int valueLength(int record) {
        return get(record, VALUE_LENGTH);
    }

    void setValueLength(int record, int length) {
        set(record, VALUE_LENGTH, length);
    }

    /** How much of the beginning of the value RocksDB has; at first all of it. */
    int storedLength(int record) {
        return get(record, STORED_LENGTH);
    }

    void setStoredLength(int record, int length) {
        set(record, STORED_LENGTH, length);
    }

    /** Bytes of key and value. */
    int contentLength(int record) {
        return keyLength(record) + Math.max(0, valueLength(record));
    }

    int uses(int record) {
        return get(record, BITS) & USES_MASK;
    }

    /**
     * @param uses 0 to 3
     */
    void setUses(int record, int uses) {
        set(record, BITS, get(record, BITS) & ~USES_MASK | uses);
    }

    boolean isInMain(int record) {
        return has(record, IN_MAIN);
    }

    void setInMain(int record) {
        setBit(record, IN_MAIN, true);
    }

    boolean isDirty(int record) {
        return has(record, DIRTY);
    }

    void setDirty(int record, boolean dirty) {
        setBit(record, DIRTY, dirty);
    }

    /** Whether RocksDB is known to hold nothing for the key, whatever the entry holds. */
    boolean isAbsentInStore(int record) {
        return has(record, ABSENT_IN_STORE);
    }

    void setAbsentInStore(int record, boolean absent) {
        setBit(record, ABSENT_IN_STORE, absent);
    }

    int previousDirty(int record) {
        return get(record, PREVIOUS_DIRTY);
    }

    void setPreviousDirty(int record, int previous) {
        set(record, PREVIOUS_DIRTY, previous);
    }

    int nextDirty(int record) {
        return get(record, NEXT_DIRTY);
    }

    void setNextDirty(int record, int next) {
        set(record, NEXT_DIRTY, next);
    }

    private boolean has(int record, int bit) {
        return (get(record, BITS) & bit) != 0;
    }

    private void setBit(int record, int bit, boolean value) {
        int bits = get(record, BITS);
        set(record, BITS, value ? bits | bit : bits & ~bit);
    }

    private int get(int record, int field) {
        return pages[record >> PAGE_BITS][((record & PAGE_MASK) << INTS_BITS) + field];
    }

    private void set(int record, int field, int value) {
        pages[record >> PAGE_BITS][((record & PAGE_MASK) << INTS_BITS) + field] = value;
    }

    private void take(long change) {
        bytes += change;
        meter.add(change);
    }

    private static int pageBytes(int[] page) {
        return BytesOnHeap.byteArray(page.length * Integer.BYTES);
    }
}
