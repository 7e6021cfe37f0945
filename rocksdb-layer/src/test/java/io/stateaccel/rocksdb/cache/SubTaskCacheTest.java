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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.rocksdb.batch.BatchAccesses;
import io.stateaccel.rocksdb.metrics.StateAccess;
import io.stateaccel.rocksdb.prefix.PrefixReaders;
import io.stateaccel.rocksdb.store.KeyValueStore;
import io.stateaccel.rocksdb.store.RocksDBStores;
import io.stateaccel.views.batch.KeyHash;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.memory.MemoryManager;
import org.apache.flink.state.rocksdb.StateAccelRocksDBAccess;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WriteOptions;

/** What several states and sub-tasks do to each other, and what a failing RocksDB does. */
class SubTaskCacheTest {

    private static final long BUDGET = 64 << 10;

    @TempDir private Path directory;
    @TempDir private static Path libraryDirectory;

    private final MemoryManager slot = MemoryManager.create(1 << 20, 4096);

    private WriteOptions writeOptions;
    private ReadOptions readOptions;
    private Options options;
    private RocksDB db;
    private ColumnFamilyHandle one;
    private ColumnFamilyHandle other;
    private RocksDBStores stores;
    private SubTaskCache cache;

    @BeforeAll
    static void loadRocksDB() throws IOException {
        StateAccelRocksDBAccess.ensureRocksDBIsLoaded(libraryDirectory.toString());
    }

    @BeforeEach
    void open() throws Exception {
        writeOptions = new WriteOptions().setDisableWAL(true);
        readOptions = new ReadOptions();
        options = new Options().setCreateIfMissing(true);
        db = RocksDB.open(options, directory.toString());
        one = db.createColumnFamily(new ColumnFamilyDescriptor(bytes("one")));
        other = db.createColumnFamily(new ColumnFamilyDescriptor(bytes("other")));
        stores =
                new RocksDBStores(
                        db,
                        writeOptions,
                        BatchAccesses.create(null, db, readOptions, writeOptions),
                        PrefixReaders.create(null, db, readOptions));
        cache = newCache();
    }

    @AfterEach
    void close() {
        cache.close();
        stores.close();
        slot.shutdown();
        one.close();
        other.close();
        db.close();
        options.close();
        writeOptions.close();
        readOptions.close();
    }

    /** Evicted entries wait in a batch then: no read may look past them, nor a snapshot. */
    @Test
    void nothingIsLostWhenAWriteFailsAndTheProgramGoesOn() throws Exception {
        StateCache state = cache.stateCache("one", store(one));
        failWrites(true);
        int written = 0;
        RocksDBException failure = null;
        while (failure == null) {
            try {
                write(state, written++);
            } catch (RocksDBException e) {
                failure = e;
            }
        }
        assertThat(state.statistics().evictions()).isPositive();
        assertThatThrownBy(() -> readAll(state, 100)).isInstanceOf(RocksDBException.class);
        assertThatThrownBy(() -> state.peek(bytes("absent"))).isInstanceOf(RocksDBException.class);
        assertThatThrownBy(() -> cache.writeBack())
                .isInstanceOf(IOException.class)
                .hasCauseInstanceOf(RocksDBException.class);
        assertThatThrownBy(() -> cache.forget("one")).isInstanceOf(IOException.class);

        failWrites(false);
        readAll(state, written);
        cache.writeBack();
        for (int key = 0; key < written; key++) {
            assertThat(db.get(one, bytes("k" + key))).isEqualTo(bytes("v" + key));
        }
    }

    /** Else what is not written yet would be in the way of, and later over, what comes after. */
    @Test
    void stepsAsideOnlyWhenAllIsWritten() throws Exception {
        SubTaskCache bypassing = newCache(0.1);
        StateCache state = bypassing.stateCache("one", store(one));
        for (int key = 0; key < HitRatioMonitor.WINDOW - 1; key++) {
            write(state, key);
        }
        byte[] last = bytes("k" + (HitRatioMonitor.WINDOW - 2));
        failWrites(true);
        assertThatThrownBy(() -> state.read(last, KeyHash.of(last), false))
                .isInstanceOf(RocksDBException.class);
        assertThat(state.isBypassed()).isFalse();
        failWrites(false);
        readAll(state, HitRatioMonitor.WINDOW - 1);
        readAll(state, 1);
        assertThat(state.isBypassed()).isTrue();
        readAll(state, HitRatioMonitor.WINDOW - 1);
        bypassing.close();
    }

