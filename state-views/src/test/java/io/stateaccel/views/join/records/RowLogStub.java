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

import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.StoredRows;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/** The chunks of one key, copied on the way in and out, counting how they are accessed. */
public final class RowLogStub implements RowLog {

    public final Map<Integer, List<RowData>> stored = new HashMap<>();
    public int reads;

    /** Whether it knows the bytes of a chunk without reading it. */
    public boolean keepsLists;

    public long bytesRead;
    int largestRows;
    public long largestBytes;

    @Override
    public List<RowData> read(int chunk) {
        reads++;
        List<RowData> rows = copy(stored.getOrDefault(chunk, List.of()));
        bytesRead += StoredRows.bytesOf(rows);
        return rows;
    }

    @Override
    public long bytesOf(int chunk) {
        List<RowData> rows = stored.getOrDefault(chunk, List.of());
        if (!keepsLists || !rows.isEmpty() && StoredRows.isMarker(rows.get(0))) {
            return UNREAD;
        }
        return StoredRows.bytesOf(rows);
    }

    @Override
    public boolean isOnly(int chunk, BinaryRowData row) {
        return keepsLists && stored.getOrDefault(chunk, List.of()).equals(List.of(row));
    }

    @Override
    public void readAhead(List<RowData> keys) {}

    @Override
    public void append(int chunk, List<RowData> changes) {
        List<RowData> rows = stored.computeIfAbsent(chunk, c -> new ArrayList<>());
        rows.addAll(copy(changes));
        largestRows = Math.max(largestRows, rows.size());
        largestBytes = Math.max(largestBytes, StoredRows.bytesOf(rows));
    }

    @Override
    public void move(int chunk, List<RowData> rows) {
        append(chunk, rows);
    }

    @Override
    public void replace(int chunk, List<RowData> rows) {
        stored.remove(chunk);
        if (!rows.isEmpty()) {
            append(chunk, rows);
        }
    }

    @Override
    public RowData repeated(RowData youngest, long count) {
        return StoredRows.repeated(youngest, count);
    }

    public long bytes() {
        return stored.values().stream().mapToLong(StoredRows::bytesOf).sum();
    }

    private static List<RowData> copy(List<RowData> rows) {
        List<RowData> copies = new ArrayList<>(rows.size());
        for (RowData row : rows) {
            copies.add(((BinaryRowData) row).copy());
        }
        return copies;
    }
}
