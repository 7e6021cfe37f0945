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
import java.util.function.Consumer;
import javax.annotation.Nullable;

/**
 * A hash table of serialised keys and values that says which entry to give up next, by the policy
 * S3-FIFO.
 *
 * <p>S3-FIFO (Yang et al., "FIFO queues are all you need for cache eviction", SOSP 2023): a new key
 * waits in a <i>small</i> queue with a tenth of the memory; if it is used again before it reaches
 * the end it moves to the <i>main</i> queue, else it leaves and only its hash is remembered (the
 * <i>ghosts</i>); a key that comes back while its ghost is remembered goes to the main queue at
 * once. Entries at the end of the main queue get another round for each use, three at most.
 *
 * <p>Why this one: keys that are seen once (a scan, an append-only stream of new keys) pass through
 * a tenth of the memory and never push out the ones in use, which LRU lets them do; a new key that
 * comes again stays at once, where policies by frequency such as W-TinyLFU prefer the keys of
 * yesterday, and the keys of a stream are mostly those of its last minutes; and a hit writes one
 * byte of the entry, where LRU moves it in a list and so dirties the cache lines and GC cards of
 * its neighbours. The price is a second miss for each key of a sliding window that nearly fills the
 * memory. {@code EvictionBenchmark} has the three side by side; docs/benchmarks.md the figures.
 *
 * <p>Not thread-safe. Holds no reference to RocksDB.
 */
final class S3FifoCache {

    /** The small queue's part of the memory is one in this many bytes. */
    private static final int SMALL_PART = 10;

    private static final int MOST_USES = 3;
    private static final int FEWEST_SLOTS = 16;
    private static final int SLOT_BYTES = BytesOnHeap.REFERENCE + 2 * Integer.BYTES;

    private final MemoryMeter meter;
    private final Queue small = new Queue();
    private final Queue main = new Queue();

    /**
     * The table: open addressing, linear probing, no tombstones. {@code hashes[i]} is that of the
     * entry in {@code slots[i]}, 0 where there is none, so that a key that is absent is found to be
     * so without a look at other entries.
     */
    private int[] hashes;

    private CacheEntry[] slots;

    /** Hashes of keys that left the small queue, each where a probe for it would begin. */
    private int[] ghosts;

    private int size;

    /** The meter's bytes that are this cache's. */
    private long bytes;

    /**
     * @param meter told of every byte that is taken and given back
     */
    S3FifoCache(MemoryMeter meter) {
        this.meter = meter;
        allocateTable(FEWEST_SLOTS);
    }

    /** Entries in the cache. */
    int size() {
        return size;
    }

    /** Heap bytes of the entries and the table. */
    long bytes() {
        return bytes;
    }

    /**
     * The entry of a key; says nothing about its use.
     *
     * @param hash not 0
     */
    @Nullable
    CacheEntry find(byte[] key, int hash) {
        int mask = hashes.length - 1;
        int slot = hash & mask;
        int other;
        while ((other = hashes[slot]) != 0) {
            if (other == hash) {
                CacheEntry entry = slots[slot];
                if (Arrays.equals(entry.bytes, 0, entry.keyLength, key, 0, key.length)) {
                    return entry;
                }
            }
            slot = slot + 1 & mask;
        }
        return null;
    }

    /** Notes that an entry was used, once per visit of its key. */
    static void use(CacheEntry entry) {
        if (entry.uses < MOST_USES) {
            entry.uses++;
        }
    }

    /**
     * Adds a key that is not in the cache.
     *
     * @param value copied from its start; not read when {@code valueLength} is {@link
     *     CacheEntry#ABSENT}
     */
    CacheEntry insert(byte[] key, int hash, byte[] value, int valueLength) {
        CacheEntry entry = new CacheEntry();
        entry.hash = hash;
        entry.keyLength = key.length;
        entry.valueLength = valueLength;
        entry.bytes = new byte[BytesOnHeap.roundUpLength(key.length + Math.max(0, valueLength))];
        System.arraycopy(key, 0, entry.bytes, 0, key.length);
        if (valueLength > 0) {
            System.arraycopy(value, 0, entry.bytes, key.length, valueLength);
        }

        if (size >= hashes.length - (hashes.length >> 2)) {
            rehash(hashes.length << 1);
        }
        fill(hash, entry);
        size++;
        take(footprint(entry));
        int ghost = hash & ghosts.length - 1;
        if (ghosts[ghost] == hash) {
            ghosts[ghost] = 0;
            main.add(entry, CacheEntry.IN_MAIN);
        } else {
            small.add(entry, CacheEntry.IN_SMALL);
        }
        return entry;
    }

    /** Sets the value of an entry; {@link CacheEntry#ABSENT} gives the value's memory back. */
    void setValue(CacheEntry entry, byte[] value, int valueLength) {
        int before = entry.bytes.length;
        int length = entry.keyLength + Math.max(0, valueLength);
        // Shrinks only when half is free: values that vary a little stay where they are.
        if (length > before || length < before >> 1) {
            resize(entry, length);
        }
        if (valueLength > 0) {
            System.arraycopy(value, 0, entry.bytes, entry.keyLength, valueLength);
        }
        entry.valueLength = valueLength;
    }

