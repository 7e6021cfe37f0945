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

import io.stateaccel.rocksdb.metrics.StateAccess;
import io.stateaccel.rocksdb.prefix.KeyLayout;
import io.stateaccel.rocksdb.prefix.PrefixReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import javax.annotation.Nullable;
import org.apache.flink.util.Preconditions;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The write-back cache of one state: serialised keys and values in front of the state's column
 * family. What it holds is what the state holds; RocksDB may lag behind by the dirty entries.
 *
 * <p>Values are kept serialised, so what user code does to an object that it was handed, or has
 * handed in, changes nothing here, just as with stock RocksDB state, and the memory in use is known
 * to the byte.
 *
 * <p>Used by the task thread only. The counters may be read by others and are then a little old.
 */
final class StateCache {

    private static final Logger LOG = LoggerFactory.getLogger(StateCache.class);

    private final String stateName;
    private final StateAccess access;
    private final SubTaskCache subTask;
    private final RocksDB db;
    private final WriteOptions writeOptions;
    private final HitRatioMonitor monitor;
    private final S3FifoCache entries;

    /** What was read of a key that is not cached; in no queue and good until the next call. */
    private final CacheEntry uncached = new CacheEntry();

    private ColumnFamilyHandle columnFamily;
    private int columnFamilyId;
    @Nullable private KeyLayout layout;

    /** Entries in the order in which they became dirty. */
    @Nullable private CacheEntry firstDirty;

