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
package org.apache.flink.state.rocksdb;

import java.io.IOException;
import java.util.Map;
import java.util.function.Function;
import org.apache.flink.annotation.Internal;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.PriorityQueueSetFactory;
import org.apache.flink.state.rocksdb.sstmerge.RocksDBManualCompactionManager;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.RocksDB;

/**
 * The package-private parts of Flink's RocksDB backend that {@code io.stateaccel.rocksdb} needs;
 * nothing else belongs here.
 *
 * <p>Flink's backend can be subclassed and its restore operations and snapshot strategies can be
 * created from anywhere, but timers in RocksDB ({@link RocksDBPriorityQueueSetFactory}) have a
 * package-private constructor only. The way around it would be to copy that class and the two
 * behind it, some 900 lines that hold users' timers. This class is in Flink's package instead,
 * which works because the accelerator's jar and {@code flink-dist} are both in {@code lib/} and so
 * in one class loader. In any other place (a user jar) these calls fail with an {@link
 * IllegalAccessError} when the backend is created; the other accesses here are to getters of
 * settings and ride along.
 */
@Internal
public final class StateAccelRocksDBAccess {

    private StateAccelRocksDBAccess() {}

    /**
     * Loads RocksDB's native library as the stock backend does, once per process.
     *
     * @param directory where the library is unpacked to
     */
    public static void ensureRocksDBIsLoaded(String directory) throws IOException {
        EmbeddedRocksDBStateBackend.ensureRocksDBIsLoaded(directory);
    }

    /** See {@link RocksDBConfigurableOptions#RESTORE_OVERLAP_FRACTION_THRESHOLD}. */
    public static double overlapFractionThreshold(EmbeddedRocksDBStateBackend backend) {
        return backend.getOverlapFractionThreshold();
    }

    /** See {@link RocksDBConfigurableOptions#INCREMENTAL_RESTORE_ASYNC_COMPACT_AFTER_RESCALE}. */
    public static boolean asyncCompactAfterRescale(EmbeddedRocksDBStateBackend backend) {
        return backend.getIncrementalRestoreAsyncCompactAfterRescale();
    }

    /** See {@link RocksDBConfigurableOptions#USE_INGEST_DB_RESTORE_MODE}. */
    public static boolean useIngestDbRestoreMode(EmbeddedRocksDBStateBackend backend) {
        return backend.getUseIngestDbRestoreMode();
    }

    /** See {@link RocksDBConfigurableOptions#USE_DELETE_FILES_IN_RANGE_DURING_RESCALING}. */
    public static boolean useDeleteFilesInRange(EmbeddedRocksDBStateBackend backend) {
        return backend.isRescalingUseDeleteFilesInRange();
    }

    /** Creates the stock factory of timers in RocksDB. */
    public static PriorityQueueSetFactory createPriorityQueueSetFactory(
            KeyGroupRange keyGroupRange,
            int keyGroupPrefixBytes,
            int numberOfKeyGroups,
            Map<String, RocksDBKeyedStateBackend.RocksDbKvStateInfo> kvStateInformation,
            RocksDB db,
            RocksDBResourceContainer resources,
            RocksDBWriteBatchWrapper writeBatchWrapper,
            RocksDBNativeMetricMonitor nativeMetricMonitor,
            Function<String, ColumnFamilyOptions> columnFamilyOptionsFactory,
            int cacheSize,
            RocksDBManualCompactionManager manualCompactionManager) {
        return new RocksDBPriorityQueueSetFactory(
                keyGroupRange,
                keyGroupPrefixBytes,
                numberOfKeyGroups,
                kvStateInformation,
                db,
                resources.getReadOptions(),
                writeBatchWrapper,
                nativeMetricMonitor,
                columnFamilyOptionsFactory,
                resources.getWriteBufferManagerCapacity(),
                cacheSize,
                manualCompactionManager);
    }
}