    @Test
    void aStateThatIsNoLongerUsedYieldsItsMemory() throws Exception {
        StateCache first = cache.stateCache("one", store(one));
        StateCache second = cache.stateCache("other", store(other));
        for (int key = 0; key < 5_000; key++) {
            write(first, key);
        }
        long firstAlone = first.bytes();
        for (int key = 0; key < 5_000; key++) {
            write(second, key);
            assertThat(first.bytes() + second.bytes()).isLessThanOrEqualTo(BUDGET);
        }
        assertThat(first.bytes()).isLessThan(firstAlone * 6 / 10);
        assertThat(second.bytes()).isGreaterThan(BUDGET * 4 / 10);
        readAll(first, 5_000);
        readAll(second, 5_000);
    }

    @Test
    void givesWayToAnotherSubTaskOfTheSlot() throws Exception {
        StateCache state = cache.stateCache("one", store(one));
        for (int key = 0; key < 5_000; key++) {
            write(state, key);
        }
        assertThat(state.bytes()).isGreaterThan(BUDGET * 3 / 4);
        SubTaskCache late = newCache();
        StateCache another = late.stateCache("other", store(other));
        cache.writeBack();
        assertThat(state.bytes()).isLessThanOrEqualTo(BUDGET / 2);
        for (int key = 0; key < 5_000; key++) {
            write(another, key);
        }
        assertThat(another.bytes()).isLessThanOrEqualTo(BUDGET / 2);
        readAll(state, 5_000);
        late.close();
        for (int key = 5_000; key < 10_000; key++) {
            write(state, key);
        }
        assertThat(state.bytes()).isGreaterThan(BUDGET * 3 / 4);
    }

    @Test
    void holdsNothingAndFailsWhenItIsUsedAfterItsEnd() throws Exception {
        StateCache state = cache.stateCache("one", store(one));
        write(state, 1);
        assertThat(state.read(bytes("k1"), KeyHash.of(bytes("k1")), true).entry())
                .isNotEqualTo(EntryRecords.NONE);
        long removals = state.removals();
        cache.close();
        assertThat(state.removals()).isGreaterThan(removals);
        assertThat(state.statistics().entries()).isZero();
        assertThatThrownBy(() -> readAll(state, 2)).isInstanceOf(IllegalStateException.class);
    }

    private SubTaskCache newCache() {
        return newCache(0);
    }

    private SubTaskCache newCache(double bypassHitRatio) {
        return new SubTaskCache(
                "sub-task",
                SlotCacheBudget.of(slot, new CacheSize(BUDGET, 1)),
                bypassHitRatio,
                stores,
                new UnregisteredMetricsGroup());
    }

    private KeyValueStore store(ColumnFamilyHandle columnFamily) {
        return stores.of(columnFamily, null, new StateAccess(0));
    }

    /** RocksDB refuses to sync a log that is switched off. */
    private void failWrites(boolean fail) {
        writeOptions.setSync(fail);
    }

    private static void write(StateCache state, int key) throws RocksDBException {
        byte[] keyBytes = bytes("k" + key);
        byte[] value = bytes("v" + key);
        state.write(keyBytes, KeyHash.of(keyBytes), true, value, value.length);
    }

    private static void readAll(StateCache state, int keys) throws RocksDBException {
        for (int key = 0; key < keys; key++) {
            byte[] keyBytes = bytes("k" + key);
            CachedValue value = state.read(keyBytes, KeyHash.of(keyBytes), true);
            assertThat(
                            new String(
                                    value.bytes(),
                                    value.offset(),
                                    value.length(),
                                    StandardCharsets.UTF_8))
                    .isEqualTo("v" + key);
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
