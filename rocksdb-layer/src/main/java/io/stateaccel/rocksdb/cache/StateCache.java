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

import io.stateaccel.rocksdb.store.KeyValueStore;
import io.stateaccel.views.batch.KeyHash;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import javax.annotation.Nullable;
import org.apache.flink.util.Preconditions;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The write-back cache of one state: serialised keys and values in front of the state's store. What
 * it holds is what the state holds; the store may lag behind by the dirty entries.
 *
 * <p>Values are kept serialised, so what user code does to an object that it was handed, or has
 * handed in, changes nothing here, just as with stock RocksDB state, and the memory in use is known
 * to the byte.
 *
 * <p>Used by the task thread only. The counters may be read by others and are then a little old.
 */
final class StateCache {

    private static final Logger LOG = LoggerFactory.getLogger(StateCache.class);

    /** The part of the sub-task's budget that the keys of whole maps may take, per state. */
    private static final int WHOLE_MAPS_PART = 8;

    /** Stands for the value of a key that is not cached. */
    static final byte[] NOT_CACHED = {};

    private final String stateName;
    private final SubTaskCache subTask;
    private final HitRatioMonitor monitor;
    private final S3FifoCache entries;
    private final WholeMaps wholeMaps;

    /** What the last read has found. */
    private final CachedValue value = new CachedValue();

    /** Reads ahead keys that are not in {@link #entries}. */
    private KeyValueStore store;

    /** Whether the log has told of a bypass and of a return, which can happen all the time. */
    private boolean bypassLogged;

    private boolean returnLogged;

    private long reads;
    private long readHits;
    private long absentReadHits;
    private long writes;
    private long coalescedWrites;
    private long evictions;
    private long writtenBack;
    private long bypassSwitches;

    StateCache(
            String stateName,
            KeyValueStore store,
            SubTaskCache subTask,
            HitRatioMonitor monitor,
            MemoryMeter meter) {
        this.stateName = stateName;
        this.store = store;
        this.subTask = subTask;
        this.monitor = monitor;
        this.entries = new S3FifoCache(meter);
        this.wholeMaps = new WholeMaps(meter);
    }

    /** The state may get another store when its metadata is updated. */
    void setStore(KeyValueStore store) {
        this.store = store;
    }

    /** Whether {@link #readAhead} is faster than {@link #read}. */
    boolean readsAhead() {
        return store.getsAhead();
    }

    /**
     * Reads from the store in one go what is not in the cache of these keys, for {@link #read}. It
     * does not count as an access.
     *
     * @param keys changed
     */
    void readAhead(List<byte[]> keys) throws RocksDBException {
        keys.removeIf(key -> entries.find(key, KeyHash.of(key)) != EntryRecords.NONE);
        subTask.writePending();
        store.getAhead(keys);
    }

    /**
     * Reads a key, from RocksDB if need be.
     *
     * @param key not changed and not kept
     * @param newVisit whether this is another key than at the last access
     * @return what the key has, to be used before the next call
     */
    CachedValue read(byte[] key, int hash, boolean newVisit) throws RocksDBException {
        reads++;
        if (!monitor.covers(hash)) {
            countUncovered(hash, newVisit);
            return valueOf(stored(key), EntryRecords.NONE);
        }
        int entry = entries.find(key, hash);
        if (entry != EntryRecords.NONE) {
            countUse(entry, newVisit);
            return hit(entry);
        }
        byte[] stored = stored(key);
        if (stored != null && subTask.isTooLarge(stored.length)) {
            return valueOf(stored, EntryRecords.NONE);
        }
        entry = entries.insert(key, hash, stored, lengthOf(stored));
        entries.setAbsentInStore(entry, stored == null);
        long removals = entries.removals();
        subTask.makeRoom(this);
        act(monitor.covered(false, evictions));
        return valueOf(stored, stillOwn(entry, removals));
    }

    /**
     * Reads a key again whose entry, which the last read or write of it returned, is still its own.
     */
    CachedValue readAgain(int entry) throws RocksDBException {
        reads++;
        return hit(entry);
    }

    private CachedValue hit(int entry) throws RocksDBException {
        readHits++;
        int length = entries.valueLength(entry);
        if (length == CachedValue.ABSENT) {
            absentReadHits++;
        }
        byte[] content = entries.content(entry);
        int offset = entries.contentOffset(entry) + entries.keyLength(entry);
        long removals = entries.removals();
        // May remove the entry, which leaves its content as it was.
        act(monitor.covered(true, evictions));
        value.set(content, offset, length, stillOwn(entry, removals));
        return value;
    }

    private CachedValue valueOf(@Nullable byte[] stored, int entry) {
        value.set(stored, 0, lengthOf(stored), entry);
        return value;
    }

