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

import io.stateaccel.flink.testing.PlanFacts;
import io.stateaccel.tests.differential.Field.Role;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.Row;

/**
 * A table and everything that ever happens to it.
 *
 * @param primaryKey names of columns, none when nothing is unique
 * @param burst rows that the source emits before it lets the other sources have a turn
 * @param disorder how many seconds watermarks stay behind the latest row
 */
public record TestTable(
        String name,
        List<Field> fields,
        List<String> primaryKey,
        Changes changes,
        List<Row> changelog,
        int burst,
        int disorder) {

    /** Whose rows come in the order of their times, if they have any. */
    public TestTable(
            String name,
            List<Field> fields,
            List<String> primaryKey,
            Changes changes,
            List<Row> changelog,
            int burst) {
        this(name, fields, primaryKey, changes, changelog, burst, 0);
    }

    /** What the changelog may hold. */
    public enum Changes {
        INSERT_ONLY(ChangelogMode.insertOnly()),
        RETRACT(ChangelogMode.all()),
        UPSERT(PlanFacts.upsert(false)),
        /** A deletion names the primary key only; its other columns are NULL. */
        UPSERT_WITH_KEY_ONLY_DELETES(PlanFacts.upsert(true));

        private final ChangelogMode mode;

        Changes(ChangelogMode mode) {
            this.mode = mode;
        }

        ChangelogMode mode() {
            return mode;
        }

        boolean needsPrimaryKey() {
            return this == UPSERT || this == UPSERT_WITH_KEY_ONLY_DELETES;
        }
    }

    Schema schema() {
        Schema.Builder schema = Schema.newBuilder();
        fields.forEach(
                field -> schema.column(field.name(), field.type().dataType(field.nullable())));
        fields.stream()
                .filter(field -> field.role() == Role.TIME)
                .forEach(field -> schema.watermark(field.name(), watermark(field.name())));
        if (!primaryKey.isEmpty()) {
            schema.primaryKey(primaryKey);
        }
        return schema.build();
    }

    private String watermark(String time) {
        return disorder == 0 ? time : "%s - INTERVAL '%d' SECOND".formatted(time, disorder);
    }

    TypeInformation<Row> typeInformation() {
        return Types.ROW_NAMED(
                fields.stream().map(Field::name).toArray(String[]::new),
                fields.stream()
                        .map(field -> field.type().information())
                        .toArray(TypeInformation<?>[]::new));
    }

    /** How many rows there are in the end. */
    public long liveRows() {
        return changelog.stream()
                .mapToInt(
                        row ->
                                switch (row.getKind()) {
                                    case INSERT -> 1;
                                    case DELETE -> -1;
                                    // There need not be a -U for each +U.
                                    case UPDATE_BEFORE, UPDATE_AFTER -> 0;
                                })
                .sum();
    }

    /** The same table with another history. */
    TestTable withChangelog(List<Row> other) {
        return new TestTable(
                name, fields, primaryKey, changes, List.copyOf(other), burst, disorder);
    }

    /** Another table with the same history. */
    TestTable withName(String other) {
        return new TestTable(other, fields, primaryKey, changes, changelog, burst, disorder);
    }

    /** The same table, quicker or slower. */
    TestTable withBurst(int other) {
        return new TestTable(name, fields, primaryKey, changes, changelog, other, disorder);
    }

    @Override
    public String toString() {
        return "%s(%s%s) %s, %d changes"
                .formatted(
                        name,
                        fields.stream().map(Field::toString).collect(Collectors.joining(", ")),
                        primaryKey.isEmpty()
                                ? ""
                                : ", PRIMARY KEY (%s)".formatted(String.join(", ", primaryKey)),
                        changes,
                        changelog.size());
    }
}
