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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.rocksdb.RocksDBException;

/**
 * Reads the values of a map whose keys are known ({@link WholeMaps}): those that are cached from
 * there, and the others one by one or by a scan of the map in RocksDB, as is cheaper. Changes
 * nothing in the cache.
 */
final class KnownValues {

    /** What the read of a key costs, in entries of a scan (StateAccessBenchmark). */
    private static final int ENTRIES_SCANNED_PER_READ = 8;

    /** What a scan costs before its first entry. */
    private static final int ENTRIES_SCANNED_PER_SEEK = 12;

    private KnownValues() {}

    /** Whether to read the map as if its keys were not known: none is cached, and they are many. */
    static boolean areBestScanned(StateCache cache, WholeMaps.Keys known) {
        return cache.isEmpty() && !areReadOneByOne(known.size(), known.size());
    }

    private static boolean areReadOneByOne(int some, int all) {
        return some * ENTRIES_SCANNED_PER_READ <= ENTRIES_SCANNED_PER_SEEK + all;
    }

    /**
     * Reads the values of some keys.
     *
     * @param prefix of the map
     * @param keys in the order of their bytes
     * @return the value of each, serialised; null for a key that has none
     */
    static byte[][] read(StateCache cache, byte[] prefix, List<byte[]> keys)
            throws RocksDBException {
        byte[][] values = new byte[keys.size()][];
        BitSet missing = new BitSet(values.length);
        for (int i = 0; i < values.length; i++) {
            byte[] value = cache.peekCached(keys.get(i));
            if (value == StateCache.NOT_CACHED) {
                missing.set(i);
            } else {
                values[i] = value;
            }
        }
        if (areReadOneByOne(missing.cardinality(), values.length)) {
            for (int i = missing.nextSetBit(0); i >= 0; i = missing.nextSetBit(i + 1)) {
                values[i] = cache.peek(keys.get(i));
            }
        } else {
            scan(cache, prefix, keys, missing, values);
        }
        return values;
    }

    private static void scan(
            StateCache cache, byte[] prefix, List<byte[]> keys, BitSet missing, byte[][] values)
            throws RocksDBException {
        int next = missing.nextSetBit(0);
        byte[] last = null;
        boolean more = true;
        while (more && next >= 0) {
            List<Map.Entry<byte[], byte[]>> stored = new ArrayList<>(keys.size());
            more =
                    cache.peekStored(
                            prefix,
                            last,
                            keys.size(),
                            (key, value) -> stored.add(Map.entry(key, value)));
            for (Map.Entry<byte[], byte[]> entry : stored) {
                last = entry.getKey();
                while (next >= 0 && Arrays.compareUnsigned(keys.get(next), last) < 0) {
                    next = missing.nextSetBit(next + 1);
                }
                if (next >= 0 && Arrays.equals(keys.get(next), last)) {
                    values[next] = entry.getValue();
                    next = missing.nextSetBit(next + 1);
                }
            }
        }
    }
}
