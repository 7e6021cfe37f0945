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
package io.stateaccel.tests.restore;

import io.stateaccel.tests.differential.ChangelogGenerator;
import io.stateaccel.tests.differential.Field;
import io.stateaccel.tests.differential.Field.Role;
import io.stateaccel.tests.differential.TestTable;
import io.stateaccel.tests.differential.TestTable.Changes;
import io.stateaccel.tests.differential.ValueType;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.apache.flink.types.Row;

/** What happens to a table, which decides how an operator keeps its rows. */
enum Input {
    APPENDED(Changes.INSERT_ONLY, List.of(), Input::plain),
    RETRACTED(Changes.RETRACT, List.of(), Input::plain),
    IDENTIFIED(Changes.RETRACT, List.of("id"), Input::withId),
    ONE_PER_KEY(Changes.RETRACT, List.of("k1"), Input::plain),
    UPSERTED(Changes.UPSERT, List.of("k1"), Input::plain),
    UPSERTED_BY_KEY(Changes.UPSERT_WITH_KEY_ONLY_DELETES, List.of("k1"), Input::plain),
    TIMED(Changes.INSERT_ONLY, List.of("id"), Input::withIdAndTime);

    private static final int KEYS = 24;

    /** Or a result would have too few to tell right from wrong. */
    private static final int LEAST_LIVE_ROWS = 10;

    private final Changes changes;
    private final List<String> primaryKey;
    private final Function<Input, List<Field>> fields;

    Input(Changes changes, List<String> primaryKey, Function<Input, List<Field>> fields) {
        this.changes = changes;
        this.primaryKey = primaryKey;
        this.fields = fields;
    }

    private List<Field> plain() {
        return List.of(
                new Field("k1", ValueType.VARCHAR, !primaryKey.contains("k1"), Role.KEY_1),
                // A deletion that has nothing but its key has no value.
                new Field("c", ValueType.INT, this == UPSERTED_BY_KEY, Role.PAYLOAD),
                new Field("d", ValueType.VARCHAR, true, Role.PAYLOAD));
    }

    private List<Field> withId() {
        return List.of(
                new Field("id", ValueType.BIGINT, false, Role.ID),
                new Field("k1", ValueType.INT, true, Role.KEY_1),
                new Field("c", ValueType.INT, false, Role.PAYLOAD),
                new Field("d", ValueType.VARCHAR, true, Role.PAYLOAD));
    }

    private List<Field> withIdAndTime() {
        List<Field> fields = new ArrayList<>(withId());
        fields.add(new Field("ts", ValueType.TIMESTAMP_3, false, Role.TIME));
        return List.copyOf(fields);
    }

    /** Tables A, B and so on, each of which about so many changes happen to. */
    static List<TestTable> tables(List<Input> inputs, Random random, int changes) {
        List<TestTable> tables = new ArrayList<>();
        for (Input input : inputs) {
            tables.add(input.table(String.valueOf((char) ('A' + tables.size())), random, changes));
        }
        return tables;
    }

    private TestTable table(String name, Random random, int count) {
        List<Field> columns = fields.apply(this);
        TestTable table;
        do {
            List<Row> changelog =
                    new ChangelogGenerator(random, columns, primaryKey, changes, KEYS)
                            .changelog(count);
            table = new TestTable(name, columns, primaryKey, changes, changelog, 20);
        } while (table.liveRows() < LEAST_LIVE_ROWS);
        return table;
    }
}
