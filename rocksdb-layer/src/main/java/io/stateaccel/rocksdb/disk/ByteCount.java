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
package io.stateaccel.rocksdb.disk;

import java.util.Locale;

/** Writes numbers of bytes for people. */
public final class ByteCount {

    private static final String[] UNITS = {"B", "KB", "MB", "GB", "TB", "PB"};
    private static final int FACTOR = 1024;

    private ByteCount() {}

    /** Such as {@code 66.0 GB}; a unit is 1024 of the one before. */
    public static String describe(long bytes) {
        double amount = bytes;
        int unit = 0;
        while (amount >= FACTOR && unit < UNITS.length - 1) {
            amount /= FACTOR;
            unit++;
        }
        return unit == 0
                ? bytes + " B"
                : String.format(Locale.ROOT, "%.1f %s", amount, UNITS[unit]);
    }
}
