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

import io.stateaccel.flink.planner.KeyOnlyDeletes;
import io.stateaccel.tests.differential.Field.Role;
import io.stateaccel.tests.differential.TestTable.Changes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/**
 * Makes up a valid history for a table: a row is only retracted while it is there, a primary key
 * occurs once, and an upsert table never sends the row before an update. Works on the numbers of
 * values; {@link #NULL} stands for NULL.
 */
public final class ChangelogGenerator {

    /** The times of rows, in the order in which they come. */
    enum Times {
        ASCENDING(0, row -> row),
        OUT_OF_ORDER(4, row -> row ^ 3),
        /** Three rows have the same. */
        TIED(1, row -> row / 3);

        private final int disorder;
        private final IntUnaryOperator ofRow;

        Times(int disorder, IntUnaryOperator ofRow) {
            this.disorder = disorder;
            this.ofRow = ofRow;
        }

        /**
         * How far, in seconds, watermarks stay behind, so that no row is late: one that has the
         * time of the watermark is.
         */
        int disorder() {
            return disorder;
        }
    }

    private static final int NULL = -1;
    private static final int PAYLOAD_VALUES = 12;

    private final Random random;
    private final List<Field> fields;
    private final int[] primaryKey;
    private final Changes kind;
    private final int keys;
    private final double skew;
    private final double churn;
    private final double nulls;
    private final Times times;

    private final List<int[]> live = new ArrayList<>();
    private final Map<List<Integer>, int[]> liveByPrimaryKey = new HashMap<>();
    private final List<Row> changelog = new ArrayList<>();
    private int nextId;
    private int nextTime;

    public ChangelogGenerator(
            Random random, List<Field> fields, List<String> primaryKey, Changes kind, int keys) {
        this(random, fields, primaryKey, kind, keys, Times.ASCENDING);
    }

    ChangelogGenerator(
            Random random,
            List<Field> fields,
            List<String> primaryKey,
            Changes kind,
            int keys,
            Times times) {
        this.random = random;
        this.fields = fields;
        this.primaryKey =
                IntStream.range(0, fields.size())
                        .filter(column -> primaryKey.contains(fields.get(column).name()))
                        .toArray();
        this.kind = kind;
        this.keys = keys;
        this.skew = random.nextBoolean() ? 1 : 3;
        this.churn =
                kind == Changes.INSERT_ONLY ? 0 : new double[] {0.2, 0.5, 0.9}[random.nextInt(3)];
        this.nulls = random.nextBoolean() ? 0.05 : 0.2;
        this.times = times;
    }

    /** As many changes as wanted, or fewer when no more rows fit under the primary key. */
    public List<Row> changelog(int changes) {
        for (int attempt = 0; changelog.size() < changes && attempt < 4 * changes; attempt++) {
            change();
        }
        return List.copyOf(changelog);
    }

    private void change() {
        if (live.isEmpty() || random.nextDouble() >= churn) {
            insert();
        } else if (random.nextInt(3) == 0) {
            delete(anyLive());
        } else {
            update(anyLive());
        }
    }

    private void insert() {
        boolean duplicate = primaryKey.length == 0 && !live.isEmpty() && random.nextInt(5) == 0;
        int[] row = duplicate ? again(anyLive()) : randomRow();
        int[] present = primaryKey.length == 0 ? null : liveByPrimaryKey.get(primaryKey(row));
        if (present == null) {
            add(row);
            emit(RowKind.INSERT, row);
        } else if (kind != Changes.INSERT_ONLY) {
            update(present);
        }
    }

    /** The same row, at a time of its own if it has one. */
    private int[] again(int[] row) {
        int[] again = row.clone();
        setTime(again);
        return again;
    }

    private void update(int[] before) {
        int[] after = randomRow();
        for (int column : primaryKey) {
            after[column] = before[column];
        }
        if (random.nextInt(4) == 0) {
            // An update that changes nothing is legal, and a fold must survive it.
            after = before.clone();
        } else if (random.nextBoolean()) {
            keepJoinKey(before, after);
        }
        remove(before);
        add(after);
        if (!kind.needsPrimaryKey()) {
            emit(RowKind.UPDATE_BEFORE, before);
        }
        emit(RowKind.UPDATE_AFTER, after);
    }

    private void keepJoinKey(int[] before, int[] after) {
        for (int column = 0; column < after.length; column++) {
            if (fields.get(column).role().isJoinKey()) {
                after[column] = before[column];
            }
        }
    }

    private void delete(int[] row) {
        remove(row);
        int[] deletion = row.clone();
        if (kind.needsPrimaryKey()) {
            // A row is deleted at a time of its own. What takes back a row that is known by all of
            // it has that row's.
            setTime(deletion);
        }
        if (KeyOnlyDeletes.in(kind.mode())) {
            for (int column = 0; column < deletion.length; column++) {
                if (!isPrimaryKey(column)) {
                    deletion[column] = NULL;
                }
            }
        }
        emit(RowKind.DELETE, deletion);
    }

    private int[] anyLive() {
        return live.get(random.nextInt(live.size()));
    }

    private void add(int[] row) {
        live.add(row);
        if (primaryKey.length > 0) {
            liveByPrimaryKey.put(primaryKey(row), row);
        }
    }

    /** Arrays are equal when they are the same, so this removes the very row. */
    private void remove(int[] row) {
        live.remove(row);
        if (primaryKey.length > 0) {
            liveByPrimaryKey.remove(primaryKey(row));
        }
    }

    private List<Integer> primaryKey(int[] row) {
        return IntStream.of(primaryKey).mapToObj(column -> row[column]).toList();
    }

    private boolean isPrimaryKey(int column) {
        return IntStream.of(primaryKey).anyMatch(key -> key == column);
    }

    private void setTime(int[] row) {
        for (int column = 0; column < row.length; column++) {
            if (fields.get(column).role() == Role.TIME) {
                row[column] = nextTime();
            }
        }
    }

    private int nextTime() {
        return times.ofRow.applyAsInt(nextTime++);
    }

    private int[] randomRow() {
        int[] row = new int[fields.size()];
        int key = (int) (keys * Math.pow(random.nextDouble(), skew));
        for (int column = 0; column < row.length; column++) {
            Field field = fields.get(column);
            row[column] =
                    field.nullable() && random.nextDouble() < nulls
                            ? NULL
                            : randomValue(field.role(), key);
        }
        return row;
    }

    private int randomValue(Role role, int key) {
        return switch (role) {
            case KEY_1 -> key;
            // Key columns vary together or not, so that one of them alone selects more rows.
            case KEY_2 -> random.nextInt(4) == 0 ? random.nextInt(keys) : key;
            case OTHER_KEY -> random.nextInt(keys);
            case ID -> random.nextInt(4) == 0 ? random.nextInt(nextId + 1) : nextId++;
            case TIME -> nextTime();
            case PAYLOAD -> random.nextInt(PAYLOAD_VALUES);
        };
    }

    private void emit(RowKind rowKind, int[] numbers) {
        Row row = new Row(rowKind, numbers.length);
        for (int column = 0; column < numbers.length; column++) {
            if (numbers[column] != NULL) {
                row.setField(column, fields.get(column).type().value(numbers[column]));
            }
        }
        changelog.add(row);
    }
}