    /** The entry, or none when it may have been removed since. */
    private int stillOwn(int entry, long removalsBefore) {
        return entries.removals() == removalsBefore ? entry : EntryRecords.NONE;
    }

    /** An entry that was returned is its key's own as long as this does not change. */
    long removals() {
        return entries.removals();
    }

    private void countUse(int entry, boolean newVisit) {
        if (newVisit) {
            entries.use(entry);
        }
    }

    private void countUncovered(int hash, boolean newVisit) throws RocksDBException {
        if (newVisit) {
            act(monitor.uncovered(hash, evictions));
        }
    }

    /**
     * Sets the value of a key.
     *
     * @param key not changed and not kept
     * @param newVisit whether this is another key than at the last access
     * @param value the first {@code valueLength} bytes are taken; not kept
     * @param valueLength {@link CachedValue#ABSENT} to remove the key
     * @return the key's entry, {@link EntryRecords#NONE} when it has none
     */
    int write(byte[] key, int hash, boolean newVisit, byte[] value, int valueLength)
            throws RocksDBException {
        if (!monitor.covers(hash)) {
            writes++;
            countUncovered(hash, newVisit);
            writeThrough(key, value, valueLength);
            return EntryRecords.NONE;
        }
        long removals = entries.removals();
        int entry = entries.find(key, hash);
        if (entry != EntryRecords.NONE) {
            countUse(entry, newVisit);
            overwrite(entry, value, valueLength);
            return stillOwn(entry, removals);
        }
        writes++;
        store.forget(key);
        if (subTask.isTooLarge(valueLength)) {
            writeThrough(key, value, valueLength);
            return EntryRecords.NONE;
        }
        entry = entries.insert(key, hash, value, valueLength);
        entries.setStoredLength(entry, 0);
        entries.markDirty(entry);
        removals = entries.removals();
        subTask.makeRoom(this);
        act(monitor.covered(false, evictions));
        return stillOwn(entry, removals);
    }

    /**
     * Sets the value of the key of an entry that is cached, as {@link #write} does. A value that is
     * too large for the cache takes the entry out of it.
     */
    void overwrite(int entry, @Nullable byte[] value, int valueLength) throws RocksDBException {
        writes++;
        if (subTask.isTooLarge(valueLength)) {
            // First, for it may fail, and then the entry is as it was.
            writeThrough(keyOf(entry), value, valueLength);
            entries.remove(entry);
            return;
        }
        boolean coalesced = entries.isDirty(entry);
        if (coalesced) {
            coalescedWrites++;
        }
        replace(entry, value, valueLength);
        act(monitor.covered(coalesced, evictions));
    }

    private void replace(int entry, @Nullable byte[] value, int valueLength)
            throws RocksDBException {
        // First, for it may lack memory.
        entries.setValue(entry, value, valueLength);
        // A key that RocksDB never got to see can be removed without telling it.
        if (entries.isAbsent(entry) && entries.isAbsentInStore(entry)) {
            entries.markClean(entry);
        } else {
            entries.markDirty(entry);
        }
        subTask.makeRoom(this);
    }

    /**
     * Adds to the end of a key's value if the key is cached.
     *
     * @param key not changed and not kept
     * @param newVisit whether this is another key than at the last access
     * @param delimiter to be put between what was there and what is added
     * @param added taken from the start; not kept
     * @return false when it is not cached and the store's value is to be added to
     */
    boolean append(
            byte[] key, int hash, boolean newVisit, byte delimiter, byte[] added, int addedLength)
            throws RocksDBException {
        int entry = findToChange(key, hash, newVisit);
        if (entry == EntryRecords.NONE) {
            return false;
        }
        if (entries.isAbsent(entry)) {
            overwrite(entry, added, addedLength);
            return true;
        }
        if (subTask.isTooLarge(entries.valueLength(entry) + 1 + addedLength)) {
            leave(entry);
            return false;
        }
        entries.append(entry, delimiter, added, addedLength);
        changed(entry);
        return true;
    }

    /**
     * Sets the value of a key if the key is cached.
     *
     * @param key not changed and not kept
     * @param newVisit whether this is another key than at the last access
     * @param valueLength {@link CachedValue#ABSENT} to remove the key
     * @return false when it is not cached and the store is to be written to
     */
    boolean writeIfCached(
            byte[] key, int hash, boolean newVisit, @Nullable byte[] value, int valueLength)
            throws RocksDBException {
        int entry = findToChange(key, hash, newVisit);
        if (entry == EntryRecords.NONE) {
            return false;
        }
        overwrite(entry, value, valueLength);
        return true;
    }

