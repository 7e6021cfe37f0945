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
package io.stateaccel.operators.bundle;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryFormat;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * Estimates how much heap what a bundle keeps takes, in bytes: of binary rows by their size, which
 * costs nothing to know. Rounded up rather than down, for JDK 17 with compressed references.
 */
public final class HeapBytes {

    /**
     * Of a binary row beside its bytes: the row, its array of segments, the segment, the header of
     * its bytes, and where a list refers to the row.
     */
    private static final int ROW = 144;

    /** Of a map's entry, and of lists for what there is of its key. */
    private static final int ENTRY = 168;

    /** Of a field that is an object of its own, with the reference to it. */
    private static final int FIELD = 64;

    private HeapBytes() {}

    /** Of a row that is kept. */
    public static long ofRow(BinaryRowData row) {
        return ROW + row.getSizeInBytes();
    }

    /** Of a key that is new in a bundle, and of what there is per key whatever its rows. */
    public static long ofKey(RowData key) {
        return ENTRY + ofRow((BinaryRowData) key);
    }

    /** Of the objects of so many fields. */
    public static long ofFields(int fields) {
        return (long) FIELD * fields;
    }

    /** Of the values of a row: what they add, at most, to an object that takes them in. */
    public static long ofValues(RowData row) {
        return row instanceof BinaryFormat binary
                ? binary.getSizeInBytes()
                : ofFields(row.getArity());
    }
}
