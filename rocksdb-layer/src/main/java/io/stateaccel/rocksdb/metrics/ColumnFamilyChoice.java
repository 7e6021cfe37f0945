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

/**
 * How RocksDB keeps a state: options that are in effect, in words, for the log and for metrics.
 *
 * @param memtable its kind and filter
 * @param filter that of SST files
 * @param index that of SST files
 * @param compression by level
 * @param blockBytes of the uncompressed data blocks in SST files; 0 if that is not known
 * @param hasKeyPrefix whether filters know the keys that maps belong to
 * @param levels of SST files
 * @param minBlobBytes values from this size on are kept in blob files; 0 for none
 */
public record ColumnFamilyChoice(
        String memtable,
        String filter,
        String index,
        String compression,
        long blockBytes,
        boolean hasKeyPrefix,
        int levels,
        long minBlobBytes) {

    @Override
    public String toString() {
        return "memtable="
                + memtable
                + ", filter="
                + filter
                + ", index="
                + index
                + ", compression="
                + compression
                + ", blocks of "
                + blockBytes
                + " bytes"
                + (minBlobBytes > 0
                        ? ", values from " + minBlobBytes + " bytes on in blob files"
                        : "");
    }
}
