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
package io.stateaccel.operators.join;

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * Rows of one side of a join that are certainly there: each expires by itself, a fixed time after
 * it came. Others may be there for longer, as they are equal to a younger one or have got a match.
 */
final class ExpiringRows {

    private final long ttl;
    private final List<Row> rows = new ArrayList<>();

    private record Row(BinaryRowData row, long time) {}

    /**
     * @param ttl milliseconds a row lives, 0 for ever
     */
    ExpiringRows(long ttl) {
        this.ttl = ttl;
    }

    /**
     * @param row of kind {@code +I}
     */
    void add(BinaryRowData row, long now) {
        rows.add(new Row(row, now));
    }

    /**
     * Takes the youngest row away that is equal to this one and has not expired, if there is one.
     */
    void remove(BinaryRowData row, long now) {
        expire(now);
        for (int i = rows.size() - 1; i >= 0; i--) {
            if (rows.get(i).row.equals(row)) {
                rows.remove(i);
                return;
            }
        }
    }

    List<BinaryRowData> rows(long now) {
        expire(now);
        return rows.stream().map(Row::row).toList();
    }

    private void expire(long now) {
        rows.removeIf(row -> ttl > 0 && row.time + ttl <= now);
    }
}
