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
import java.util.function.IntPredicate;
import org.apache.flink.util.Preconditions;

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
 * int of the entry, where LRU moves it in a list and so dirties the cache lines of its neighbours.
 * The price is a second miss for each key of a sliding window that nearly fills the memory. {@code
 * EvictionBenchmark} has the three side by side; docs/benchmarks.md the figures.
 *
 * <p>Entries are not objects: hundreds of megabytes of them, ever new ones among old ones, cost the
 * garbage collector more than they save. An entry is a number, that of its record ({@link
 * EntryRecords}); its key and value are in the log of its queue ({@link EntryLog}).
 *
 * <p>Not thread-safe. Holds no reference to RocksDB.
 */
public final class S3FifoCache {

    /** The small queue's part of the memory is one in this many bytes. */
    private static final int SMALL_PART = 10;

    private static final int MOST_USES = 3;
    private static final int FEWEST_SLOTS = 16;
    private static final int MOST_UNUSED_RECORDS = 64;
    private static final int SLOT_BYTES = 3 * Integer.BYTES;

    /** A key that is absent gets room for a value like those of the others, up to this length. */
    private static final int LONGEST_EXPECTED_VALUE = 64;

    private final MemoryMeter meter;
    private EntryLog small;
    private EntryLog main;
    private EntryRecords records;

    /**
     * The table: open addressing, linear probing, no tombstones. A slot is two ints, an entry's
     * hash and the entry; the hash is 0 where there is none. So a key that is absent is found to be
     * so without a look at other entries.
     */
    private int[] table;

    /** Hashes of keys that left the small queue, each where a probe for it would begin. */
    private int[] ghosts;

    private int size;
    private long tableBytes;

    /** Ends of the list of dirty entries, the one that was written last at its end. */
    private int firstDirty = EntryRecords.NONE;

    private int lastDirty = EntryRecords.NONE;
    private long dirtyBytes;

    private int expectedValueLength;
    private long removals;

    /**
     * @param meter told of every byte that is taken and given back
     */
    public S3FifoCache(MemoryMeter meter) {
        this.meter = meter;
        this.small = new EntryLog(meter);
        this.main = new EntryLog(meter);
        this.records = new EntryRecords(meter);
        allocateTable(FEWEST_SLOTS);
    }

    /** Entries in the cache. */
    public int size() {
        return size;
    }

    /** Heap bytes of all that is in the cache and of the table. */
    long bytes() {
        return small.bytes() + main.bytes() + records.bytes() + tableBytes;
    }

    /** Keys and values, or what is new of these, that are to be written. */
    long dirtyBytes() {
        return dirtyBytes;
    }

    /** Counts up whenever an entry's number may no longer be its own. */
    long removals() {
        return removals;
    }

    /**
     * The entry of a key, {@link EntryRecords#NONE} if there is none; says nothing about its use.
     *
     * @param hash not 0
     */
    public int find(byte[] key, int hash) {
        int mask = slots() - 1;
        int slot = hash & mask;
        int other;
        while ((other = hashAt(slot)) != 0) {
            if (other == hash) {
                int entry = entryAt(slot);
                if (hasKey(entry, key)) {
                    return entry;
                }
            }
            slot = slot + 1 & mask;
        }
        return EntryRecords.NONE;
    }

    private boolean hasKey(int entry, byte[] key) {
        int offset = contentOffset(entry);
        return Arrays.equals(
                content(entry), offset, offset + records.keyLength(entry), key, 0, key.length);
    }

    /** The array that an entry's key and, right behind it, its value are in. */
    byte[] content(int entry) {
        return logOf(entry).array(records.address(entry));
    }

    /** Where the key begins. */
    int contentOffset(int entry) {
        return EntryLog.offset(records.address(entry));
    }

    int keyLength(int entry) {
        return records.keyLength(entry);
    }

    /** The value's length, {@link CachedValue#ABSENT} for none. */
    int valueLength(int entry) {
        return records.valueLength(entry);
    }

    boolean isAbsent(int entry) {
        return records.valueLength(entry) == CachedValue.ABSENT;
    }

    /** Whether RocksDB is known to hold nothing for the key, whatever the entry holds. */
    boolean isAbsentInStore(int entry) {
        return records.isAbsentInStore(entry);
    }

    void setAbsentInStore(int entry, boolean absent) {
        records.setAbsentInStore(entry, absent);
    }

    /** How much of the beginning of the value RocksDB is known to hold, and nothing else. */
    int storedLength(int entry) {
        return records.storedLength(entry);
    }

    void setStoredLength(int entry, int length) {
        int before = unwrittenBytes(entry);
        records.setStoredLength(entry, length);
        if (records.isDirty(entry)) {
            dirtyBytes += unwrittenBytes(entry) - before;
        }
    }

