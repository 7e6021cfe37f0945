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
import io.stateaccel.tests.differential.QueryGenerator.JoinType;
import io.stateaccel.tests.differential.QueryGenerator.Query;
import io.stateaccel.tests.differential.QueryGenerator.Shape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Writes queries by row time. No row comes late: which ones do is up to threads where there are two
 * inputs, and late rows are drawn by the tests of the operators.
 */
final class TimeQueryGenerator {

    private static final Field WINDOW_START = windowColumn("window_start");
    private static final Field WINDOW_END = windowColumn("window_end");
    private static final List<Field> WINDOW = List.of(WINDOW_START, WINDOW_END);

    private final Random random;
    private final Times times;
    private final QueryGenerator others;

    TimeQueryGenerator(Random random, Times times) {
        this.random = random;
        this.times = times;
        this.others = new QueryGenerator(random, true);
    }

    /**
     * @param type of the join, which is another one where joins of the shape have no such type
     */
    Query query(Shape shape, JoinType type, List<TestTable> tables) {
        List<Relation> inputs = new ArrayList<>();
        for (TestTable table : tables) {
            inputs.add(Relation.of(table, table.name()));
        }
        Relation first = inputs.get(0);
        Relation result =
                switch (shape) {
                    case OVER -> over(first);
                    case WINDOW_AGGREGATE -> aggregatedWindows(first, windows(first));
                    case BEST_OF_WINDOW ->
                            bestOfWindows(aggregatedWindows(first, tumblingOrNot(first)));
                    case GROUP_WINDOW -> groupedWindows(first);
                    case FIRST_ROW -> firstRow(first);
                    case WINDOW_TOP_N -> topNOfWindows(anyWindows(first, tumblingOrNot(first)));
                    case WINDOW_DEDUPLICATION -> deduplicatedWindows(first);
                    case WINDOW_JOIN -> joinOfWindows(first, type, inputs.get(1));
                    case INTERVAL_JOIN ->
                            intervalJoin(
                                    first, type.filters() ? JoinType.INNER : type, inputs.get(1));
                    case TEMPORAL_JOIN -> temporalJoin(first, inputs.get(1));
                    default -> throw new IllegalArgumentException(shape + " is not by time");
                };
        Relation query = random.nextInt(3) == 0 ? others.aggregate(result) : result;
        return new Query(query.text(), List.of());
    }

    // ---- OVER ---------------------------------------------------------------------------------

    private Relation over(Relation table) {
        List<String> selected = new ArrayList<>();
        List<Field> fields = new ArrayList<>();
        selectSome(table, "", selected, fields);
        Set<String> calls = new LinkedHashSet<>();
        int count = 1 + random.nextInt(4);
        for (int call = 0; call < count; call++) {
            calls.add(callInFrame(any(plain(table))));
        }
        for (String call : calls) {
            String name = "a" + fields.size();
            selected.add("%s OVER w AS %s".formatted(call, name));
            fields.add(new Field(name, ValueType.BIGINT, true, Role.PAYLOAD));
        }
        List<Field> partition = random.nextInt(8) == 0 ? List.of() : table.joinKeys();
        // Which of the rows of one time is within so many rows is up to threads.
        boolean rows = times != Times.TIED && random.nextBoolean();
        String from =
                random.nextInt(4) == 0
                        ? "UNBOUNDED"
                        : rows
                                ? String.valueOf(random.nextInt(5))
                                : seconds(1 + random.nextInt(12));
        return table.computedBy(
                "SELECT %s FROM %s WINDOW w AS (%sORDER BY ts %s BETWEEN %s PRECEDING AND CURRENT ROW)"
                        .formatted(
                                String.join(", ", selected),
                                table.from(),
                                partition.isEmpty()
                                        ? ""
                                        : "PARTITION BY " + QueryGenerator.names(partition) + " ",
                                rows ? "ROWS" : "RANGE",
                                from),
                fields,
                Set.of());
    }

