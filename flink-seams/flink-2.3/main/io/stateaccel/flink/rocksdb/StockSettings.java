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

import org.apache.flink.state.rocksdb.RocksDBNativeMetricOptions;
import org.apache.flink.state.rocksdb.RocksDBPriorityQueueConfig;
import org.apache.flink.state.rocksdb.sstmerge.RocksDBManualCompactionConfig;

/**
 * What Flink's own options say about building a backend, beyond RocksDB's options.
 *
 * @param incrementalCheckpoints whether checkpoints share SST files with earlier ones
 * @param transferThreads threads that move files of one checkpoint or restore
 * @param writeBatchSize bytes after which a write batch is handed to RocksDB; 0 for no limit
 * @param overlapFractionThreshold least overlap of key groups, 0 to 1, for a handle to be the base
 *     of a rescaling restore
 * @param useIngestDbRestoreMode whether rescaling restores import SST files
 * @param asyncCompactAfterRescale whether foreign key groups are compacted away after rescaling
 * @param useDeleteFilesInRange whether rescaling drops whole files of foreign key groups
 * @param timers where timers live and how many are cached per key group
 * @param manualCompaction Flink's merging of small SST files
 * @param metrics RocksDB's native metrics, as the configuration has them
 */
public record StockSettings(
        boolean incrementalCheckpoints,
        int transferThreads,
        long writeBatchSize,
        double overlapFractionThreshold,
        boolean useIngestDbRestoreMode,
        boolean asyncCompactAfterRescale,
        boolean useDeleteFilesInRange,
        RocksDBPriorityQueueConfig timers,
        RocksDBManualCompactionConfig manualCompaction,
        RocksDBNativeMetricOptions metrics) {}