    @Nullable private CacheEntry lastDirty;
    private long dirtyBytes;

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
            ColumnFamilyHandle columnFamily,
            @Nullable KeyLayout layout,
            StateAccess access,
            SubTaskCache subTask,
            RocksDB db,
            WriteOptions writeOptions,
            HitRatioMonitor monitor,
            MemoryMeter meter) {
        this.stateName = stateName;
        this.access = access;
        this.subTask = subTask;
        this.db = db;
        this.writeOptions = writeOptions;
        this.monitor = monitor;
        this.entries = new S3FifoCache(meter);
        setColumnFamily(columnFamily, layout);
    }

    /** The state may get another column family when its metadata is updated. */
    void setColumnFamily(ColumnFamilyHandle columnFamily, @Nullable KeyLayout layout) {
        this.columnFamily = columnFamily;
        this.layout = layout;
        this.columnFamilyId = columnFamily.getID();
    }

    /**
     * Reads a key, from RocksDB if need be.
     *
     * @param key not changed and not kept
     * @param newVisit whether this is another key than at the last access
     * @return what is known of the key, to be used before the next call; {@linkplain
     *     CacheEntry#isCached Not cached} when that is not worth it
     */
    CacheEntry read(byte[] key, int hash, boolean newVisit) throws RocksDBException {
        reads++;
        if (!monitor.covers(hash)) {
            countUncovered(hash, newVisit);
            return uncached(stored(key));
        }
        CacheEntry entry = entries.find(key, hash);
        if (entry != null) {
            countUse(entry, newVisit);
            countReadHit(entry);
            return entry;
        }
        byte[] stored = stored(key);
        if (stored != null && subTask.isTooLarge(stored.length)) {
            return uncached(stored);
        }
        entry = entries.insert(key, hash, stored, lengthOf(stored));
        entry.setAbsentInStore(stored == null);
        subTask.makeRoom(this);
        act(monitor.covered(false, evictions));
        return entry;
    }

    /**
     * Notes that a key was read again through the entry that the last read or write of it returned.
     */
    void countRepeatedRead(CacheEntry entry) throws RocksDBException {
        reads++;
        countReadHit(entry);
    }

    private static void countUse(CacheEntry entry, boolean newVisit) {
        if (newVisit) {
            S3FifoCache.use(entry);
        }
    }

    private void countUncovered(int hash, boolean newVisit) throws RocksDBException {
        if (newVisit) {
            act(monitor.uncovered(hash, evictions));
        }
    }

    private void countReadHit(CacheEntry entry) throws RocksDBException {
        readHits++;
        if (entry.isAbsent()) {
            absentReadHits++;
        }
        act(monitor.covered(true, evictions));
    }

    /**
     * Sets the value of a key.
     *
     * @param key not changed and not kept
     * @param newVisit whether this is another key than at the last access
     * @param value the first {@code valueLength} bytes are taken; not kept
     * @param valueLength {@link CacheEntry#ABSENT} to remove the key
     * @return the key's entry, or null when it has none
     */
    @Nullable
    CacheEntry write(byte[] key, int hash, boolean newVisit, byte[] value, int valueLength)
            throws RocksDBException {
        if (!monitor.covers(hash)) {
            writes++;
            countUncovered(hash, newVisit);
            writeThrough(key, value, valueLength);
            return null;
        }
        CacheEntry entry = entries.find(key, hash);
        if (entry != null) {
            countUse(entry, newVisit);
            overwrite(entry, value, valueLength);
            return entry;
        }
        writes++;
        if (subTask.isTooLarge(valueLength)) {
            writeThrough(key, value, valueLength);
            return null;
        }
        entry = entries.insert(key, hash, value, valueLength);
        setDirty(entry);
        subTask.makeRoom(this);
        act(monitor.covered(false, evictions));
        return entry;
    }

    /** Sets the value of the key of an entry that is cached, as {@link #write} does. */
    void overwrite(CacheEntry entry, @Nullable byte[] value, int valueLength)
            throws RocksDBException {
        writes++;
        boolean coalesced = entry.isDirty();
        if (coalesced) {
            coalescedWrites++;
        }
        replace(entry, value, valueLength);
        act(monitor.covered(coalesced, evictions));
    }

    private void replace(CacheEntry entry, @Nullable byte[] value, int valueLength)
            throws RocksDBException {
        int bytesBefore = entry.contentBytes();
        // First, for it may lack memory.
        entries.setValue(entry, value, valueLength);
        if (entry.isDirty()) {
            setClean(entry, bytesBefore);
        }
        // A key that RocksDB never got to see can be removed without telling it.
        if (!(entry.isAbsent() && entry.isAbsentInStore())) {
            setDirty(entry);
        }
        subTask.makeRoom(this);
    }

    /** Brings RocksDB up to date. */
    void writeBack() throws RocksDBException {
        subTask.writePending();
        subTask.writeBack(this);
    }

    /** Reads entries that the state holds now, see {@link PrefixReader#read}. */
    boolean readStored(
            byte[] prefix,
            @Nullable byte[] after,
            boolean withValues,
            int maxEntries,
            BiConsumer<byte[], byte[]> consumer)
            throws RocksDBException {
        writeBack();
        long begun = access.beginScan();
        boolean more =
                subTask.prefixReader()
                        .read(
                                columnFamily,
                                layout,
                                prefix,
                                after,
                                withValues,
                                maxEntries,
                                consumer);
        access.scanEnded(begun);
        return more;
    }

    /**
     * Removes a key that {@link #readStored} was just found to hold, from RocksDB with the next
     * batch. Not an access that says whether the cache is worth while.
     */
    void removeStored(byte[] key) throws RocksDBException {
        CacheEntry entry = entries.find(key, KeyHash.of(key));
        if (entry == null) {
            access.written();
            subTask.removeUncached(columnFamilyId, key);
        } else {
            replace(entry, null, CacheEntry.ABSENT);
        }
    }

    /** A copy of a key's serialised value, null when it has none. Changes nothing here. */
    @Nullable
    byte[] peek(byte[] key) throws RocksDBException {
        CacheEntry entry = entries.find(key, KeyHash.of(key));
        if (entry == null) {
            return stored(key);
        }
        return entry.isAbsent()
                ? null
                : Arrays.copyOfRange(
                        entry.bytes, entry.keyLength, entry.keyLength + entry.valueLength);
    }

    /**
     * Takes out the entry to give up next.
     *
     * @param batch gets it, if it is dirty
     * @return whether there was one
     */
    boolean evict(WriteBackBatch batch) {
        CacheEntry victim = entries.evict();
        if (victim == null) {
            return false;
        }
        evictions++;
        if (victim.isDirty()) {
            addTo(batch, victim);
        }
        return true;
    }

    /** Adds the entry that has been dirty for longest to the batch; false when all are clean. */
    boolean writeBackOldest(WriteBackBatch batch) {
        if (firstDirty == null) {
            return false;
        }
        addTo(batch, firstDirty);
        return true;
    }

    /** Forgets all entries, which must be clean. */
    void clear() {
        Preconditions.checkState(firstDirty == null, "dirty entries must not be forgotten");
        entries.clear();
    }

    /** Forgets all entries, of a database that will not be needed again. */
    void discard() {
        firstDirty = null;
        lastDirty = null;
        dirtyBytes = 0;
        clear();
    }

    @Nullable
    private byte[] stored(byte[] key) throws RocksDBException {
        subTask.writePending();
        long begun = access.beginRead();
        byte[] value = db.get(columnFamily, key);
        access.readEnded(begun, value);
        return value;
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
        return dirtyBytes;
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
                dirtyBytes,
                monitor.isBypassed(),
                bypassSwitches);
    }

    private void addTo(WriteBackBatch batch, CacheEntry entry) {
        access.written();
        batch.add(columnFamilyId, entry);
        entry.setAbsentInStore(entry.isAbsent());
        setClean(entry, entry.contentBytes());
        writtenBack++;
    }

    private void writeThrough(byte[] key, @Nullable byte[] value, int valueLength)
            throws RocksDBException {
        subTask.writePending();
        access.written();
        if (valueLength == CacheEntry.ABSENT) {
            db.delete(columnFamily, writeOptions, key);
        } else {
            db.put(columnFamily, writeOptions, key, 0, key.length, value, 0, valueLength);
        }
    }

    private CacheEntry uncached(@Nullable byte[] stored) {
        uncached.bytes = stored;
        uncached.valueLength = lengthOf(stored);
        return uncached;
    }

    private static int lengthOf(@Nullable byte[] stored) {
        return stored == null ? CacheEntry.ABSENT : stored.length;
    }

    private void setDirty(CacheEntry entry) {
        entry.setDirty(true);
        entry.previousDirty = lastDirty;
        entry.nextDirty = null;
        if (lastDirty == null) {
            firstDirty = entry;
        } else {
            lastDirty.nextDirty = entry;
        }
        lastDirty = entry;
        dirtyBytes += entry.contentBytes();
    }

    private void setClean(CacheEntry entry, int bytesWhenDirty) {
        entry.setDirty(false);
        if (entry.previousDirty == null) {
            firstDirty = entry.nextDirty;
        } else {
            entry.previousDirty.nextDirty = entry.nextDirty;
        }
        if (entry.nextDirty == null) {
            lastDirty = entry.previousDirty;
        } else {
            entry.nextDirty.previousDirty = entry.previousDirty;
        }
        entry.previousDirty = null;
        entry.nextDirty = null;
        dirtyBytes -= bytesWhenDirty;
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
            keepOnlyCovered();
            done = true;
        } finally {
            if (!done) {
                monitor.stay();
            }
        }
    }

    private void keepOnlyCovered() throws RocksDBException {
        List<CacheEntry> covered = new ArrayList<>();
        entries.forEach(
                entry -> {
                    if (monitor.covers(entry.hash)) {
                        covered.add(entry);
                    }
                });
        clear();
        for (CacheEntry entry : covered) {
            byte[] key = Arrays.copyOf(entry.bytes, entry.keyLength);
            byte[] value = Arrays.copyOfRange(entry.bytes, entry.keyLength, entry.bytes.length);
            entries.insert(key, entry.hash, value, entry.valueLength)
                    .setAbsentInStore(entry.isAbsentInStore());
        }
        subTask.makeRoom(this);
    }
}