    /** What it gives is used as a number only where it is one. */
    private String callInFrame(Field argument) {
        List<String> calls = new ArrayList<>(List.of("COUNT(*)", "COUNT(%s)"));
        if (argument.type().isSortable()) {
            calls.add("COUNT(DISTINCT %s)");
        }
        if (argument.type().isNumber()) {
            calls.addAll(List.of("SUM(%s)", "AVG(%s)", "MIN(%s)", "MAX(%s)", "SUM(DISTINCT %s)"));
            if (times != Times.TIED) {
                calls.addAll(List.of("FIRST_VALUE(%s)", "LAST_VALUE(%s)"));
            }
        }
        return any(calls).replace("%s", argument.name());
    }

    // ---- windows ------------------------------------------------------------------------------

    /** The table function of windows of a length that is drawn. */
    private String windows(Relation table) {
        if (random.nextInt(4) > 0) {
            return tumblingOrNot(table);
        }
        List<Field> keys = table.joinKeys();
        return "TABLE(SESSION(TABLE %s PARTITION BY (%s), DESCRIPTOR(ts), %s))"
                .formatted(
                        table.text(), QueryGenerator.names(keys), seconds(2 + random.nextInt(6)));
    }

    private String tumblingOrNot(Relation table) {
        int step = 2 + random.nextInt(8);
        int steps = 2 + random.nextInt(3);
        return switch (random.nextInt(3)) {
            case 0 ->
                    "TABLE(TUMBLE(TABLE %s, DESCRIPTOR(ts), %s))"
                            .formatted(table.text(), seconds(step * steps));
            case 1 ->
                    "TABLE(HOP(TABLE %s, DESCRIPTOR(ts), %s, %s))"
                            .formatted(table.text(), seconds(step), seconds(step * steps));
            default ->
                    "TABLE(CUMULATE(TABLE %s, DESCRIPTOR(ts), %s, %s))"
                            .formatted(table.text(), seconds(step), seconds(step * steps));
        };
    }

    private Relation aggregatedWindows(Relation table, String windows) {
        // Sessions are by what they are partitioned by.
        boolean all = random.nextInt(6) == 0 && !windows.contains("SESSION");
        List<Field> grouping = all ? List.of() : table.joinKeys();
        List<String> selected = WINDOW.stream().map(Field::name).toList();
        List<Field> groups = new ArrayList<>(grouping);
        groups.addAll(WINDOW);
        return aggregated(table, windows, grouping, selected, QueryGenerator.names(groups));
    }

    /** Results that have the highest or the lowest value of their window, or of a part of it. */
    private Relation bestOfWindows(Relation windows) {
        List<Field> values =
                windows.fields().stream()
                        .filter(field -> !field.role().isJoinKey() && !WINDOW.contains(field))
                        .filter(field -> field.type().isSortable())
                        .filter(field -> field.type().family() != ValueType.Family.BOOLEAN)
                        .toList();
        if (values.isEmpty()) {
            return windows;
        }
        Field value = any(values);
        List<Field> groups = new ArrayList<>(WINDOW);
        windows.joinKeys().stream().filter(key -> random.nextInt(3) == 0).forEach(groups::add);
        boolean highest = random.nextBoolean();
        String best =
                "SELECT %s, %s(%s) AS best FROM %s GROUP BY %s"
                        .formatted(
                                QueryGenerator.names(groups),
                                highest ? "MAX" : "MIN",
                                value.name(),
                                windows.from(),
                                QueryGenerator.names(groups));
        String comparison =
                random.nextInt(4) == 0 ? any(List.of("=", "<", ">", "<>")) : highest ? ">=" : "<=";
        JoinType type = any(List.of(JoinType.INNER, JoinType.INNER, JoinType.LEFT, JoinType.RIGHT));
        List<Field> fields =
                windows.fields().stream()
                        .map(field -> type.padsLeft() ? field.padded() : field)
                        .toList();
        return windows.computedBy(
                "SELECT %s FROM %s %s (%s) AS BEST ON %s AND %s %s BEST.best"
                        .formatted(
                                Relation.list(
                                        windows.fields(), name -> windows.alias() + "." + name),
                                windows.from(),
                                type.sql(),
                                best,
                                Relation.list(
                                                groups,
                                                name ->
                                                        "%s.%2$s = BEST.%2$s"
                                                                .formatted(windows.alias(), name))
                                        .replace(", ", " AND "),
                                windows.column(value),
                                comparison),
                fields,
                Set.of());
    }

