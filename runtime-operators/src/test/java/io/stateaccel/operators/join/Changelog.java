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

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.types.RowKind;

/**
 * What an operator has emitted, held to the rules of a changelog as it comes: nothing is taken away
 * that is not there, a {@code -U} is followed by its {@code +U}, and a row that is known by a key
 * is inserted once.
 */
public final class Changelog implements Consumer<RowData> {

    private final RowDataSerializer serializer;
    private final Function<RowData, Object> key;
    private final boolean keyed;
    private final boolean updateBefore;

    private final Map<Object, Integer> counts = new HashMap<>();
    private final Map<Object, BinaryRowData> rows = new HashMap<>();

    /** Of each {@code -U} whose {@code +U} has not come yet; of rows without a key all the same. */
    private final Map<Object, Integer> updated = new HashMap<>();

    private long changes;

    /**
     * @param key by which rows are known; null if they are known as a whole
     * @param updateBefore whether there has to be a {@code -U} before each {@code +U}
     */
    public Changelog(
            InternalTypeInfo<RowData> type, Function<RowData, Object> key, boolean updateBefore) {
        this.serializer = type.toRowSerializer();
        this.keyed = key != null;
        this.key = keyed ? key : row -> row;
        this.updateBefore = updateBefore;
    }

    @Override
    public void accept(RowData change) {
        changes++;
        BinaryRowData row = serializer.toBinaryRow(change).copy();
        row.setRowKind(RowKind.INSERT);
        RowKind kind = change.getRowKind();
        Object id = key.apply(row);
        Object update = keyed ? id : "";
        if (kind == RowKind.UPDATE_AFTER && updateBefore) {
            assertThat(updated).as("-U before %s", row).containsKey(update);
            updated.computeIfPresent(update, (k, n) -> n == 1 ? null : n - 1);
        }
        switch (kind) {
            case INSERT -> {
                if (keyed) {
                    assertThat(rows).as("+I").doesNotContainKey(id);
                }
                add(id, row);
            }
            case UPDATE_AFTER -> {
                if (keyed && !updateBefore) {
                    assertThat(rows).as("+U").containsKey(id);
                    counts.remove(id);
                }
                add(id, row);
            }
            case UPDATE_BEFORE -> {
                remove(id, row);
                updated.merge(update, 1, Integer::sum);
            }
            case DELETE -> remove(id, row);
        }
    }

    private void add(Object id, BinaryRowData row) {
        counts.merge(id, 1, Integer::sum);
        rows.put(id, row);
    }

    private void remove(Object id, BinaryRowData row) {
        assertThat(rows.get(id)).as("row that is taken away").isEqualTo(row);
        if (counts.merge(id, -1, Integer::sum) == 0) {
            counts.remove(id);
            rows.remove(id);
        }
    }

    /** What there is, and how often. */
    public Map<BinaryRowData, Integer> live() {
        assertThat(updated).as("-U at the end").isEmpty();
        Map<BinaryRowData, Integer> live = new HashMap<>();
        rows.forEach((id, row) -> live.put(row, counts.get(id)));
        return live;
    }

    /** How many changes there were. */
    long changes() {
        return changes;
    }
}
