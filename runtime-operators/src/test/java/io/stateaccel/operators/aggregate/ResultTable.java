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
package io.stateaccel.operators.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.types.RowKind;

/**
 * The last result of each group of an aggregate, as somebody keeps it who does not have rows
 * expire.
 */
public final class ResultTable {

    private final RowDataSerializer serializer;
    private final Function<RowData, Object> groupOf;

    private final Map<Object, BinaryRowData> results = new HashMap<>();

    /** Groups of which something was said in this bundle. */
    private final Set<Object> changed = new HashSet<>();

    private final Set<Object> inserted = new HashSet<>();

    /**
     * @param serializer of the results
     * @param groupOf the group of a result
     */
    public ResultTable(RowDataSerializer serializer, Function<RowData, Object> groupOf) {
        this.serializer = serializer;
        this.groupOf = groupOf;
    }

    /** To be called before each bundle. */
    public void begin() {
        changed.clear();
        inserted.clear();
    }

    public void collect(RowData change) {
        BinaryRowData row = serializer.toBinaryRow(change).copy();
        row.setRowKind(RowKind.INSERT);
        Object group = groupOf.apply(row);
        changed.add(group);
        if (change.getRowKind() == RowKind.INSERT) {
            inserted.add(group);
        }
        if (change.getRowKind() == RowKind.UPDATE_BEFORE) {
            return;
        }
        if (RowDataUtil.isAccumulateMsg(change)) {
            results.put(group, row);
        } else {
            results.remove(group);
        }
    }

    /**
     * Compares what there is after a bundle with what Flink has.
     *
     * @param stock of Flink's operator, which has got the same rows one by one
     * @param expires whether state has a TTL, with which equal results are emitted as well
     */
    public void assertSameAs(ResultTable stock, boolean expires, String description) {
        // Nobody hears of a group that came and went within a bundle, as in Flink's mini-batch
        // aggregate, so the result of one that has expired stays where it is.
        Set<Object> passing = new HashSet<>(stock.inserted);
        passing.removeAll(stock.results.keySet());
        results.keySet().removeAll(passing);
        assertThat(results).as(description).isEqualTo(stock.results);
        if (expires) {
            stock.changed.retainAll(stock.results.keySet());
            assertThat(changed)
                    .as("what is emitted, so that it lives on downstream: %s", description)
                    .containsAll(stock.changed);
        }
    }
}
