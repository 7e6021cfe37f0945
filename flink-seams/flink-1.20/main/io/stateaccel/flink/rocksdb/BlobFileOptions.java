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
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** RocksDB 6.20.3 has no blob files that its Java API knows of. */
public final class BlobFileOptions {

    private BlobFileOptions() {}

    /** Whether this RocksDB can keep values in files of their own. */
    public static boolean areSupported() {
        return false;
    }

    /** Not to be called where {@link #areSupported()} is false. */
    public static void set(
            ColumnFamilyOptions options,
            boolean enabled,
            long minBytes,
            long fileBytes,
            CompressionType compression,
            double ageCutoff) {
        throw unsupported();
    }

    /** There is no garbage. */
    public static void collectGarbage(ColumnFamilyOptions options, double ageCutoff) {}

    /** The length from which on values are separated; 0 where none is. */
    public static long minBytes(ColumnFamilyOptions options) {
        return 0;
    }

    /** Not to be called where {@link #areSupported()} is false. */
    public static void enable(RocksDB db, ColumnFamilyHandle columnFamily, boolean enabled)
            throws RocksDBException {
        throw unsupported();
    }

    /** Not to be called where {@link #areSupported()} is false. */
    public static void collectGarbage(RocksDB db, ColumnFamilyHandle columnFamily, double ageCutoff)
            throws RocksDBException {
        throw unsupported();
    }

    private static UnsupportedOperationException unsupported() {
        return new UnsupportedOperationException("RocksDB 6.20.3 has no blob files");
    }
}
