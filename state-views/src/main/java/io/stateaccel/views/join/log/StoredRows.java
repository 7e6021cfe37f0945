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
package io.stateaccel.views.join.log;

import io.stateaccel.views.batch.SerializedList;
import io.stateaccel.views.join.Changes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;

/**
 * What a log's rows say beside their fields. {@code +I} is a row and {@code -D} a tombstone; the
 * two other kinds are never stored as such:
 *
 * <ul>
 *   <li>{@code -U}, a <em>marker</em>: no row but numbers, kept behind the fixed-length part of a
 *       row of any type;
 *   <li>{@code +U}, a <em>repeated row</em>: a row that is there several times, with the count
 *       behind its last byte. Where rows are kept with their matches it is an <em>entry</em>: the
 *       count, which may be one, and the number of matches, told from a mere count by its sign.
 * </ul>
 */
public final class StoredRows {

    /** The length that a serialized list adds to a row. */
    private static final int LENGTH_BYTES = Integer.BYTES;

    private StoredRows() {}

    /** Bytes of the rows in a value of the backend, but for separators. */
    public static long bytesOf(List<RowData> rows) {
        long bytes = 0;
        for (int i = 0; i < rows.size(); i++) {
            bytes += bytesOf(rows.get(i));
        }
        return bytes;
    }

    public static int bytesOf(RowData row) {
        return ((BinaryRowData) row).getSizeInBytes() + LENGTH_BYTES;
    }

    public static BinaryRowData marker(int arity, long... values) {
        BinaryRowData row = new BinaryRowData(arity);
        int fixed = row.getFixedLengthPartSize();
        byte[] bytes = new byte[fixed + values.length * Long.BYTES];
        row.pointTo(MemorySegmentFactory.wrap(bytes), 0, bytes.length);
        for (int i = 0; i < arity; i++) {
            row.setNullAt(i);
        }
        for (int i = 0; i < values.length; i++) {
            row.getSegments()[0].putLong(fixed + i * Long.BYTES, values[i]);
        }
        row.setRowKind(RowKind.UPDATE_BEFORE);
        return row;
    }

    public static boolean isMarker(RowData row) {
        return row.getRowKind() == RowKind.UPDATE_BEFORE;
    }

    /** Whether the first row of a serialised list is a marker. */
    static boolean isMarker(SerializedList list) {
        return list.bytes()[list.offset() + LENGTH_BYTES] == RowKind.UPDATE_BEFORE.toByteValue();
    }

    /** Whether a serialised list is this row, of this kind, and nothing else. */
    static boolean isOnly(BinaryRowData row, SerializedList list) {
        int size = row.getSizeInBytes();
        return list.length() == LENGTH_BYTES + size
                && row.getSegments()[0].equalTo(
                        MemorySegmentFactory.wrap(list.bytes()),
                        row.getOffset(),
                        list.offset() + LENGTH_BYTES,
                        size);
    }

    /** The numbers of a marker. */
    public static long[] valuesOf(RowData marker) {
        BinaryRowData row = (BinaryRowData) marker;
        int fixed = row.getFixedLengthPartSize();
        long[] values = new long[(row.getSizeInBytes() - fixed) / Long.BYTES];
        for (int i = 0; i < values.length; i++) {
            values[i] = row.getSegments()[0].getLong(row.getOffset() + fixed + i * Long.BYTES);
        }
        return values;
    }

    /** So many equal rows in one; of a repeated row only the fields are taken. */
    public static RowData repeated(RowData row, long count) {
        BinaryRowData once = (BinaryRowData) (isRepeated(row) ? once(row) : row);
        int size = once.getSizeInBytes();
        byte[] bytes = new byte[size + Long.BYTES];
        once.getSegments()[0].get(once.getOffset(), bytes, 0, size);
        BinaryRowData repeated = new BinaryRowData(once.getArity());
        repeated.pointTo(MemorySegmentFactory.wrap(bytes), 0, bytes.length);
        repeated.getSegments()[0].putLong(size, count);
        repeated.setRowKind(RowKind.UPDATE_AFTER);
        return repeated;
    }

    /**
     * A row that is there so many times and has so many matches.
     *
     * @param row of kind {@code +I}
     */
    public static RowData entry(RowData row, int count, int matches) {
        return repeated(row, Long.MIN_VALUE | (long) count << Integer.SIZE | matches & 0xFFFFFFFFL);
    }

    /** How many matches a row has, of those that are kept with them. */
    public static int matchesOf(RowData stored) {
        return isRepeated(stored) ? (int) trailerOf(stored) : 0;
    }

    public static boolean isRepeated(RowData row) {
        return row.getRowKind() == RowKind.UPDATE_AFTER;
    }

    /** How often a row is there that is no tombstone. */
    public static long countOf(RowData row) {
        if (!isRepeated(row)) {
            return 1;
        }
        long trailer = trailerOf(row);
        return trailer < 0 ? (trailer & Long.MAX_VALUE) >>> Integer.SIZE : trailer;
    }

    private static long trailerOf(RowData repeated) {
        BinaryRowData row = (BinaryRowData) repeated;
        return row.getSegments()[0].getLong(row.getOffset() + row.getSizeInBytes() - Long.BYTES);
    }

    /** A repeated row as each of its rows is. */
    public static RowData once(RowData repeated) {
        BinaryRowData row = (BinaryRowData) repeated;
        byte[] bytes = new byte[row.getSizeInBytes() - Long.BYTES];
        row.getSegments()[0].get(row.getOffset(), bytes);
        BinaryRowData once = new BinaryRowData(row.getArity());
        once.pointTo(MemorySegmentFactory.wrap(bytes), 0, bytes.length);
        once.setRowKind(RowKind.INSERT);
        return once;
    }

    /** Rows that may be repeated, as often as they are there. */
    public static Deque<List<RowData>> unpack(List<RowData> rows) {
        Deque<List<RowData>> unpacked = new ArrayDeque<>(1);
        List<RowData> once = new ArrayList<>(rows.size());
        for (RowData row : rows) {
            if (!isRepeated(row)) {
                once.add(row);
                continue;
            }
            RowData plain = once(row);
            long due = countOf(row);
            if (due == 1) {
                once.add(plain);
                continue;
            }
            for (; due > 0; due -= Integer.MAX_VALUE) {
                unpacked.add(Collections.nCopies((int) Math.min(due, Integer.MAX_VALUE), plain));
            }
        }
        unpacked.add(once);
        return unpacked;
    }

    /** The fields of any stored row or tombstone as {@code +I}. */
    public static RowData fieldsOf(RowData stored) {
        return isRepeated(stored) ? once(stored) : Changes.asInsert(stored);
    }
}