    /**
     * Puts other bytes in the place of as many of a key's value if the key is cached, and has one.
     *
     * @param key not changed and not kept
     * @param newVisit whether this is another key than at the last access
     * @param offset in the value
     * @param bytes taken from the start; not kept
     * @return false when it is not cached and the store is to be written to
     */
    boolean overwriteIfCached(
            byte[] key, int hash, boolean newVisit, int offset, byte[] bytes, int length)
            throws RocksDBException {
        int entry = findToChange(key, hash, newVisit);
        if (entry == EntryRecords.NONE) {
            return false;
        }
        entries.overwrite(entry, offset, bytes, length);
        changed(entry);
        return true;
    }

    /** The entry of a key, for a change of it; none if the store is to be told of the change. */
    private int findToChange(byte[] key, int hash, boolean newVisit) throws RocksDBException {
        if (!monitor.covers(hash)) {
            countUncovered(hash, newVisit);
            return EntryRecords.NONE;
        }
        int entry = entries.find(key, hash);
        if (entry != EntryRecords.NONE) {
            countUse(entry, newVisit);
        }
        return entry;
    }

    /** An entry has another value, of which a part is what it was. */
    private void changed(int entry) throws RocksDBException {
        writes++;
        boolean coalesced = entries.isDirty(entry);
        if (coalesced) {
            coalescedWrites++;
        }
        entries.markDirty(entry);
        subTask.makeRoom(this);
        act(monitor.covered(coalesced, evictions));
    }

    /** Takes an entry out, to the pending writes if it is dirty. */
    private void leave(int entry) throws RocksDBException {
        if (entries.isDirty(entry)) {
            addToWrites(entry);
        }
        entries.remove(entry);
    }

    /** Of a state of maps. */
    WholeMaps wholeMaps() {
        return wholeMaps;
    }

    /**
     * Has the keys of a map known, see {@link WholeMaps#know}, to which nothing may have been
     * written since they were read.
     */
    void know(byte[] prefix, List<byte[]> keys) throws RocksDBException {
        wholeMaps.know(prefix, keys, subTask.budgetBytes() / WHOLE_MAPS_PART);
        subTask.makeRoom(this);
    }

    /** Reads a key that is known to have no value. */
    CachedValue readAbsent() {
        reads++;
        readHits++;
        absentReadHits++;
        return valueOf(null, EntryRecords.NONE);
    }

    /** Brings RocksDB up to date. */
    void writeBack() throws RocksDBException {
        subTask.writePending();
        subTask.writeBack(this);
    }

    /** Reads entries that the state holds now, see {@link KeyValueStore#scan}. */
    boolean readStored(
            byte[] prefix,
            @Nullable byte[] after,
            boolean withValues,
            int maxEntries,
            BiConsumer<byte[], byte[]> consumer)
            throws RocksDBException {
        writeBack();
        return store.scan(prefix, after, withValues, maxEntries, consumer);
    }

    /**
     * Removes a key that {@link #readStored} was just found to hold, from RocksDB with the next
     * batch. Not an access that says whether the cache is worth while.
     */
    void removeStored(byte[] key) throws RocksDBException {
        int entry = entries.find(key, KeyHash.of(key));
        if (entry == EntryRecords.NONE) {
            store.forget(key);
            subTask.removeUncached(store, key);
        } else {
            replace(entry, null, CachedValue.ABSENT);
        }
    }

    /** Whether nothing is cached, so that RocksDB is up to date but for pending writes. */
    boolean isEmpty() {
        return entries.size() == 0;
    }

    /**
     * As {@link #readStored} without bringing RocksDB up to date: what is cached may be another
     * value there, or none.
     */
    boolean peekStored(
            byte[] prefix,
            @Nullable byte[] after,
            int maxEntries,
            BiConsumer<byte[], byte[]> consumer)
            throws RocksDBException {
        // What has left the cache has to be there.
        subTask.writePending();
        return store.scan(prefix, after, true, maxEntries, consumer);
    }

    /** A copy of a key's serialised value, null when it has none. Changes nothing here. */
    @Nullable
    byte[] peek(byte[] key) throws RocksDBException {
        byte[] cached = peekCached(key);
        return cached == NOT_CACHED ? stored(key) : cached;
    }

    /** The same, or {@link #NOT_CACHED}. */
    @Nullable
    byte[] peekCached(byte[] key) {
        int entry = entries.find(key, KeyHash.of(key));
        if (entry == EntryRecords.NONE) {
            return NOT_CACHED;
        }
        int offset = entries.contentOffset(entry) + entries.keyLength(entry);
        return entries.isAbsent(entry)
                ? null
                : Arrays.copyOfRange(
                        entries.content(entry), offset, offset + entries.valueLength(entry));
    }