    /** By the older functions of windows, in GROUP BY. */
    private Relation groupedWindows(Relation table) {
        int step = 2 + random.nextInt(8);
        String function = any(List.of("TUMBLE", "HOP", "SESSION"));
        String lengths =
                function.equals("HOP")
                        ? seconds(step) + ", " + seconds(step * (2 + random.nextInt(3)))
                        : seconds(step);
        List<Field> grouping = random.nextInt(6) == 0 ? List.of() : table.joinKeys();
        List<String> selected =
                List.of(
                        "%s_START(ts, %s) AS window_start".formatted(function, lengths),
                        "%s_END(ts, %s) AS window_end".formatted(function, lengths));
        return aggregated(
                table,
                table.from(),
                grouping,
                selected,
                (grouping.isEmpty() ? "" : QueryGenerator.names(grouping) + ", ")
                        + "%s(ts, %s)".formatted(function, lengths));
    }

    /**
     * @param selectedWindow the start and the end of the window
     * @param groupBy the columns of the grouping and the window
     */
    private Relation aggregated(
            Relation table,
            String from,
            List<Field> grouping,
            List<String> selectedWindow,
            String groupBy) {
        List<String> selected = new ArrayList<>();
        List<Field> fields = new ArrayList<>(grouping);
        grouping.forEach(field -> selected.add(field.name()));
        selected.addAll(selectedWindow);
        fields.addAll(WINDOW);
        Set<String> calls = new LinkedHashSet<>();
        int count = 1 + random.nextInt(4);
        for (int call = 0; call < count; call++) {
            Field argument = any(plain(table));
            String sql = others.call(argument);
            // Stock Flink adds up the distinct values of a group's key that its parts have.
            sql = grouping.contains(argument) ? sql.replace("DISTINCT ", "") : sql;
            // Stock Flink cannot plan all sums of distinct values in windows.
            sql = sql.replace("SUM(DISTINCT ", "SUM(");
            if (calls.add(sql)) {
                selected.add("%s AS a%d".formatted(sql, call));
                boolean keepsType = sql.startsWith("MIN") || sql.startsWith("MAX");
                fields.add(
                        new Field(
                                "a" + call,
                                keepsType ? argument.type() : ValueType.BIGINT,
                                true,
                                Role.PAYLOAD));
            }
        }
        return table.computedBy(
                "SELECT %s FROM %s GROUP BY %s%s"
                        .formatted(
                                String.join(", ", selected),
                                from,
                                groupBy,
                                random.nextInt(5) == 0 ? " HAVING COUNT(*) > 1" : ""),
                fields,
                Set.of());
    }

    /** Of rows of one time one is as good as the other: then nothing but the time is selected. */
    private Relation firstRow(Relation table) {
        List<Field> keys = table.joinKeys();
        List<Field> fields = new ArrayList<>(times == Times.TIED ? keys : plain(table));
        List<String> selected = new ArrayList<>();
        fields.forEach(field -> selected.add(field.name()));
        selectTime("ts", "t", selected, fields);
        return table.computedBy(
                "SELECT %s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY %s ORDER BY ts) AS rn FROM %s) WHERE rn = 1"
                        .formatted(
                                String.join(", ", selected),
                                QueryGenerator.names(keys),
                                table.from()),
                fields,
                Set.of());
    }

