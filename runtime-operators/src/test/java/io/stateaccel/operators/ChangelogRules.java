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

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;

/**
 * What anybody who reads a changelog may rely on, checked bundle by bundle:
 *
 * <ul>
 *   <li>a {@code -U} is followed by a {@code +U} of its key in the same bundle;
 *   <li>what is retracted was there;
 *   <li>who has an upsert key and ignores every {@code -U}, as writers of tables do, has the same
 *       rows in the end as who counts.
 * </ul>
 */
public final class ChangelogRules {

    private final String description;
    private final Function<RowData, String> fields;
    private final Function<RowData, String> upsertKey;
    private final boolean retracts;

    private final Map<String, Integer> counted = new HashMap<>();
    private final Map<String, String> upserted = new HashMap<>();

    /**
     * @param description of the case, for failures
     * @param fields all of a row
     * @param upsertKey of a row, null where nobody knows one
     * @param retracts whether every change carries the old row
     */
    public ChangelogRules(
            String description,
            Function<RowData, String> fields,
            Function<RowData, String> upsertKey,
            boolean retracts) {
        this.description = description;
        this.fields = fields;
        this.upsertKey = upsertKey;
        this.retracts = retracts;
    }

    /** Takes what one bundle, or less, has emitted. */
    public void bundle(List<RowData> changes) {
        Map<String, Integer> awaited = new HashMap<>();
        for (RowData change : changes) {
            String text = fields.apply(change);
            String key = upsertKey == null ? "" : upsertKey.apply(change);
            switch (change.getRowKind()) {
                case UPDATE_BEFORE -> awaited.merge(key, 1, Integer::sum);
                case UPDATE_AFTER -> awaited.computeIfPresent(key, (k, n) -> n == 1 ? null : n - 1);
                default -> {}
            }
            if (change.getRowKind() != RowKind.UPDATE_BEFORE) {
                if (RowDataUtil.isAccumulateMsg(change)) {
                    upserted.put(key, text);
                } else {
                    upserted.remove(key);
                }
            }
            if (retracts) {
                int count =
                        counted.merge(
                                text, RowDataUtil.isAccumulateMsg(change) ? 1 : -1, Integer::sum);
                assertThat(count).as("count of %s, %s", text, description).isNotNegative();
                if (count == 0) {
                    counted.remove(text);
                }
            }
        }
        assertThat(awaited)
                .as("-U that no +U follows in %s, %s", texts(changes), description)
                .isEmpty();
    }

    /** To be called after the last bundle. */
    public void end() {
        if (retracts && upsertKey != null) {
            assertThat(upserted.values())
                    .as("rows of a reader that ignores -U, %s", description)
                    .containsExactlyInAnyOrderElementsOf(counted.keySet());
        }
    }

    private List<String> texts(List<RowData> changes) {
        return changes.stream()
                .map(change -> change.getRowKind().shortString() + " " + fields.apply(change))
                .toList();
    }
}
