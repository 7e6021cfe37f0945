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
package io.stateaccel.rocksdb.flink;

import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.CompressionType;
import org.rocksdb.MutableColumnFamilyOptions;

/**
 * Options of RocksDB that its Java API does not have in every line of Flink: those of blob files,
 * and of filters for whole keys in memtables.
 */
public final class NewerOptions {

    private NewerOptions() {}

    /** Has the filter of a memtable know whole keys, not prefixes only. */
    public static void filterWholeKeys(ColumnFamilyOptions options) {
        options.setMemtableWholeKeyFiltering(true);
    }

    /** Whether the filter of a memtable knows whole keys. */
    public static boolean filtersWholeKeys(ColumnFamilyOptions options) {
        return options.memtableWholeKeyFiltering();
    }

    /**
     * Sets up blob files.
     *
     * @param enabled whether they are written from the beginning
     * @param minBytes of a value to go there
     * @param fileBytes of a file when it is finished
     */
    public static void setBlobFiles(
            ColumnFamilyOptions options,
            boolean enabled,
            long minBytes,
            long fileBytes,
            CompressionType compression) {
        options.setEnableBlobFiles(enabled)
                .setMinBlobSize(minBytes)
                .setBlobFileSize(fileBytes)
                .setBlobCompressionType(compression);
    }

    /**
     * Has compactions collect the garbage in blob files.
     *
     * @param ageCutoff the share of them, 0 to 1, the oldest ones
     */
    public static void collectBlobGarbage(ColumnFamilyOptions options, double ageCutoff) {
        options.setEnableBlobGarbageCollection(true).setBlobGarbageCollectionAgeCutoff(ageCutoff);
    }

    /** The length from which on values go to blob files, 0 when none do. */
    public static long minBlobBytes(ColumnFamilyOptions options) {
        return options.enableBlobFiles() ? options.minBlobSize() : 0;
    }

    /** The change of an open database that begins or ends blob files. */
    public static MutableColumnFamilyOptions blobFiles(boolean enabled) {
        return MutableColumnFamilyOptions.builder().setEnableBlobFiles(enabled).build();
    }

    /**
     * The change of an open database that has garbage collected, see {@link #collectBlobGarbage}.
     */
    public static MutableColumnFamilyOptions blobGarbage(double ageCutoff) {
        return MutableColumnFamilyOptions.builder()
                .setBlobGarbageCollectionAgeCutoff(ageCutoff)
                .build();
    }
}
