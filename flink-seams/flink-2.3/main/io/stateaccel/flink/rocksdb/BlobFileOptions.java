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

import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.MutableColumnFamilyOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** RocksDB's options of blob files, which its release in Flink 1.20 does not have. */
public final class BlobFileOptions {

    private BlobFileOptions() {}

    /** Whether this RocksDB can keep values in files of their own. */
    public static boolean areSupported() {
        return true;
    }

    /**
     * Sets all options.
     *
     * @param minBytes of a value that is separated
     * @param ageCutoff the share of blob files, the oldest, whose garbage is collected, 0 to 1
     */
    public static void set(
            ColumnFamilyOptions options,
            boolean enabled,
            long minBytes,
            long fileBytes,
            CompressionType compression,
            double ageCutoff) {
        options.setEnableBlobFiles(enabled)
                .setMinBlobSize(minBytes)
                .setBlobFileSize(fileBytes)
                .setBlobCompressionType(compression);
        collectGarbage(options, ageCutoff);
    }

    /** Has compactions rewrite the values of that share of blob files. */
    public static void collectGarbage(ColumnFamilyOptions options, double ageCutoff) {
        options.setEnableBlobGarbageCollection(true).setBlobGarbageCollectionAgeCutoff(ageCutoff);
    }

    /** The length from which on values are separated; 0 where none is. */
    public static long minBytes(ColumnFamilyOptions options) {
        return options.enableBlobFiles() ? options.minBlobSize() : 0;
    }

    /** Switches separation on or off in an open database. */
    public static void enable(RocksDB db, ColumnFamilyHandle columnFamily, boolean enabled)
            throws RocksDBException {
        db.setOptions(
                columnFamily,
                MutableColumnFamilyOptions.builder().setEnableBlobFiles(enabled).build());
    }

    /** As {@link #collectGarbage(ColumnFamilyOptions, double)}, in an open database. */
    public static void collectGarbage(RocksDB db, ColumnFamilyHandle columnFamily, double ageCutoff)
            throws RocksDBException {
        db.setOptions(
                columnFamily,
                MutableColumnFamilyOptions.builder()
                        .setBlobGarbageCollectionAgeCutoff(ageCutoff)
                        .build());
    }
}
