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

import java.util.concurrent.TimeUnit;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/**
 * What RocksDB tells of one database, all its column families together, from properties that it
 * keeps in any case.
 *
 * @param runningCompactions at this moment
 * @param runningFlushes at this moment
 * @param stallMillis that writers have waited because compactions or flushes lag behind
 * @param blockCacheBytes of the block cache in use, by all who share it
 * @param blockCacheCapacityBytes of the block cache
 */
record DatabaseFigures(
        long runningCompactions,
        long runningFlushes,
        long stallMillis,
        long blockCacheBytes,
        long blockCacheCapacityBytes) {

    /** Of a database of which nothing is known. */
    static final DatabaseFigures NONE = new DatabaseFigures(0, 0, 0, 0, 0);

    static DatabaseFigures of(RocksDB db) throws RocksDBException {
        String stalled =
                db.getMapProperty("rocksdb.dbstats")
                        .getOrDefault("db.user_write_stall_micros", "0");
        return new DatabaseFigures(
                db.getLongProperty("rocksdb.num-running-compactions"),
                db.getLongProperty("rocksdb.num-running-flushes"),
                TimeUnit.MICROSECONDS.toMillis(Long.parseLong(stalled)),
                db.getLongProperty("rocksdb.block-cache-usage"),
                db.getLongProperty("rocksdb.block-cache-capacity"));
    }
}