    /** Rows with the windows that they are in, aggregated or not. */
    private Relation anyWindows(Relation table, String windows) {
        if (random.nextBoolean()) {
            return aggregatedWindows(table, windows);
        }
        List<Field> fields = new ArrayList<>(plain(table));
        fields.addAll(WINDOW);
        return table.computedBy(
                "SELECT %s FROM %s".formatted(QueryGenerator.names(fields), windows),
                fields,
                Set.of());
    }

    /** The order is total: rows that tie are equal. */
    private Relation topNOfWindows(Relation windows) {
        List<Field> partition = windows.joinKeys();
        List<Field> order =
                new ArrayList<>(
                        windows.fields().stream()
                                .filter(field -> !field.role().isJoinKey())
                                .filter(field -> !WINDOW.contains(field))
                                .filter(field -> field.type().isSortable())
                                .toList());
        if (order.isEmpty()) {
            return windows;
        }
        Collections.shuffle(order, random);
        List<Field> fields = new ArrayList<>(partition);
        fields.addAll(order);
        fields.addAll(WINDOW);
        List<Field> partitionAndWindow = new ArrayList<>(WINDOW);
        partitionAndWindow.addAll(partition);
        String ranked =
                "SELECT %s, ROW_NUMBER() OVER (PARTITION BY %s ORDER BY %s) AS rn FROM %s"
                        .formatted(
                                QueryGenerator.names(fields),
                                QueryGenerator.names(partitionAndWindow),
                                sorted(order),
                                windows.from());
        String ranks =
                random.nextInt(4) == 0 ? "rn BETWEEN 2 AND 3" : "rn <= " + (1 + random.nextInt(3));
        if (random.nextBoolean()) {
            fields.add(new Field("rn", ValueType.BIGINT, false, Role.PAYLOAD));
        }
        return windows.computedBy(
                "SELECT %s FROM (%s) WHERE %s"
                        .formatted(QueryGenerator.names(fields), ranked, ranks),
                fields,
                Set.of());
    }

    private String sorted(List<Field> order) {
        return Relation.list(order, name -> name + (random.nextBoolean() ? "" : " DESC"));
    }

    /** Of rows of one time one is as good as the other: then nothing but the time is selected. */
    private Relation deduplicatedWindows(Relation table) {
        List<Field> keys = table.joinKeys();
        List<Field> fields = new ArrayList<>(times == Times.TIED ? keys : plain(table));
        List<String> selected = new ArrayList<>();
        fields.forEach(field -> selected.add(field.name()));
        WINDOW.forEach(field -> selected.add(field.name()));
        fields.addAll(WINDOW);
        selectTime("ts", "t", selected, fields);
        List<Field> partition = new ArrayList<>(WINDOW);
        partition.addAll(keys);
        return table.computedBy(
                "SELECT %s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY %s ORDER BY ts%s) AS rn FROM %s) WHERE rn = 1"
                        .formatted(
                                String.join(", ", selected),
                                QueryGenerator.names(partition),
                                random.nextBoolean() ? "" : " DESC",
                                tumblingOrNot(table)),
                fields,
                Set.of());
    }

    // ---- joins --------------------------------------------------------------------------------

    private Relation joinOfWindows(Relation left, JoinType type, Relation right) {
        String windows = tumblingOrNot(left);
        Relation leftWindows = anyWindows(left, windows);
        String ofRight = windows.replace("TABLE " + left.text(), "TABLE " + right.text());
        Relation rightWindows = anyWindows(right, ofRight);
        List<Field> equal = new ArrayList<>(WINDOW);
        equal.addAll(sharedKeys(leftWindows, rightWindows));
        String on = areEqual(equal);
        if (type.filters()) {
            return leftWindows.computedBy(
                    "SELECT %s FROM %s WHERE %s (SELECT * FROM %s WHERE %s)"
                            .formatted(
                                    Relation.list(leftWindows.fields(), name -> "A." + name),
                                    leftWindows.from(),
                                    type.sql(),
                                    rightWindows.from(),
                                    on),
                    leftWindows.fields(),
                    Set.of());
        }
        return paired(leftWindows, type, rightWindows, rightWindows.from(), on);
    }

