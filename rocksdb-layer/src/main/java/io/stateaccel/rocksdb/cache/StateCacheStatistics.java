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
package io.stateaccel.rocksdb.cache;

/**
 * What the cache of one state has done since it was created.
 *
 * @param reads of keys
 * @param readHits reads that needed no access to RocksDB
 * @param absentReadHits those of them whose key was known to have no value
 * @param writes of keys, removals included
 * @param coalescedWrites writes over one that was not yet written back, and so never will be
 * @param evictions of entries
 * @param writtenBack entries written to RocksDB in batches
 * @param entries now in the cache
 * @param bytes heap now in use
 * @param dirtyBytes keys and values that now wait to be written to RocksDB
 * @param bypassed whether most keys now pass by the cache
 * @param bypassSwitches how often that has begun or ended
 */
public record StateCacheStatistics(
        long reads,
        long readHits,
        long absentReadHits,
        long writes,
        long coalescedWrites,
        long evictions,
        long writtenBack,
        int entries,
        long bytes,
        long dirtyBytes,
        boolean bypassed,
        long bypassSwitches) {

    /** Reads that went to RocksDB. */
    public long readMisses() {
        return reads - readHits;
    }

    /** Percent of the reads that needed no access to RocksDB. */
    public long readHitPercent() {
        return percent(readHits, reads);
    }

    /** Percent of the writes that RocksDB never saw. */
    public long coalescedPercent() {
        return percent(coalescedWrites, writes);
    }

    private static long percent(long part, long whole) {
        return whole == 0 ? 0 : Math.round(100.0 * part / whole);
    }
}