    /** Notes that an entry was used, once per visit of its key. */
    public void use(int entry) {
        int uses = records.uses(entry);
        if (uses < MOST_USES) {
            records.setUses(entry, uses + 1);
        }
    }

    /**
     * Adds a key that is not in the cache; it is clean. If memory is short, nothing is changed.
     *
     * @param value copied from its start; not read when {@code valueLength} is {@link
     *     CachedValue#ABSENT}
     * @return the entry
     */
    public int insert(byte[] key, int hash, byte[] value, int valueLength) {
        if (size >= slots() - (slots() >> 2)) {
            rehash(slots() << 1);
        }
        records.makeRoom();
        int ghost = hash & ghosts.length - 1;
        boolean isGhost = ghosts[ghost] == hash;
        EntryLog log = isGhost ? main : small;
        boolean absent = valueLength == CachedValue.ABSENT;
        int address =
                log.append(
                        EntryRecords.NONE,
                        key.length + (absent ? expectedValueLength : valueLength));

        int entry = records.add(hash, key.length, valueLength);
        records.setAddress(entry, address);
        log.setOwner(address, entry);
        if (isGhost) {
            ghosts[ghost] = 0;
            records.setInMain(entry);
        }
        int offset = EntryLog.offset(address);
        System.arraycopy(key, 0, log.array(address), offset, key.length);
        if (!absent) {
            System.arraycopy(value, 0, log.array(address), offset + key.length, valueLength);
            expect(valueLength);
        }
        fill(hash, entry);
        size++;
        return entry;
    }

    private void expect(int valueLength) {
        expectedValueLength = Math.min(valueLength, LONGEST_EXPECTED_VALUE);
    }

    /**
     * Sets the value of an entry. If memory is short, nothing is changed.
     *
     * @param value copied from its start; not read when {@code valueLength} is {@link
     *     CachedValue#ABSENT}
     */
    void setValue(int entry, byte[] value, int valueLength) {
        int keyLength = records.keyLength(entry);
        int length = keyLength + Math.max(0, valueLength);
        int capacity = logOf(entry).capacity(records.address(entry));
        if (length > capacity) {
            // Values that grow do so again.
            move(entry, keyLength, length + (length >> 2));
        } else if (EntryLog.hasOwnChunk(capacity) && length < capacity >> 1) {
            // In a shared chunk this would free nothing before the queue has passed.
            move(entry, keyLength, length);
        }
        if (valueLength != CachedValue.ABSENT) {
            System.arraycopy(
                    value, 0, content(entry), contentOffset(entry) + keyLength, valueLength);
            expect(valueLength);
        }
        setStoredLength(entry, 0);
        changeValueLength(entry, valueLength);
    }

    /**
     * Adds to the end of an entry's value, which is there. If memory is short, nothing is changed.
     *
     * @param delimiter that comes before
     * @param added copied from its start
     */
    void append(int entry, byte delimiter, byte[] added, int addedLength) {
        int before = records.contentLength(entry);
        int length = before + 1 + addedLength;
        if (length > logOf(entry).capacity(records.address(entry))) {
            move(entry, before, length + (length >> 2));
        }
        byte[] content = content(entry);
        int end = contentOffset(entry) + before;
        content[end] = delimiter;
        System.arraycopy(added, 0, content, end + 1, addedLength);
        changeValueLength(entry, length - records.keyLength(entry));
    }

    /**
     * Puts other bytes in the place of as many of an entry's value, which is there.
     *
     * @param offset in the value
     * @param bytes copied from the start
     */
    void overwrite(int entry, int offset, byte[] bytes, int length) {
        System.arraycopy(
                bytes,
                0,
                content(entry),
                contentOffset(entry) + records.keyLength(entry) + offset,
                length);
        setStoredLength(entry, 0);
    }

    private void changeValueLength(int entry, int valueLength) {
        int before = unwrittenBytes(entry);
        records.setValueLength(entry, valueLength);
        if (records.isDirty(entry)) {
            dirtyBytes += unwrittenBytes(entry) - before;
        }
    }

    /** What a dirty entry comes to when it is written: its key, and of its value what is new. */
    private int unwrittenBytes(int entry) {
        return records.contentLength(entry) - records.storedLength(entry);
    }

    /**
     * Gives an entry other room in its queue.
     *
     * @param kept bytes of its content that move along
     */
    private void move(int entry, int kept, int length) {
        EntryLog log = logOf(entry);
        int from = records.address(entry);
        int to = log.append(entry, length);
        System.arraycopy(
                log.array(from), EntryLog.offset(from), log.array(to), EntryLog.offset(to), kept);
        records.setAddress(entry, to);
        log.abandon(from);
    }

    boolean isDirty(int entry) {
        return records.isDirty(entry);
    }

