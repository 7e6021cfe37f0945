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

import static io.stateaccel.views.join.records.ViewRows.row;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;

class KnownRowsTest {

    private final KnownRows known = new KnownRows();

    @Test
    void nothingIsCertainOfAKeyThatWasNotLearnt() {
        assertThat(known.addNew(key(1), List.of(row(RowKind.INSERT, 1, 1)))).isFalse();
        assertThat(known.isKnown(key(1))).isFalse();
    }

    @Test
    void aRowIsNewOnce() {
        learn(1, List.of(row(RowKind.INSERT, 1, 1)));
        assertThat(known.addNew(key(1), List.of(row(RowKind.INSERT, 1, 1)))).isFalse();
        assertThat(known.addNew(key(1), List.of(row(RowKind.INSERT, 1, 2)))).isTrue();
        assertThat(known.addNew(key(1), List.of(row(RowKind.INSERT, 1, 2)))).isFalse();
        assertThat(
                        known.addNew(
                                key(1),
                                List.of(row(RowKind.INSERT, 3, 3), row(RowKind.INSERT, 3, 3))))
                .as("of two equal ones the second is not")
                .isFalse();
    }

    /** More keys and rows than there is room for. */
    @Test
    void whatIsSaidToBeNewIsNew() {
        Map<Integer, Set<RowData>> stored = new HashMap<>();
        long seed = Long.getLong("stateaccel.seed", System.nanoTime());
        Random random = new Random(seed);
        int certain = 0;
        int forgotten = 0;
        for (int i = 0; i < 150_000; i++) {
            int key = random.nextInt(random.nextBoolean() ? 50_000 : 50);
            RowData row = row(RowKind.INSERT, random.nextInt(20_000), 1);
            Set<RowData> rows = stored.computeIfAbsent(key, k -> new HashSet<>());
            boolean isKnown = known.isKnown(key(key));
            if (known.addNew(key(key), List.of(row))) {
                assertThat(rows).as("seed %d", seed).doesNotContain(row);
                certain++;
            } else if (!isKnown) {
                forgotten += rows.isEmpty() ? 0 : 1;
                List<RowData> all = new ArrayList<>(rows);
                all.add(row);
                learn(key, all);
            }
            rows.add(row);
        }
        assertThat(certain).isGreaterThan(50_000);
        assertThat(forgotten).isGreaterThan(50);
    }

    @Test
    void aKeyOfTooManyRowsIsNotKept() {
        List<RowData> rows = new ArrayList<>();
        for (int i = 0; i < 140_000; i++) {
            rows.add(row(RowKind.INSERT, i, 1));
        }
        learn(1, rows);
        assertThat(known.isKnown(key(1))).isFalse();
    }

    private void learn(int key, List<RowData> rows) {
        KnownRows.Learning learning = known.learn(key(key));
        learning.add(rows);
        learning.finish();
    }

    private static RowData key(int key) {
        return row(RowKind.INSERT, key, 0);
    }
}
