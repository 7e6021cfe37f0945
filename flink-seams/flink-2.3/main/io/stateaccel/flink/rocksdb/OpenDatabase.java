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
package io.stateaccel.flink.rocksdb;

import java.util.concurrent.CompletableFuture;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.PriorityQueueSetFactory;
import org.apache.flink.runtime.state.SerializedCompositeKeyBuilder;
import org.apache.flink.state.rocksdb.RocksDBWriteBatchWrapper;
import org.apache.flink.state.rocksdb.restore.RocksDBRestoreResult;
import org.apache.flink.state.rocksdb.snapshot.RocksDBSnapshotStrategyBase;
import org.apache.flink.state.rocksdb.sstmerge.RocksDBManualCompactionManager;
import org.rocksdb.RocksDB;

/**
 * A new or restored database and what of Flink's works on it. Closed by the backend.
 *
 * @param restored the database itself, its default column family and its metrics
 * @param snapshotStrategy of checkpoints
 * @param writeBatch of the backend
 * @param keyBuilder makes RocksDB's keys
 * @param timers makes queues of timers, on the heap or in the database
 * @param manualCompaction Flink's merging of small SST files
 * @param asyncCompaction of what a restore has left, null without one
 * @param <K> the type of the keys
 */
public record OpenDatabase<K>(
        RocksDBRestoreResult restored,
        RocksDBSnapshotStrategyBase<K, ?> snapshotStrategy,
        RocksDBWriteBatchWrapper writeBatch,
        SerializedCompositeKeyBuilder<K> keyBuilder,
        PriorityQueueSetFactory timers,
        RocksDBManualCompactionManager manualCompaction,
        @Nullable CompletableFuture<Void> asyncCompaction) {

    public RocksDB db() {
        return restored.getDb();
    }
}