    /** The entry that has waited for longest to be written, {@link EntryRecords#NONE} for none. */
    int oldestDirty() {
        return firstDirty;
    }

    /** Puts an entry at the end of those that wait to be written. */
    void markDirty(int entry) {
        markClean(entry);
        records.setDirty(entry, true);
        records.setPreviousDirty(entry, lastDirty);
        records.setNextDirty(entry, EntryRecords.NONE);
        if (lastDirty == EntryRecords.NONE) {
            firstDirty = entry;
        } else {
            records.setNextDirty(lastDirty, entry);
        }
        lastDirty = entry;
        dirtyBytes += unwrittenBytes(entry);
    }

    /** Takes an entry out of those that wait to be written, if it is one. */
    void markClean(int entry) {
        if (!records.isDirty(entry)) {
            return;
        }
        records.setDirty(entry, false);
        int previous = records.previousDirty(entry);
        int next = records.nextDirty(entry);
        if (previous == EntryRecords.NONE) {
            firstDirty = next;
        } else {
            records.setNextDirty(previous, next);
        }
        if (next == EntryRecords.NONE) {
            lastDirty = previous;
        } else {
            records.setPreviousDirty(next, previous);
        }
        dirtyBytes -= unwrittenBytes(entry);
    }

    /**
     * The entry to give up next, which stays until {@link #removeVictim}; {@link EntryRecords#NONE}
     * when the cache is empty, which gives all memory back.
     */
    public int victim() {
        if (size < slots() >> 3 && slots() > FEWEST_SLOTS) {
            rehash(slots() >> 1);
        }
        if (records.capacity() - size > Math.max(MOST_UNUSED_RECORDS, records.capacity() >> 2)) {
            renumber();
        }
        while (true) {
            dropGaps(small);
            dropGaps(main);
            if (!small.isEmpty()
                    && (main.isEmpty()
                            || small.bytes() * SMALL_PART > small.bytes() + main.bytes())) {
                int entry = small.firstOwner();
                if (records.uses(entry) == 0) {
                    return entry;
                }
                moveToEndOfMain(entry, small);
                records.setInMain(entry);
                records.setUses(entry, 0);
            } else if (!main.isEmpty()) {
                int entry = main.firstOwner();
                if (records.uses(entry) == 0) {
                    return entry;
                }
                moveToEndOfMain(entry, main);
                records.setUses(entry, records.uses(entry) - 1);
            } else {
                if (records.limit() > 0) {
                    clear();
                }
                return EntryRecords.NONE;
            }
        }
    }

    private void moveToEndOfMain(int entry, EntryLog queue) {
        int from = records.address(entry);
        int length = records.contentLength(entry);
        int to = main.append(entry, length);
        System.arraycopy(
                queue.array(from),
                EntryLog.offset(from),
                main.array(to),
                EntryLog.offset(to),
                length);
        records.setAddress(entry, to);
        queue.removeFirst();
    }

    private void dropGaps(EntryLog queue) {
        while (!queue.isEmpty() && !isFirst(queue.firstOwner(), queue)) {
            queue.removeFirst();
        }
    }

    private boolean isFirst(int entry, EntryLog queue) {
        // Gaps name owners that may be gone, or have been renumbered.
        return entry < records.limit()
                && records.address(entry) == queue.firstAddress()
                && logOf(entry) == queue;
    }

    /** Removes the entry that {@link #victim} has just returned; it must be clean. */
    public void removeVictim(int entry) {
        EntryLog queue = logOf(entry);
        Preconditions.checkState(isFirst(entry, queue) && !isDirty(entry));
        int hash = records.hash(entry);
        if (queue == small) {
            ghosts[hash & ghosts.length - 1] = hash;
        }
        queue.removeFirst();
        drop(entry);
    }

    /** Removes an entry from wherever it is, a dirty one too. */
    void remove(int entry) {
        markClean(entry);
        logOf(entry).abandon(records.address(entry));
        drop(entry);
    }

    /** Removes all entries, dirty ones included, and gives their memory back. */
    void clear() {
        allocateTable(FEWEST_SLOTS);
        small.clear();
        main.clear();
        records.release();
        records = new EntryRecords(meter);
        firstDirty = EntryRecords.NONE;
        lastDirty = EntryRecords.NONE;
        dirtyBytes = 0;
        size = 0;
        removals++;
    }