    private void resize(CacheEntry entry, int length) {
        int before = footprint(entry);
        byte[] resized = new byte[BytesOnHeap.roundUpLength(length)];
        System.arraycopy(entry.bytes, 0, resized, 0, entry.keyLength);
        entry.bytes = resized;
        int change = footprint(entry) - before;
        (entry.queue == CacheEntry.IN_SMALL ? small : main).bytes += change;
        take(change);
    }

    /**
     * Takes out the entry to give up next.
     *
     * @return the entry, whose content is still readable, or null when there is none
     */
    @Nullable
    CacheEntry evict() {
        // Before anything is taken out, for it may lack memory.
        if (size < slots.length >> 3 && slots.length > FEWEST_SLOTS) {
            rehash(slots.length >> 1);
        }
        while (small.first != null || main.first != null) {
            if (main.first == null || small.bytes * SMALL_PART > small.bytes + main.bytes) {
                CacheEntry entry = small.poll();
                if (entry.uses == 0) {
                    ghosts[entry.hash & ghosts.length - 1] = entry.hash;
                    drop(entry);
                    return entry;
                }
                entry.uses = 0;
                main.add(entry, CacheEntry.IN_MAIN);
            } else {
                CacheEntry entry = main.poll();
                if (entry.uses == 0) {
                    drop(entry);
                    return entry;
                }
                entry.uses--;
                main.add(entry, CacheEntry.IN_MAIN);
            }
        }
        return null;
    }

    /** Takes out all entries and gives their memory back. */
    void clear() {
        CacheEntry[] dropped = slots;
        allocateTable(FEWEST_SLOTS);
        for (CacheEntry entry : dropped) {
            if (entry != null) {
                entry.queue = CacheEntry.NOWHERE;
            }
        }
        take(-small.bytes - main.bytes);
        small.clear();
        main.clear();
        size = 0;
    }

    /** Visits all entries, in no particular order. The cache must not be changed meanwhile. */
    void forEach(Consumer<CacheEntry> visitor) {
        for (CacheEntry entry : slots) {
            if (entry != null) {
                visitor.accept(entry);
            }
        }
    }

    private void fill(int hash, CacheEntry entry) {
        int mask = hashes.length - 1;
        int slot = hash & mask;
        while (hashes[slot] != 0) {
            slot = slot + 1 & mask;
        }
        hashes[slot] = hash;
        slots[slot] = entry;
    }

    private void drop(CacheEntry entry) {
        int mask = hashes.length - 1;
        int hole = entry.hash & mask;
        while (slots[hole] != entry) {
            hole = hole + 1 & mask;
        }
        // Entries behind the hole move up, unless that would put them before their first slot.
        for (int slot = hole + 1 & mask; hashes[slot] != 0; slot = slot + 1 & mask) {
            int first = hashes[slot] & mask;
            if ((slot - first & mask) >= (slot - hole & mask)) {
                hashes[hole] = hashes[slot];
                slots[hole] = slots[slot];
                hole = slot;
            }
        }
        hashes[hole] = 0;
        slots[hole] = null;
        entry.queue = CacheEntry.NOWHERE;
        size--;
        take(-footprint(entry));
    }

    /** Moves all entries to a table of another length, a power of two. */
    private void rehash(int length) {
        CacheEntry[] oldSlots = slots;
        int[] oldHashes = hashes;
        int[] oldGhosts = ghosts;
        allocateTable(length);
        for (int i = 0; i < oldSlots.length; i++) {
            if (oldHashes[i] != 0) {
                fill(oldHashes[i], oldSlots[i]);
            }
        }
        for (int ghost : oldGhosts) {
            if (ghost != 0) {
                ghosts[ghost & length - 1] = ghost;
            }
        }
    }

    /** Puts an empty table in the place of the one there is; changes nothing if memory is short. */
    private void allocateTable(int length) {
        int[] newHashes = new int[length];
        CacheEntry[] newSlots = new CacheEntry[length];
        int[] newGhosts = new int[length];
        take((long) (length - (slots == null ? 0 : slots.length)) * SLOT_BYTES);
        hashes = newHashes;
        slots = newSlots;
        ghosts = newGhosts;
    }

    private void take(long change) {
        bytes += change;
        meter.add(change);
    }

    private static int footprint(CacheEntry entry) {
        return CacheEntry.OBJECT_BYTES + BytesOnHeap.byteArray(entry.bytes.length);
    }

    /** First in, first out; linked through the entries. */
    private static final class Queue {
        @Nullable CacheEntry first;
        @Nullable CacheEntry last;
        long bytes;

        void add(CacheEntry entry, byte name) {
            entry.queue = name;
            entry.nextInQueue = null;
            if (last == null) {
                first = entry;
            } else {
                last.nextInQueue = entry;
            }
            last = entry;
            bytes += footprint(entry);
        }

        CacheEntry poll() {
            CacheEntry entry = first;
            first = entry.nextInQueue;
            if (first == null) {
                last = null;
            }
            entry.nextInQueue = null;
            bytes -= footprint(entry);
            return entry;
        }

        void clear() {
            first = null;
            last = null;
            bytes = 0;
        }
    }
}
