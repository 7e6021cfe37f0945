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
package io.stateaccel.benchmarks;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend;
import org.apache.flink.state.rocksdb.RocksDBKeyedStateBackend.RocksDbKvStateInfo;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * What the RocksDB of a backend says of itself, in properties that it keeps whatever its options
 * are; the same for Flink's backend and ours. Flink keeps the database to itself, so it is taken
 * from private fields.
 */
final class WideJoinDatabase {

    private static final double GIB = 1 << 30;

    /** RocksDB's default, which neither Flink nor we change. */
    private static final int LEVELS = 7;

    /** So often in a row nothing has to be running. */
    private static final int IDLE_LOOKS = 5;

    private static final long MILLIS_BETWEEN_LOOKS = 100;

    /** By the text, as the map of the same statistics leaves it out. Includes blob files. */
    private static final Pattern FLUSHED = Pattern.compile("Flush\\(GB\\): cumulative ([0-9.]+)");

    private final RocksDB db;
    private final Map<String, RocksDbKvStateInfo> states;

    @SuppressWarnings("unchecked")
    WideJoinDatabase(KeyedStateBackend<?> backend) throws ReflectiveOperationException {
        db = (RocksDB) field(backend, "db");
        states = (Map<String, RocksDbKvStateInfo>) field(backend, "kvStateInformation");
    }

    /**
     * Bytes that all column families together have written and read since they were created.
     *
     * @param flushed by flushes
     * @param compactionRead by compactions, blobs included
     * @param compactionWritten by compactions, blobs included
     * @param stallSeconds that writes have waited as flushes or compactions lag behind
     */
    record Work(
            double flushed, double compactionRead, double compactionWritten, double stallSeconds) {

        Work since(Work before) {
            return new Work(
                    flushed - before.flushed,
                    compactionRead - before.compactionRead,
                    compactionWritten - before.compactionWritten,
                    stallSeconds - before.stallSeconds);
        }
    }

    /**
     * The files of all column families.
     *
     * @param perLevel SST files by level
     * @param sstBytes bytes of SST files in use
     * @param blobBytes bytes of blob files in use, garbage included
     */
    record Files(List<Long> perLevel, long sstBytes, long blobBytes) {}

    Work work() throws RocksDBException {
        double flushed = 0;
        double read = 0;
        double written = 0;
        for (ColumnFamilyHandle family : columnFamilies()) {
            Map<String, String> statistics = db.getMapProperty(family, "rocksdb.cfstats");
            flushed += flushed(family);
            read += sum(statistics, "ReadGB");
            written += sum(statistics, "WriteGB") + sum(statistics, "WblobGB");
        }
        String stalled =
                db.getMapProperty("rocksdb.dbstats")
                        .getOrDefault("db.user_write_stall_micros", "0");
        return new Work(
                flushed, read, Math.max(0, written - flushed), Long.parseLong(stalled) / 1e6);
    }

    Files files() throws RocksDBException {
        long[] perLevel = new long[LEVELS];
        long sstBytes = 0;
        long blobBytes = 0;
        for (ColumnFamilyHandle family : columnFamilies()) {
            for (int level = 0; level < LEVELS; level++) {
                perLevel[level] +=
                        Long.parseLong(
                                db.getProperty(family, "rocksdb.num-files-at-level" + level));
            }
            sstBytes += db.getLongProperty(family, "rocksdb.live-sst-files-size");
            blobBytes += db.getLongProperty(family, "rocksdb.live-blob-file-size");
        }
        return new Files(Arrays.stream(perLevel).boxed().toList(), sstBytes, blobBytes);
    }

    /** Waits until no flush and no compaction is running, nor follows from the last one. */
    void awaitIdle() throws RocksDBException, InterruptedException {
        int idle = 0;
        while (idle < IDLE_LOOKS) {
            Thread.sleep(MILLIS_BETWEEN_LOOKS);
            boolean works =
                    db.getLongProperty("rocksdb.num-running-compactions") > 0
                            || db.getLongProperty("rocksdb.num-running-flushes") > 0;
            idle = works ? 0 : idle + 1;
        }
    }

    private Collection<ColumnFamilyHandle> columnFamilies() {
        List<ColumnFamilyHandle> handles = new ArrayList<>();
        states.values().forEach(state -> handles.add(state.columnFamilyHandle));
        return handles;
    }

    private double flushed(ColumnFamilyHandle family) throws RocksDBException {
        String statistics = db.getProperty(family, "rocksdb.cfstats");
        Matcher matcher = FLUSHED.matcher(statistics);
        if (!matcher.find()) {
            throw new IllegalStateException("Nothing about flushes in " + statistics);
        }
        return Double.parseDouble(matcher.group(1)) * GIB;
    }

    private static double sum(Map<String, String> statistics, String figure) {
        return Double.parseDouble(statistics.get("compaction.Sum." + figure)) * GIB;
    }

    private static Object field(KeyedStateBackend<?> backend, String name)
            throws ReflectiveOperationException {
        Field field = RocksDBKeyedStateBackend.class.getDeclaredField(name);
        field.setAccessible(true);
        return field.get(backend);
    }
}
