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

import io.stateaccel.tests.differential.ChangelogGenerator.Times;
import io.stateaccel.tests.differential.Field.Role;
import io.stateaccel.tests.differential.TestTable.Changes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Makes up the schemas of the tables of one case; their join keys fit together. */
final class TableGenerator {

    private static final int MOST_COLUMNS = 6;

    private static final ValueType[] IDENTIFYING_TYPES =
            Arrays.stream(ValueType.values())
                    .filter(ValueType::identifies)
                    .toArray(ValueType[]::new);

    private static final Field TIME = new Field("ts", ValueType.TIMESTAMP_3, false, Role.TIME);

    /** How the primary key relates to the columns that tables are joined by. */
    private enum Unique {
        NOTHING,
        /** The first of them: contained in the join key when there are two. */
        FIRST_KEY_COLUMN,
        KEY,
        KEY_AND_ID,
        ID
    }

    private final Random random;
    private final List<ValueType> keyTypes;
    private final ValueType otherKeyType;
    private final int keys;
    private final boolean keysMayBeNull;

    /**
     * @param keys how many different join keys there are at most
     */
    TableGenerator(Random random, int keys) {
        this(random, keys, ValueType.values());
    }

    /**
     * @param typesOfKeys what the columns may be of that tables are joined by
     */
    private TableGenerator(Random random, int keys, ValueType[] typesOfKeys) {
        this.random = random;
        this.keys = keys;
        this.keyTypes =
                random.nextInt(3) == 0
                        ? List.of(any(typesOfKeys), any(typesOfKeys))
                        : List.of(any(typesOfKeys));
        this.otherKeyType = anyType();
        this.keysMayBeNull = random.nextInt(3) > 0;
    }

    /**
     * @param changes how many changes the history has, if the primary key allows for as many
     */
    TestTable table(String name, int changes) {
        Changes kind = any(Changes.values());
        Unique unique = any(Unique.values());
        if (kind.needsPrimaryKey() && !isPossible(unique)) {
            unique = Unique.ID;
        } else if (!isPossible(unique)) {
            unique = Unique.NOTHING;
        }
        List<Field> fields = fields(kind, unique);
        List<String> primaryKey = primaryKey(fields, unique);
        return new TestTable(
                name,
                fields,
                primaryKey,
                kind,
                new ChangelogGenerator(random, fields, primaryKey, kind, keys).changelog(changes),
                any(new Integer[] {1, 5, 20, 1000}));
    }

    /** Whose join key may always be a primary key. */
    static TableGenerator withIdentifyingKeys(Random random, int keys) {
        return new TableGenerator(random, keys, IDENTIFYING_TYPES);
    }

    /**
     * A table with a row time, into which rows are only inserted.
     *
     * @param times the time of each row, from its number
     */
    TestTable tableByTime(String name, int changes, Times times) {
        return tableByTime(name, changes, times, Changes.INSERT_ONLY, Unique.NOTHING);
    }

    /** A table with a row time and the versions of a row for each join key. */
    TestTable versionedTable(String name, int changes, Times times) {
        return tableByTime(name, changes, times, Changes.UPSERT, Unique.KEY);
    }

    private TestTable tableByTime(
            String name, int changes, Times times, Changes kind, Unique unique) {
        List<Field> fields = new ArrayList<>(fields(kind, unique));
        fields.add(random.nextInt(fields.size() + 1), TIME);
        List<String> primaryKey = primaryKey(fields, unique);
        return new TestTable(
                name,
                List.copyOf(fields),
                primaryKey,
                kind,
                new ChangelogGenerator(random, fields, primaryKey, kind, keys, times)
                        .changelog(changes),
                any(new Integer[] {1, 5, 20, 1000}),
                times.disorder());
    }

    private boolean isPossible(Unique unique) {
        return switch (unique) {
            case NOTHING -> false;
            case ID -> true;
            case FIRST_KEY_COLUMN -> keyTypes.get(0).identifies();
            case KEY, KEY_AND_ID -> keyTypes.stream().allMatch(ValueType::identifies);
        };
    }

    private List<Field> fields(Changes kind, Unique unique) {
        List<Field> fields = new ArrayList<>();
        boolean keyIsUnique = unique == Unique.KEY || unique == Unique.KEY_AND_ID;
        for (int part = 0; part < keyTypes.size(); part++) {
            boolean inPrimaryKey = keyIsUnique || (unique == Unique.FIRST_KEY_COLUMN && part == 0);
            fields.add(
                    new Field(
                            "k" + (part + 1),
                            keyTypes.get(part),
                            !inPrimaryKey && mayBeNull(kind, keysMayBeNull),
                            part == 0 ? Role.KEY_1 : Role.KEY_2));
        }
        if (unique == Unique.ID || unique == Unique.KEY_AND_ID) {
            fields.add(new Field("id", identifyingType(), false, Role.ID));
        }
        if (random.nextBoolean()) {
            fields.add(
                    new Field("j", otherKeyType, mayBeNull(kind, keysMayBeNull), Role.OTHER_KEY));
        }
        int payload = random.nextInt(MOST_COLUMNS - fields.size() + 1);
        for (int column = 1; column <= payload; column++) {
            fields.add(
                    new Field(
                            "c" + column,
                            anyType(),
                            mayBeNull(kind, random.nextInt(3) > 0),
                            Role.PAYLOAD));
        }
        Collections.shuffle(fields, random);
        return List.copyOf(fields);
    }

    /** A deletion that names only the primary key has NULL in all other columns. */
    private static boolean mayBeNull(Changes kind, boolean wanted) {
        return wanted || kind == Changes.UPSERT_WITH_KEY_ONLY_DELETES;
    }

    private static List<String> primaryKey(List<Field> fields, Unique unique) {
        return fields.stream()
                .filter(
                        field ->
                                switch (field.role()) {
                                    case KEY_1 -> unique != Unique.NOTHING && unique != Unique.ID;
                                    case KEY_2 ->
                                            unique == Unique.KEY || unique == Unique.KEY_AND_ID;
                                    case ID -> true;
                                    case OTHER_KEY, TIME, PAYLOAD -> false;
                                })
                .map(Field::name)
                .toList();
    }

    private ValueType anyType() {
        return any(ValueType.values());
    }

    private ValueType identifyingType() {
        return any(IDENTIFYING_TYPES);
    }

    private <T> T any(T[] values) {
        return values[random.nextInt(values.length)];
    }
}
