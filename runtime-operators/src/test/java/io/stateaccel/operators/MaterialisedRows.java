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
package io.stateaccel.operators;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;

/** What the changes that an operator has emitted come to. */
public final class MaterialisedRows {

    private final Function<RowData, String> fields;
    @Nullable private final Function<RowData, String> upsertKey;

    private final Map<String, Object> rows = new TreeMap<>();
    private final Map<String, Integer> added = new HashMap<>();
    private final Set<String> overdrawn = new TreeSet<>();
    private final Set<String> deletedFromNothing = new TreeSet<>();
    private long changes;

    /**
     * @param fields all of a row
     * @param upsertKey by which the last change replaces the others; null to count additions and
     *     retractions
     */
    public MaterialisedRows(
            Function<RowData, String> fields, @Nullable Function<RowData, String> upsertKey) {
        this.fields = fields;
        this.upsertKey = upsertKey;
    }

    public void take(RowData change) {
        changes++;
        boolean accumulate = RowDataUtil.isAccumulateMsg(change);
        if (added.merge(fields.apply(change), accumulate ? 1 : -1, Integer::sum) < 0) {
            overdrawn.add(fields.apply(change));
        }
        if (upsertKey == null) {
            rows.merge(
                    fields.apply(change),
                    accumulate ? 1 : -1,
                    (a, b) -> (int) a + (int) b == 0 ? null : (int) a + (int) b);
        } else if (accumulate) {
            rows.put(upsertKey.apply(change), fields.apply(change));
        } else if (rows.remove(upsertKey.apply(change)) == null) {
            deletedFromNothing.add(upsertKey.apply(change));
        }
    }

    /** Has the rows of another from now on. */
    public void adopt(MaterialisedRows other) {
        rows.clear();
        rows.putAll(other.rows);
        added.clear();
        added.putAll(other.added);
    }

    /** Rows by their upsert key, or how often each is there: less than never where it is owed. */
    public Map<String, Object> rows() {
        return rows;
    }

    /**
     * Rows that have once been retracted oftener than added. Who reads upserts does not mind; who
     * counts what there is, as Flink's outer and semi joins do, is wrong from then on.
     */
    public Set<String> overdrawn() {
        return overdrawn;
    }

    /** Upsert keys that have once been deleted while they had no row, as sinks may refuse. */
    public Set<String> deletedFromNothing() {
        return deletedFromNothing;
    }

    /** How many changes there were. */
    public long changes() {
        return changes;
    }
}
