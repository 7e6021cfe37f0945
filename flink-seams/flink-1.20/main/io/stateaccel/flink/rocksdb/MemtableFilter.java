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

import org.rocksdb.ColumnFamilyOptions;

/** RocksDB 6.20.3 does not let Java switch the filter of memtables by whole keys on. */
public final class MemtableFilter {

    private MemtableFilter() {}

    /** Leaves memtables without it. */
    public static void set(ColumnFamilyOptions options, double ratio) {}

    /** Whether it is on. */
    public static boolean isSet(ColumnFamilyOptions options) {
        return false;
    }
}
