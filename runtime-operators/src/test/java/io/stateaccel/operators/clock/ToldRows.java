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
package io.stateaccel.operators.clock;

import io.stateaccel.operators.MaterialisedRows;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;

/**
 * What an operator's output comes to, and what each bundle tells downstream to be there, which
 * keeps it alive there.
 */
public final class ToldRows {

    private final MaterialisedRows live;
    private final Function<RowData, String> fields;
    private final Function<RowData, String> key;
    private final Map<String, String> told = new HashMap<>();

    /**
     * @param fields all of a row
     * @param key by which rows are told
     */
    public ToldRows(
            MaterialisedRows live,
            Function<RowData, String> fields,
            Function<RowData, String> key) {
        this.live = live;
        this.fields = fields;
        this.key = key;
    }

    /** Takes what a bundle has emitted. */
    public void take(List<RowData> emitted) {
        told.clear();
        for (RowData row : emitted) {
            live.take(row);
            if (RowDataUtil.isAccumulateMsg(row)) {
                told.put(key.apply(row), fields.apply(row));
            } else {
                told.remove(key.apply(row));
            }
        }
    }

    /** As {@link MaterialisedRows#rows}. */
    public Map<String, Object> live() {
        return live.rows();
    }

    /** As {@link MaterialisedRows#overdrawn}. */
    public Set<String> overdrawn() {
        return live.overdrawn();
    }

    /** As {@link MaterialisedRows#deletedFromNothing}. */
    public Set<String> deletedFromNothing() {
        return live.deletedFromNothing();
    }

    /** What the last bundle has told to be there, by key. */
    public Map<String, String> told() {
        return told;
    }
}
