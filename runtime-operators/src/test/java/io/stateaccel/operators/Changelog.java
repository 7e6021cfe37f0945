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
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;

/**
 * What an operator has emitted, held to what anybody who reads a changelog may rely on, as it
 * comes:
 *
 * <ul>
 *   <li>a {@code -U} is followed by a {@code +U} of its key, in the same bundle where bundles are
 *       told apart;
 *   <li>what is retracted was there;
 *   <li>who has a key and ignores every {@code -U}, as writers of tables do, has the same rows in
 *       the end as who counts;
 *   <li>where it is {@link #strict}, a row that is known by a key is inserted once, and updated
 *       only where it is there.
 * </ul>
 *
 * @param <R> rows that are equal if their fields are
 */
public final class Changelog<R> {

    private final String description;
    private final Function<RowData, R> fields;
    @Nullable private final Function<RowData, ?> keyOf;
    private final boolean retracts;
    private boolean strict;

    private final Map<R, Integer> counts = new HashMap<>();

    /** By key what is there, without rows that a {@code -U} has taken away. */
    private final Map<Object, R> current = new HashMap<>();

    /** The same for who ignores {@code -U}. */
    private final Map<Object, R> upserted = new HashMap<>();

    /** Of each {@code -U} whose {@code +U} has not come yet; of rows without a key all the same. */
    private final Map<Object, Integer> awaited = new HashMap<>();

    /**
     * @param description of the case, for failures
     * @param fields all of a row, whatever its kind
     * @param keyOf by which rows are known; null if they are known as a whole
     * @param retracts whether there has to be a {@code -U} before each {@code +U}; where there is
     *     not and it is not strict either, nothing is said of what is there
     */
    public Changelog(
            String description,
            Function<RowData, R> fields,
            @Nullable Function<RowData, ?> keyOf,
            boolean retracts) {
        this.description = description;
        this.fields = fields;
        this.keyOf = keyOf;
        this.retracts = retracts;
    }

    /** Holds it to the last of the rules, too, which Flink's deduplications do not keep. */
    public Changelog<R> strict() {
        strict = true;
        return this;
    }

    /** Takes what one bundle, or less, has emitted. */
    public void bundle(List<RowData> changes) {
        changes.forEach(this::accept);
        assertThat(awaited)
                .as("-U that no +U follows in %s, %s", texts(changes), description)
                .isEmpty();
    }

    /** Takes a change. */
    public void accept(RowData change) {
        R row = fields.apply(change);
        Object key = keyOf == null ? "" : keyOf.apply(change);
        RowKind kind = change.getRowKind();
        if (strict) {
            assertInPlace(kind, key, row);
        }
        switch (kind) {
            case UPDATE_BEFORE -> awaited.merge(key, 1, Integer::sum);
            case UPDATE_AFTER -> awaited.computeIfPresent(key, (k, n) -> n == 1 ? null : n - 1);
            default -> {}
        }
        if (retracts || strict) {
            count(RowDataUtil.isAccumulateMsg(change), key, row);
        }
        if (RowDataUtil.isAccumulateMsg(change)) {
            current.put(key, row);
            upserted.put(key, row);
        } else {
            current.remove(key);
            if (kind == RowKind.DELETE) {
                upserted.remove(key);
            }
        }
    }

    private void assertInPlace(RowKind kind, Object key, R row) {
        if (kind == RowKind.UPDATE_AFTER && retracts) {
            assertThat(awaited).as("-U before %s, %s", row, description).containsKey(key);
        } else if (keyOf != null) {
            switch (kind) {
                case INSERT -> assertThat(current).as("+I, %s", description).doesNotContainKey(key);
                case UPDATE_AFTER -> assertThat(current).as("+U, %s", description).containsKey(key);
                default ->
                        assertThat(current.get(key))
                                .as("row that is taken away, %s", description)
                                .isEqualTo(row);
            }
        }
    }

    private void count(boolean accumulate, Object key, R row) {
        if (accumulate && keyOf != null && !retracts && current.containsKey(key)) {
            // Nobody says that it has gone.
            counts.remove(current.get(key));
        }
        int count = counts.merge(row, accumulate ? 1 : -1, Integer::sum);
        assertThat(count).as("count of %s, %s", row, description).isNotNegative();
        if (count == 0) {
            counts.remove(row);
        }
    }

    /** To be called after the last bundle. */
    public void end() {
        assertThat(awaited).as("-U at the end, %s", description).isEmpty();
        if (retracts && keyOf != null) {
            assertThat(upserted.values())
                    .as("rows of a reader that ignores -U, %s", description)
                    .containsExactlyInAnyOrderElementsOf(counts.keySet());
        }
    }

    /** What there is, and how often. */
    public Map<R, Integer> live() {
        return counts;
    }

    private List<String> texts(List<RowData> changes) {
        return changes.stream()
                .map(change -> change.getRowKind().shortString() + " " + fields.apply(change))
                .toList();
    }
}