    /** Keeps only the entries whose hash passes, as if they were new; all must be clean. */
    void retain(IntPredicate byHash) {
        Preconditions.checkState(firstDirty == EntryRecords.NONE, "dirty entries would be lost");
        EntryLog oldSmall = small;
        EntryLog oldMain = main;
        EntryRecords oldRecords = records;
        int[] oldTable = table;
        try {
            allocateTable(FEWEST_SLOTS);
            size = 0;
            removals++;
            small = new EntryLog(meter);
            main = new EntryLog(meter);
            records = new EntryRecords(meter);
            for (int i = 0; i < oldTable.length; i += 2) {
                int hash = oldTable[i];
                if (hash != 0 && byHash.test(hash)) {
                    int old = oldTable[i + 1];
                    EntryLog log = oldRecords.isInMain(old) ? oldMain : oldSmall;
                    byte[] content = log.array(oldRecords.address(old));
                    int from = EntryLog.offset(oldRecords.address(old));
                    int valueFrom = from + oldRecords.keyLength(old);
                    int entry =
                            insert(
                                    Arrays.copyOfRange(content, from, valueFrom),
                                    hash,
                                    Arrays.copyOfRange(
                                            content,
                                            valueFrom,
                                            from + oldRecords.contentLength(old)),
                                    oldRecords.valueLength(old));
                    records.setAbsentInStore(entry, oldRecords.isAbsentInStore(old));
                }
            }
        } finally {
            oldSmall.clear();
            oldMain.clear();
            oldRecords.release();
        }
    }

    private EntryLog logOf(int entry) {
        return records.isInMain(entry) ? main : small;
    }

    private int slots() {
        return ghosts.length;
    }

    private int hashAt(int slot) {
        return table[2 * slot];
    }

    private int entryAt(int slot) {
        return table[2 * slot + 1];
    }

    private void setSlot(int slot, int hash, int entry) {
        table[2 * slot] = hash;
        table[2 * slot + 1] = entry;
    }

    private void fill(int hash, int entry) {
        int mask = slots() - 1;
        int slot = hash & mask;
        while (hashAt(slot) != 0) {
            slot = slot + 1 & mask;
        }
        setSlot(slot, hash, entry);
    }

    /** Removes an entry, whose content is no longer there, from the table and the records. */
    private void drop(int entry) {
        int mask = slots() - 1;
        int hole = records.hash(entry) & mask;
        while (entryAt(hole) != entry || hashAt(hole) == 0) {
            hole = hole + 1 & mask;
        }
        // Entries behind the hole move up, unless that would put them before their first slot.
        for (int slot = hole + 1 & mask; hashAt(slot) != 0; slot = slot + 1 & mask) {
            int first = hashAt(slot) & mask;
            if ((slot - first & mask) >= (slot - hole & mask)) {
                setSlot(hole, hashAt(slot), entryAt(slot));
                hole = slot;
            }
        }
        setSlot(hole, 0, 0);
        records.remove(entry);
        size--;
        removals++;
    }

    /** Moves all entries to a table of another number of slots, a power of two. */
    private void rehash(int slots) {
        int[] oldTable = table;
        int[] oldGhosts = ghosts;
        allocateTable(slots);
        for (int i = 0; i < oldTable.length; i += 2) {
            if (oldTable[i] != 0) {
                fill(oldTable[i], oldTable[i + 1]);
            }
        }
        for (int ghost : oldGhosts) {
            if (ghost != 0) {
                ghosts[ghost & slots - 1] = ghost;
            }
        }
    }

    /** Gives entries the lowest numbers, so that the records take no more than they need. */
    private void renumber() {
        EntryRecords old = records;
        EntryRecords fewer = new EntryRecords(meter);
        int[] numbers = new int[old.limit()];
        for (int slot = 0; slot < slots(); slot++) {
            if (hashAt(slot) != 0) {
                fewer.makeRoom();
                numbers[entryAt(slot)] = fewer.addCopy(old, entryAt(slot));
            }
        }
        records = fewer;
        for (int slot = 0; slot < slots(); slot++) {
            if (hashAt(slot) != 0) {
                int before = entryAt(slot);
                int entry = numbers[before];
                if (old.isDirty(before)) {
                    fewer.setPreviousDirty(entry, numberOf(old.previousDirty(before), numbers));
                    fewer.setNextDirty(entry, numberOf(old.nextDirty(before), numbers));
                }
                setSlot(slot, hashAt(slot), entry);
                logOf(entry).setOwner(fewer.address(entry), entry);
            }
        }
        firstDirty = numberOf(firstDirty, numbers);
        lastDirty = numberOf(lastDirty, numbers);
        old.release();
        removals++;
    }

    private static int numberOf(int old, int[] numbers) {
        return old == EntryRecords.NONE ? old : numbers[old];
    }

    /** Puts an empty table in the place of the one there is; changes nothing if memory is short. */
    private void allocateTable(int slots) {
        int[] newTable = new int[2 * slots];
        int[] newGhosts = new int[slots];
        long change = (long) (slots - (ghosts == null ? 0 : ghosts.length)) * SLOT_BYTES;
        tableBytes += change;
        meter.add(change);
        table = newTable;
        ghosts = newGhosts;
    }
}
