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
import java.util.List;
import java.util.stream.Collectors;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.Row;

/**
 * A table and everything that ever happens to it. The columns are {@code id}, the key ({@code k1}
 * and sometimes {@code k2}), a group {@code g}, a value {@code v} and a text {@code s}.
 */
record TestTable(String name, InputKind kind, KeyType keyType, List<Row> changelog) {

    /** Number of the first key column; the ones after the key follow from the key's width. */
    static final int FIRST_KEY_COLUMN = 1;

    int width() {
        return columns().size();
    }

    List<String> primaryKey() {
        return switch (kind.unique()) {
            case NOTHING -> List.of();
            case ID -> List.of("id");
            case KEY -> keyType.columns();
        };
    }

    Schema schema() {
        Schema.Builder schema = Schema.newBuilder();
        columns().forEach(column -> schema.column(column.name(), column.type()));
        if (!primaryKey().isEmpty()) {
            schema.primaryKey(primaryKey());
        }
        return schema.build();
    }

    TypeInformation<Row> typeInformation() {
        return Types.ROW_NAMED(
                columns().stream().map(Column::name).toArray(String[]::new),
                columns().stream().map(Column::information).toArray(TypeInformation<?>[]::new));
    }

    /** The same table with another history. */
    TestTable withChangelog(List<Row> other) {
        return new TestTable(name, kind, keyType, List.copyOf(other));
    }

    private List<Column> columns() {
        List<Column> columns = new ArrayList<>();
        columns.add(column("id", DataTypes.BIGINT(), Types.LONG));
        for (int part = 0; part < keyType.parts().size(); part++) {
            KeyType.Part key = keyType.parts().get(part);
            columns.add(column(keyType.columns().get(part), key.type(), key.information()));
        }
        columns.add(column("g", DataTypes.INT(), Types.INT));
        columns.add(column("v", DataTypes.INT(), Types.INT));
        columns.add(column("s", DataTypes.STRING(), Types.STRING));
        return columns;
    }

    private Column column(String name, DataType type, TypeInformation<?> information) {
        return new Column(name, primaryKey().contains(name) ? type.notNull() : type, information);
    }

    private record Column(String name, DataType type, TypeInformation<?> information) {}

    @Override
    public String toString() {
        return "%s %s, primary key %s, %d changes, schema %s"
                .formatted(
                        name,
                        kind,
                        primaryKey(),
                        changelog.size(),
                        columns().stream()
                                .map(column -> column.name() + " " + column.type())
                                .collect(Collectors.joining(", ")));
    }
}