    /**
     * Takes out the entry to give up next; if it is dirty, to the pending writes.
     *
     * @return whether there was one
     */
    boolean evict() throws RocksDBException {
        int victim = entries.victim();
        if (victim == EntryRecords.NONE) {
            return false;
        }
        evictions++;
        if (entries.isDirty(victim)) {
            addToWrites(victim);
        }
        entries.removeVictim(victim);
        return true;
    }

    /** Adds the entry that has been dirty for longest to the writes; false when all are clean. */
    boolean writeBackOldest() throws RocksDBException {
        int oldest = entries.oldestDirty();
        if (oldest == EntryRecords.NONE) {
            return false;
        }
        addToWrites(oldest);
        return true;
    }

    /** Forgets all entries, which must be clean. */
    void clear() {
        Preconditions.checkState(
                entries.oldestDirty() == EntryRecords.NONE, "dirty entries would be lost");
        entries.clear();
        wholeMaps.clear();
        store.forgetAll();
    }

    /** Forgets all entries, of a database that will not be needed again. */
    void discard() {
        entries.clear();
        wholeMaps.clear();
    }

    @Nullable
    private byte[] stored(byte[] key) throws RocksDBException {
        subTask.checkOpen();
        return store.get(key);
    }

    String stateName() {
        return stateName;
    }

    boolean isBypassed() {
        return monitor.isBypassed();
    }

    /** Heap in use. */
    long bytes() {
        return entries.bytes();
    }

    long dirtyBytes() {
        return entries.dirtyBytes();
    }

    StateCacheStatistics statistics() {
        return new StateCacheStatistics(
                reads,
                readHits,
                absentReadHits,
                writes,
                coalescedWrites,
                evictions,
                writtenBack,
                entries.size(),
                entries.bytes(),
                entries.dirtyBytes(),
                monitor.isBypassed(),
                bypassSwitches);
    }

    private void addToWrites(int entry) throws RocksDBException {
        byte[] content = entries.content(entry);
        int offset = entries.contentOffset(entry);
        boolean absent = entries.isAbsent(entry);
        int keyLength = entries.keyLength(entry);
        int valueLength = Math.max(0, entries.valueLength(entry));
        int stored = entries.storedLength(entry);
        if (absent) {
            store.addRemoval(content, offset, keyLength);
        } else if (stored == 0 || stored == valueLength) {
            store.add(content, offset, keyLength, valueLength);
        } else {
            // Between the two is a delimiter, which RocksDB puts there itself.
            int added = stored + 1;
            store.addMerge(
                    content,
                    offset,
                    keyLength,
                    content,
                    offset + keyLength + added,
                    valueLength - added);
        }
        entries.markClean(entry);
        entries.setStoredLength(entry, valueLength);
        entries.setAbsentInStore(entry, absent);
        writtenBack++;
    }

    private byte[] keyOf(int entry) {
        int offset = entries.contentOffset(entry);
        return Arrays.copyOfRange(
                entries.content(entry), offset, offset + entries.keyLength(entry));
    }

    private void writeThrough(byte[] key, @Nullable byte[] value, int valueLength)
            throws RocksDBException {
        subTask.writePending();
        if (valueLength == CachedValue.ABSENT) {
            store.remove(key);
        } else {
            store.put(key, value, valueLength);
        }
    }

    private static int lengthOf(@Nullable byte[] stored) {
        return stored == null ? CachedValue.ABSENT : stored.length;
    }

    private void act(HitRatioMonitor.Change change) throws RocksDBException {
        switch (change) {
            case NONE -> {}
            case BYPASS -> {
                stepAside();
                bypassSwitches++;
                log(
                        bypassLogged,
                        "[state-accel] state '{}': cache bypassed, it saved {} % of the last "
                                + HitRatioMonitor.WINDOW
                                + " accesses");
                bypassLogged = true;
            }
            case RETURN -> {
                bypassSwitches++;
                log(
                        returnLogged,
                        "[state-accel] state '{}': cache is back, it would have saved {} % of the"
                                + " last accesses");
                returnLogged = true;
            }
        }
    }

    private void log(boolean repeated, String message) {
        long percent = Math.round(100 * monitor.lastRatio());
        if (repeated) {
            LOG.debug(message, stateName, percent);
        } else {
            LOG.info(message, stateName, percent);
        }
    }

    /** Either all that is no longer covered leaves the cache, or the cache stays. */
    private void stepAside() throws RocksDBException {
        boolean done = false;
        try {
            subTask.writeBack(this);
            entries.retain(monitor::covers);
            subTask.makeRoom(this);
            done = true;
        } finally {
            if (!done) {
                monitor.stay();
            }
        }
    }
}
