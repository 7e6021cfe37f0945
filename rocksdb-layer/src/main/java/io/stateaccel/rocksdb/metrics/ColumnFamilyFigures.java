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
package io.stateaccel.rocksdb.metrics;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * What RocksDB tells of one column family, from properties that it keeps in any case.
 *
 * @param filesPerLevel SST files, from level 0 on
 * @param sstBytes of SST files in use
 * @param blobBytes of blob files in use
 * @param blobGarbageBytes of those, bytes that nothing refers to any more
 * @param memtableBytes of all memtables
 * @param keys about how many
 * @param pendingCompactionBytes about what compactions have to rewrite to get the levels in shape
 * @param compactionMillis that compactions and flushes have taken
 */
record ColumnFamilyFigures(
        List<Long> filesPerLevel,
        long sstBytes,
        long blobBytes,
        long blobGarbageBytes,
        long memtableBytes,
        long keys,
        long pendingCompactionBytes,
        long compactionMillis) {

    /** Of a column family of which nothing is known. */
    static ColumnFamilyFigures none(int levels) {
        return new ColumnFamilyFigures(Collections.nCopies(levels, 0L), 0, 0, 0, 0, 0, 0, 0);
    }

    static ColumnFamilyFigures of(RocksDB db, ColumnFamilyHandle columnFamily, int levels)
            throws RocksDBException {
        return new ColumnFamilyFigures(
                IntStream.range(0, levels).mapToObj(i -> files(db, columnFamily, i)).toList(),
                db.getLongProperty(columnFamily, "rocksdb.live-sst-files-size"),
                db.getLongProperty(columnFamily, "rocksdb.live-blob-file-size"),
                db.getLongProperty(columnFamily, "rocksdb.live-blob-file-garbage-size"),
                db.getLongProperty(columnFamily, "rocksdb.size-all-mem-tables"),
                db.getLongProperty(columnFamily, "rocksdb.estimate-num-keys"),
                db.getLongProperty(columnFamily, "rocksdb.estimate-pending-compaction-bytes"),
                compactionMillis(db.getMapProperty(columnFamily, "rocksdb.cfstats")));
    }

    private static long files(RocksDB db, ColumnFamilyHandle columnFamily, int level) {
        try {
            return Long.parseLong(
                    db.getProperty(columnFamily, "rocksdb.num-files-at-level" + level));
        } catch (RocksDBException e) {
            throw new IllegalStateException(e);
        }
    }

    private static long compactionMillis(Map<String, String> statistics) {
        String seconds = statistics.get("compaction.Sum.CompSec");
        return seconds == null ? 0 : Math.round(1000 * Double.parseDouble(seconds));
    }
}
