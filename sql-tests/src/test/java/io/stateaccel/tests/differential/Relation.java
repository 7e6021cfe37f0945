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

import io.stateaccel.tests.differential.Field.Role;
import java.util.List;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * What can stand in a FROM clause: a table or a sub-query.
 *
 * @param alias by which its columns are named
 * @param text the name of the table, or the sub-query
 * @param upsertKey names of columns by which a sink may know the rows; none when it must not,
 *     because stock Flink's own result then depends on the order in which the inputs come
 */
record Relation(
        String alias, String text, boolean isQuery, List<Field> fields, Set<String> upsertKey) {

    static Relation of(TestTable table, String alias) {
        return new Relation(
                alias, table.name(), false, table.fields(), Set.copyOf(table.primaryKey()));
    }

    /** The same rows under the same name, computed by a query. */
    Relation computedBy(String query, List<Field> itsFields, Set<String> itsUpsertKey) {
        return new Relation(alias, query, true, List.copyOf(itsFields), itsUpsertKey);
    }

    String from() {
        if (isQuery) {
            return "(%s) AS %s".formatted(text, alias);
        }
        return text.equals(alias) ? text : "%s AS %s".formatted(text, alias);
    }

    String column(Field field) {
        return alias + "." + field.name();
    }

    List<Field> withRole(Role role) {
        return fields.stream().filter(field -> field.role() == role).toList();
    }

    List<Field> joinKeys() {
        return fields.stream().filter(field -> field.role().isJoinKey()).toList();
    }

    /** Whether every row of a join key has an upsert key of its own. */
    boolean upsertKeyContains(List<Field> joinKey) {
        return !upsertKey.isEmpty()
                && joinKey.stream().allMatch(field -> upsertKey.contains(field.name()));
    }

    static String list(List<Field> fields, UnaryOperator<String> written) {
        return fields.stream().map(Field::name).map(written).collect(Collectors.joining(", "));
    }
}
