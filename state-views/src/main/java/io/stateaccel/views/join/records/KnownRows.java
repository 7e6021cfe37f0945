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
package io.stateaccel.views.join.records;

import io.stateaccel.views.join.log.StoredRows;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.data.RowData;

/**
 * What rows some keys have, by their hashes: tells that a row is certainly not there, so that it
 * may be appended without a look at what is. Rows that have expired are still known, which costs no
 * more than a look.
 *
 * <p>Takes {@value #MAX_BYTES} bytes of the heap at most; keys that were not asked for in the
 * longest time are forgotten, and so is one whose rows alone take a quarter of that.
 */
final class KnownRows {

    private static final int MAX_BYTES = 4 << 20;

    /** Of a key and its place in the map, beside its own bytes. */
    private static final int BYTES_PER_KEY = 200;

    private final Map<RowData, Hashes> keys = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    boolean isKnown(RowData joinKey) {
        return keys.containsKey(joinKey);
    }

    /**
     * Adds rows, if it is certain that the key has none of them.
     *
     * @param rows of kind {@code +I}
     */
    boolean addNew(RowData joinKey, List<RowData> rows) {
        Hashes hashes = keys.get(joinKey);
        if (hashes == null) {
            return false;
        }
        bytes -= hashes.bytes();
        boolean allNew = hashes.addNew(rows);
        bytes += hashes.bytes();
        forgetSome(joinKey, hashes);
        return allNew;
    }

    /** Starts to learn of a key all of whose rows are gone through. */
    Learning learn(RowData joinKey) {
        return new Learning(joinKey);
    }

    private void forgetSome(RowData joinKey, Hashes hashes) {
        if (hashes.areTooMany()) {
            forget(joinKey);
        }
        while (bytes > MAX_BYTES) {
            forget(keys.keySet().iterator().next());
        }
    }

    private void forget(RowData joinKey) {
        bytes -= bytesOf(joinKey) + keys.remove(joinKey).bytes();
    }

    private static long bytesOf(RowData joinKey) {
        return BYTES_PER_KEY + StoredRows.bytesOf(joinKey);
    }

    /** A key that is known as soon as this is finished. */
    final class Learning {
        private final RowData joinKey;
        private final Hashes hashes = new Hashes();

        private Learning(RowData joinKey) {
            this.joinKey = joinKey;
        }

        /**
         * @param stored some of the rows, see {@link StoredRows}
         */
        void add(List<RowData> stored) {
            for (int i = 0; i < stored.size() && !hashes.areTooMany(); i++) {
                hashes.add(StoredRows.fieldsOf(stored.get(i)).hashCode());
            }
        }

        /**
         * Adds rows that the key has not.
         *
         * @param rows of kind {@code +I}
         * @return whether it is certain that it has none of them, if all that it has were added
         *     before
         */
        boolean addNew(List<RowData> rows) {
            boolean areAllKnown = !hashes.areTooMany();
            return hashes.addNew(rows) && areAllKnown;
        }

        void finish() {
            if (keys.containsKey(joinKey)) {
                forget(joinKey);
            }
            keys.put(joinKey, hashes);
            bytes += bytesOf(joinKey) + hashes.bytes();
            forgetSome(joinKey, hashes);
        }
    }

    /** A set of hashes. */
    private static final class Hashes {

        /** Open addressing; 0 is a free place. */
        private int[] places = new int[8];

        private int size;

        long bytes() {
            return (long) Integer.BYTES * places.length;
        }

        boolean areTooMany() {
            return bytes() > MAX_BYTES / 4;
        }

        /**
         * @param rows of kind {@code +I}
         * @return whether none of them was there
         */
        boolean addNew(List<RowData> rows) {
            boolean allNew = true;
            for (int i = 0; i < rows.size(); i++) {
                allNew &= add(rows.get(i).hashCode());
            }
            return allNew;
        }

        /** Returns whether it was not there. */
        boolean add(int hash) {
            if (!put(places, hash == 0 ? 1 : hash)) {
                return false;
            }
            if (++size > places.length / 2) {
                int[] wider = new int[2 * places.length];
                for (int other : places) {
                    if (other != 0) {
                        put(wider, other);
                    }
                }
                places = wider;
            }
            return true;
        }

        private static boolean put(int[] places, int hash) {
            int mask = places.length - 1;
            int place = (hash * 0x9E3779B9) >>> 7 & mask;
            while (places[place] != 0) {
                if (places[place] == hash) {
                    return false;
                }
                place = place + 1 & mask;
            }
            places[place] = hash;
            return true;
        }
    }
}
