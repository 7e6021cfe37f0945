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
package io.stateaccel.tests.differential;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/**
 * Makes up a valid history for a table: a row is only retracted while it is there, a primary key
 * occurs once, and an upsert table never sends the row before an update.
 */
final class ChangelogGenerator {

    private final Random random;
    private final InputKind kind;
    private final KeyType keyType;
    private final int keys;
    private final double skew;
    private final double churn;
    private final double nulls;

    private final List<Row> live = new ArrayList<>();
    private final Map<List<Object>, Row> liveByPrimaryKey = new HashMap<>();
    private final List<Row> changelog = new ArrayList<>();
    private long nextId;

    private ChangelogGenerator(Random random, InputKind kind, KeyType keyType) {
        this.random = random;
        this.kind = kind;
        this.keyType = keyType;
        this.keys = pick(3, 8, 40);
        this.skew = random.nextBoolean() ? 1 : 3;
        this.churn = kind.isInsertOnly() ? 0 : new double[] {0.2, 0.5, 0.9}[random.nextInt(3)];
        this.nulls = random.nextBoolean() ? 0 : 0.15;
    }

    static TestTable generate(
            Random random, String name, InputKind kind, KeyType keyType, int changes) {
        ChangelogGenerator generator = new ChangelogGenerator(random, kind, keyType);
        while (generator.changelog.size() < changes) {
            generator.change();
        }
        return new TestTable(name, kind, keyType, List.copyOf(generator.changelog));
    }

    private void change() {
        if (live.isEmpty() || random.nextDouble() >= churn) {
            insert();
        } else if (random.nextInt(3) == 0) {
            delete(live.get(random.nextInt(live.size())));
        } else {
            update(live.get(random.nextInt(live.size())));
        }
    }

    private void insert() {
        boolean duplicate =
                kind.unique() == InputKind.Unique.NOTHING
                        && !live.isEmpty()
                        && random.nextInt(5) == 0;
        Row row = duplicate ? Row.copy(live.get(random.nextInt(live.size()))) : randomRow();
        if (kind.unique() != InputKind.Unique.NOTHING
                && liveByPrimaryKey.containsKey(primaryKey(row))) {
            if (!kind.isInsertOnly()) {
                update(liveByPrimaryKey.get(primaryKey(row)));
            }
            return;
        }
        add(row);
        emit(RowKind.INSERT, row);
    }

    private void update(Row before) {
        Row after = randomRow();
        if (kind.unique() != InputKind.Unique.NOTHING) {
            for (int column : primaryKeyColumns()) {
                after.setField(column, before.getField(column));
            }
        } else if (random.nextInt(4) == 0) {
            // An update that changes nothing is legal, and a fold must survive it.
            after = Row.copy(before);
        }
        remove(before);
        add(after);
        if (!kind.isUpsert()) {
            emit(RowKind.UPDATE_BEFORE, before);
        }
        emit(RowKind.UPDATE_AFTER, after);
    }

    private void delete(Row row) {
        remove(row);
        Row deletion = Row.copy(row);
        if (kind.mode().keyOnlyDeletes()) {
            List<Integer> key = primaryKeyColumns();
            for (int column = 0; column < deletion.getArity(); column++) {
                if (!key.contains(column)) {
                    deletion.setField(column, null);
                }
            }
        }
        emit(RowKind.DELETE, deletion);
    }

    private void add(Row row) {
        live.add(row);
        if (kind.unique() != InputKind.Unique.NOTHING) {
            liveByPrimaryKey.put(primaryKey(row), row);
        }
    }

    private void remove(Row row) {
        live.remove(row);
        if (kind.unique() != InputKind.Unique.NOTHING) {
            liveByPrimaryKey.remove(primaryKey(row));
        }
    }

    private void emit(RowKind rowKind, Row row) {
        Row change = Row.copy(row);
        change.setKind(rowKind);
        changelog.add(change);
    }

    private List<Object> primaryKey(Row row) {
        List<Object> key = new ArrayList<>();
        primaryKeyColumns().forEach(column -> key.add(row.getField(column)));
        return key;
    }

    private List<Integer> primaryKeyColumns() {
        return switch (kind.unique()) {
            case NOTHING -> List.of();
            case ID -> List.of(0);
            case KEY ->
                    keyType.parts().size() == 1
                            ? List.of(TestTable.FIRST_KEY_COLUMN)
                            : List.of(TestTable.FIRST_KEY_COLUMN, TestTable.FIRST_KEY_COLUMN + 1);
        };
    }

    private Row randomRow() {
        Row row = new Row(1 + keyType.parts().size() + 3);
        int column = 0;
        row.setField(column++, nextId++);
        int key = (int) (keys * Math.pow(random.nextDouble(), skew));
        for (KeyType.Part part : keyType.parts()) {
            Object value = part.value().apply(key);
            row.setField(column++, kind.unique() == InputKind.Unique.KEY ? value : orNull(value));
        }
        row.setField(column++, orNull(random.nextInt(4)));
        row.setField(column++, orNull(random.nextInt(20) - 5));
        row.setField(column, orNull(text()));
        return row;
    }

    private String text() {
        return "x".repeat(random.nextInt(3) * 10) + random.nextInt(6);
    }

    private Object orNull(Object value) {
        return random.nextDouble() < nulls ? null : value;
    }

    private int pick(int... choices) {
        return choices[random.nextInt(choices.length)];
    }
}
