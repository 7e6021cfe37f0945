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

import io.stateaccel.views.join.LiveRows;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.types.RowKind;

/** Rows of an id and a value for tests of views. */
public final class ViewRows {

    public static final int ARITY = 2;
    static final RowData KEY = row(RowKind.INSERT, 42, 0);

    private ViewRows() {}

    public static BinaryRowData row(RowKind kind, int id, int value) {
        BinaryRowData row = new BinaryRowData(ARITY);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeInt(0, id);
        writer.writeInt(1, value);
        writer.complete();
        row.setRowKind(kind);
        return row;
    }

    public static RowData id(RowData row) {
        return row(RowKind.INSERT, row.getInt(0), 0);
    }

    static List<RowData> changes(RowData... rows) {
        return new ArrayList<>(List.of(rows));
    }

    static List<RowData> all(LiveRows rows) throws Exception {
        List<RowData> all = new ArrayList<>();
        LiveRows.Cursor cursor = rows.open();
        List<RowData> chunk;
        while ((chunk = cursor.next()) != null) {
            all.addAll(chunk);
        }
        return all;
    }
}