    private Relation intervalJoin(Relation left, JoinType type, Relation right) {
        int before = random.nextInt(12) - 2;
        int after = random.nextInt(12) - Math.min(before, 2);
        String interval =
                random.nextInt(6) == 0
                        ? "A.ts = B.ts"
                        : "A.ts BETWEEN B.ts - %s AND B.ts + %s"
                                .formatted(seconds(before), seconds(after));
        return paired(left, type, right, right.from(), interval + " AND " + equalKeys(left, right));
    }

    private Relation temporalJoin(Relation left, Relation versions) {
        JoinType type = random.nextBoolean() ? JoinType.INNER : JoinType.LEFT;
        String table = "%s FOR SYSTEM_TIME AS OF A.ts AS B".formatted(versions.text());
        return paired(left, type, versions, table, equalKeys(left, versions));
    }

    private static String equalKeys(Relation left, Relation right) {
        return areEqual(sharedKeys(left, right));
    }

    private static List<Field> sharedKeys(Relation left, Relation right) {
        Set<String> ofRight =
                right.joinKeys().stream().map(Field::name).collect(Collectors.toSet());
        return left.joinKeys().stream().filter(key -> ofRight.contains(key.name())).toList();
    }

    private static String areEqual(List<Field> columns) {
        return columns.stream()
                .map(column -> "A.%1$s = B.%1$s".formatted(column.name()))
                .collect(Collectors.joining(" AND "));
    }

    private Relation paired(
            Relation left, JoinType type, Relation right, String fromRight, String condition) {
        List<String> selected = new ArrayList<>();
        List<Field> fields = new ArrayList<>();
        for (Relation side : List.of(left, right)) {
            boolean padded = side == left ? type.padsLeft() : type.padsRight();
            List<Field> ofSide = new ArrayList<>();
            String prefix = side.alias().toLowerCase(Locale.ROOT) + "_";
            selectSome(side, prefix, selected, ofSide);
            ofSide.forEach(field -> fields.add(padded ? field.padded() : field));
        }
        return new Relation(
                "X",
                "SELECT %s FROM %s %s %s ON %s"
                        .formatted(
                                String.join(", ", selected),
                                left.from(),
                                type.sql(),
                                fromRight,
                                condition),
                true,
                fields,
                Set.of());
    }

    // ---- small things -------------------------------------------------------------------------

    /** The columns by which tables are joined and some of the others, the time as a plain value. */
    private void selectSome(
            Relation table, String prefix, List<String> selected, List<Field> fields) {
        for (Field field : table.fields()) {
            String column = table.column(field);
            if (field.role() == Role.TIME) {
                selectTime(column, prefix + "t", selected, fields);
            } else if (field.role().isJoinKey() || random.nextInt(4) > 0) {
                String name = prefix + field.name();
                selected.add("%s AS %s".formatted(column, name));
                fields.add(field.named(name));
            }
        }
    }

    private static void selectTime(
            String column, String name, List<String> selected, List<Field> fields) {
        selected.add("CAST(%s AS TIMESTAMP(3)) AS %s".formatted(column, name));
        fields.add(new Field(name, ValueType.TIMESTAMP_3, false, Role.PAYLOAD));
    }

    private static List<Field> plain(Relation table) {
        return table.fields().stream().filter(field -> field.role() != Role.TIME).toList();
    }

    private static Field windowColumn(String name) {
        return new Field(name, ValueType.TIMESTAMP_3, false, Role.PAYLOAD);
    }

    private static String seconds(int seconds) {
        return seconds < 0
                ? "INTERVAL '-%d' SECOND".formatted(-seconds)
                : "INTERVAL '%d' SECOND".formatted(seconds);
    }

    private <T> T any(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }
}
