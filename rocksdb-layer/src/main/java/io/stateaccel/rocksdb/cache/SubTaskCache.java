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
import io.stateaccel.rocksdb.store.PendingWrites;
import java.io.Closeable;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import javax.annotation.Nullable;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.Preconditions;
import org.rocksdb.RocksDBException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The caches of all states of one keyed backend, and the memory that they share.
 *
 * <p>States share the sub-task's budget by need: when it is used up, the state that uses most gives
 * up entries, so no state is pushed below an equal part of it by another.
 *
 * <p>Dirty entries are written in batches: those that are evicted, all before a snapshot or scan
 * ({@link #writeBack()}), and the oldest when there are more than {@link #MOST_DIRTY_BYTES} of a
 * state, which bounds the time that a checkpoint's synchronous part takes.
 *
 * <p>Used by the task thread only.
 */
public final class SubTaskCache implements Closeable {

    private static final Logger LOG = LoggerFactory.getLogger(SubTaskCache.class);

    /** Keys and values of one state that may wait to be written. */
    static final long MOST_DIRTY_BYTES = 16L << 20;

    /** Evicting this part of the budget at once makes for batches worth the name. */
    private static final int EVICTED_PART = 128;

    private final String subTaskName;
    private final SlotCacheBudget.Opener budget;
    private final double bypassHitRatio;
    private final PendingWrites writes;
    private final MetricGroup operatorMetrics;
    private final MemoryMeter meter = new MemoryMeter();
    private final Map<String, StateCache> states = new LinkedHashMap<>();

    /** Both null before the first state is cached and after the end. */
    @Nullable private SlotCacheBudget.Share share;

    @Nullable private CacheMetrics metrics;

    /**
     * @param subTaskName for the log
     * @param budget gives this sub-task its share, when the first state is cached
     * @param bypassHitRatio see {@link HitRatioMonitor}
     * @param writes those of the stores of all states
     * @param operatorMetrics the group below which metrics are shown, from the first cached state
     *     until {@link #close()}
     */
    public SubTaskCache(
            String subTaskName,
            SlotCacheBudget.Opener budget,
            double bypassHitRatio,
            PendingWrites writes,
            MetricGroup operatorMetrics) {
        this.subTaskName = subTaskName;
        this.budget = budget;
        this.bypassHitRatio = bypassHitRatio;
        this.writes = writes;
        this.operatorMetrics = operatorMetrics;
    }

    /** The cache of a state, made if there is none, over the state's store. */
    StateCache stateCache(String stateName, KeyValueStore store) throws IOException {
        if (share == null) {
            share = budget.open();
            metrics = new CacheMetrics(operatorMetrics, this);
            LOG.info(
                    "[state-accel] cache of sub-task '{}': {}, its part of the slot's {} among {}"
                            + " sub-tasks",
                    subTaskName,
                    MemorySizes.describe(share.bytes()),
                    MemorySizes.describe(share.slotBytes()),
                    share.sharers());
        }
        StateCache cache = states.get(stateName);
        if (cache == null) {
            cache =
                    new StateCache(
                            stateName, store, this, new HitRatioMonitor(bypassHitRatio), meter);
            states.put(stateName, cache);
            metrics.add(cache);
            LOG.info(
                    "[state-accel] state '{}': cached, with at least {} of the sub-task's {}",
                    stateName,
                    MemorySizes.describe(share.bytes() / states.size()),
                    MemorySizes.describe(share.bytes()));
        } else {
            cache.setStore(store);
        }
        return cache;
    }

    /** The cache of a state of lists, made if there is none, over the state's store. */
    public CachedLists lists(String stateName, KeyValueStore store) throws IOException {
        return new CachedLists(stateCache(stateName, store));
    }

    /** Heap that all states may use together; 0 when none is cached. Any thread may ask. */
    long budgetBytes() {
        SlotCacheBudget.Share now = share;
        return now == null ? 0 : now.bytes();
    }

    /** Heap that all states use. Other threads get a value that may be a little old. */
    long bytes() {
        return meter.bytes();
    }

    /** What the cache of a state has done; empty when the state is not cached. */
    public Optional<StateCacheStatistics> statistics(String stateName) {
        return Optional.ofNullable(states.get(stateName)).map(StateCache::statistics);
    }

    /**
     * Brings RocksDB up to date, for a snapshot or a scan. Nothing leaves the cache, unless the
     * budget has become smaller.
     */
    public void writeBack() throws IOException {
        try {
            for (StateCache state : states.values()) {
                writeBack(state);
            }
            if (share != null) {
                evict(share.bytes());
                writes.write();
            }
        } catch (RocksDBException e) {
            throw new IOException("Could not write cached state to RocksDB.", e);
        }
    }

    /**
     * To be called before RocksDB is read or written directly. Writes the entries that an earlier
     * write could not: they are no longer in the cache, so nothing may look past them.
     */
    void writePending() throws RocksDBException {
        checkOpen();
        writes.write();
    }

    void checkOpen() {
        Preconditions.checkState(share != null, "The state backend has been disposed of.");
    }

    void writeBack(StateCache state) throws RocksDBException {
        while (state.writeBackOldest()) {
            if (writes.isFull()) {
                writes.write();
            }
        }
        writes.write();
    }

    /** Writes back and forgets what is cached of a state, whose column family is to be changed. */
    public void forget(String stateName) throws IOException {
        StateCache state = states.get(stateName);
        if (state != null) {
            try {
                writeBack(state);
            } catch (RocksDBException e) {
                throw new IOException("Could not write cached state to RocksDB.", e);
            }
            state.clear();
        }
    }

    /** Removes a key from RocksDB that no cache holds, with the next batch. */
    void removeUncached(KeyValueStore store, byte[] key) throws RocksDBException {
        store.addRemoval(key, 0, key.length);
        if (writes.isFull()) {
            writes.write();
        }
    }

    /** Whether a value would push out too much of everything else. */
    boolean isTooLarge(int valueLength) {
        return valueLength > share.bytes() / 2;
    }

    /** To be called after a state's cache has grown or has got another dirty entry. */
    void makeRoom(StateCache grown) throws RocksDBException {
        long limit = share.bytes();
        if (meter.bytes() > limit) {
            evict(limit - limit / EVICTED_PART);
        }
        if (grown.isBypassed()) {
            evict(grown, limit / HitRatioMonitor.SAMPLED_PART);
        }
        if (grown.dirtyBytes() > MOST_DIRTY_BYTES) {
            while (!writes.isFull() && grown.writeBackOldest()) {}
        }
        if (writes.isFull()) {
            writes.write();
        }
    }

    private void evict(long target) throws RocksDBException {
        while (meter.bytes() > target) {
            StateCache largest = null;
            for (StateCache state : states.values()) {
                if (largest == null || state.bytes() > largest.bytes()) {
                    largest = state;
                }
            }
            if (!largest.evict()) {
                break; // Nothing but empty tables.
            }
            if (writes.isFull()) {
                writes.write();
            }
        }
    }

    private void evict(StateCache state, long target) throws RocksDBException {
        while (state.bytes() > target && state.evict()) {
            if (writes.isFull()) {
                writes.write();
            }
        }
    }

    /**
     * Gives the memory back. Dirty entries are dropped: what has to be kept is in a snapshot, and
     * the database of a disposed backend is deleted.
     */
    @Override
    public void close() {
        for (StateCache state : states.values()) {
            StateCacheStatistics did = state.statistics();
            LOG.info(
                    "[state-accel] state '{}': {} reads, {} % from the cache; {} writes, {} % never"
                            + " reached RocksDB; {} entries, {} at the end",
                    state.stateName(),
                    did.reads(),
                    did.readHitPercent(),
                    did.writes(),
                    did.coalescedPercent(),
                    did.entries(),
                    MemorySizes.describe(did.bytes()));
            state.discard();
        }
        states.clear();
        if (share != null) {
            metrics.close();
            metrics = null;
            share.close();
            share = null;
        }
    }
}
