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
import io.stateaccel.tests.differential.TestTable.Changes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/** Writes queries over the tables of a case. */
public final class QueryGenerator {

    /** What a query is made of. Cases take the shapes in turn, so that each gets its share. */
    public enum Shape {
        // Seeds stand for shapes: those that are there stay where they are.
        JOIN_OF_TWO(2),
        JOIN_OF_THREE(3),
        AGGREGATED_JOIN_OF_TWO(2),
        JOIN_OF_TWO_THINGS(2),
        AGGREGATED_JOIN_OF_THREE(3),
        AGGREGATE(1),
        JOIN_OF_THREE_THINGS(3),
        TWICE_AGGREGATED_JOIN(2),
        TOP_N(1),
        TOP_N_OF_JOIN(2),
        JOIN_AGGREGATED_PER_ROW(2),

        // Those of TimeQueryGenerator.
        OVER(1),
        WINDOW_AGGREGATE(1),
        WINDOW_JOIN(2),
        WINDOW_TOP_N(1),
        INTERVAL_JOIN(2),
        WINDOW_DEDUPLICATION(1),
        TEMPORAL_JOIN(2),
        GROUP_WINDOW(1),
        FIRST_ROW(1),
        BEST_OF_WINDOW(1);

        private static final List<Shape> WITHOUT_TIME =
                List.of(values()).subList(0, OVER.ordinal());
        private static final List<Shape> BY_TIME =
                List.of(values()).subList(OVER.ordinal(), values().length);

        private final int inputs;

        Shape(int inputs) {
            this.inputs = inputs;
        }

        static List<Shape> withoutTime() {
            return WITHOUT_TIME;
        }

        /** Those whose tables have row times. */
        static List<Shape> byTime() {
            return BY_TIME;
        }

        int inputs() {
            return inputs;
        }

        /** Whether inputs may be aggregates, top-N and deduplications themselves. */
        boolean joinsThings() {
            return this == JOIN_OF_TWO_THINGS || this == JOIN_OF_THREE_THINGS;
        }
    }

    /** How two inputs are joined. */
    enum JoinType {
        INNER("JOIN"),
        LEFT("LEFT JOIN"),
        SEMI("EXISTS"),
        FULL("FULL JOIN"),
        ANTI("NOT EXISTS"),
        RIGHT("RIGHT JOIN");

        private final String sql;

        JoinType(String sql) {
            this.sql = sql;
        }

        String sql() {
            return sql;
        }

        boolean filters() {
            return this == SEMI || this == ANTI;
        }

        boolean pads() {
            return padsLeft() || padsRight();
        }

        boolean padsLeft() {
            return this == RIGHT || this == FULL;
        }

        boolean padsRight() {
            return this == LEFT || this == FULL;
        }
    }

    /**
     * A statement and where its rows go.
     *
     * @param upsertKey what the sink knows rows by, none when it wants every change in full
     * @param views adds what the statement reads beside tables, for what SQL has no words for
     */
    public record Query(
            String sql, List<String> upsertKey, Consumer<StreamTableEnvironment> views) {

        public Query(String sql, List<String> upsertKey) {
            this(sql, upsertKey, tables -> {});
        }

        /**
         * @param tables has the tables of the case
         */
        Table in(StreamTableEnvironment tables) {
            views.accept(tables);
            return tables.sqlQuery(sql);
        }

        boolean hasSubQueries() {
            return sql.contains("EXISTS (") || sql.contains(" IN (");
        }
    }

    private final Random random;

    /**
     * Flink 2.3 takes the key columns of upserts for ones of which no value ever goes, and so plans
     * a MIN or MAX above them that takes nothing back when a key is deleted: its result then
     * depends on the order of the inputs. And a top-N of groups by such columns as if no group ever
     * went: stock ranks what is deleted as it ranks an upsert. Nor does it see that an outer join
     * takes back the rows that it has filled up with NULL, if a table of insertions has a key.
     */
    private boolean groupsAreRetracted;

    QueryGenerator(Random random) {
        this(random, false);
    }

    /**
     * @param groupsAreRetracted whether {@link #aggregate(Relation)} may have a MIN or MAX
     */
    QueryGenerator(Random random, boolean groupsAreRetracted) {
        this.random = random;
        this.groupsAreRetracted = groupsAreRetracted;
    }

    /**
     * @param type of the join that is made first
     * @param tables one for each input, maybe one for several
     */
    Query query(Shape shape, JoinType type, List<TestTable> tables) {
        // Of a third input the type of join is not drawn yet.
        boolean mayPad = shape.inputs() > 2 || shape.inputs() == 2 && type.pads();
        groupsAreRetracted =
                tables.stream()
                        .noneMatch(
                                table ->
                                        table.changes().needsPrimaryKey()
                                                || mayPad && !table.primaryKey().isEmpty());
        List<Relation> inputs = new ArrayList<>();
        for (int input = 0; input < shape.inputs(); input++) {
            String alias = String.valueOf((char) ('A' + input));
            Relation table = Relation.of(tables.get(input), alias);
            inputs.add(shape.joinsThings() ? thing(table, tables.get(input)) : table);
        }
        Relation result =
                switch (shape) {
                    case JOIN_OF_TWO, JOIN_OF_TWO_THINGS ->
                            join("X", inputs.get(0), type, inputs.get(1));
                    case JOIN_OF_THREE, JOIN_OF_THREE_THINGS -> joinOfThree(inputs, type);
                    case AGGREGATED_JOIN_OF_TWO ->
                            aggregateJoin(join("X", inputs.get(0), type, inputs.get(1)));
                    case AGGREGATED_JOIN_OF_THREE -> aggregateJoin(joinOfThree(inputs, type));
                    case TWICE_AGGREGATED_JOIN ->
                            aggregate(aggregateJoin(join("X", inputs.get(0), type, inputs.get(1))));
                    case AGGREGATE ->
                            random.nextBoolean()
                                    ? aggregate(inputs.get(0))
                                    : aggregate(aggregate(inputs.get(0)));
                    case TOP_N ->
                            numbered(
                                    random.nextInt(3) > 0 || !groupsAreRetracted
                                            ? inputs.get(0)
                                            : aggregate(inputs.get(0)));
                    case TOP_N_OF_JOIN -> numbered(join("X", inputs.get(0), type, inputs.get(1)));
                    case JOIN_AGGREGATED_PER_ROW ->
                            aggregatePerRow(aggregateByKey(inputs.get(0)), inputs.get(1));
                    case OVER,
                            WINDOW_AGGREGATE,
                            WINDOW_JOIN,
                            WINDOW_TOP_N,
                            INTERVAL_JOIN,
                            WINDOW_DEDUPLICATION,
                            TEMPORAL_JOIN,
                            GROUP_WINDOW,
                            FIRST_ROW,
                            BEST_OF_WINDOW ->
                            throw new IllegalArgumentException(shape + " is by time");
                };
        boolean upserts = !result.upsertKey().isEmpty() && random.nextInt(3) > 0;
        return new Query(
                result.text(), upserts ? result.upsertKey().stream().sorted().toList() : List.of());
    }

    private Relation joinOfThree(List<Relation> inputs, JoinType type) {
        JoinType second = any(JoinType.values());
        return random.nextInt(3) > 0
                ? join("Y", join("X", inputs.get(0), type, inputs.get(1)), second, inputs.get(2))
                : join("Y", inputs.get(0), second, join("X", inputs.get(1), type, inputs.get(2)));
    }

    // ---- inputs -------------------------------------------------------------------------------

    private Relation thing(Relation table, TestTable source) {
        return switch (random.nextInt(4)) {
            case 0 -> aggregateByKey(table);
            case 1 -> topN(table);
            case 2 -> source.changes() == Changes.INSERT_ONLY ? deduplication(table) : topN(table);
            default -> table;
        };
    }

    private Relation aggregateByKey(Relation table) {
        return aggregate(table, table.joinKeys());
    }

    private Relation topN(Relation table) {
        return topN(table, random.nextInt(3) == 0, false);
    }

    /** A top-N whose rows a sink may know by their number. */
    private Relation numbered(Relation table) {
        boolean selectsNumber = random.nextInt(4) > 0;
        Relation ranked = topN(table, selectsNumber, selectsNumber && random.nextInt(4) == 0);
        if (!ranked.isQuery()) {
            // Nothing to order by.
            return aggregate(table);
        }
        boolean isNumbered = ranked.fields().stream().anyMatch(field -> field.name().equals("rn"));
        Set<String> partition = notNull(table.joinKeys());
        if (!isNumbered || partition.isEmpty()) {
            return ranked;
        }
        Set<String> upsertKey = new HashSet<>(partition);
        upsertKey.add("rn");
        return ranked.computedBy(ranked.text(), ranked.fields(), upsertKey);
    }

    /** No two rows tie: what comes first would hang on the order of sub-tasks. */
    private Relation firstOfAll(Relation table, List<Field> payload) {
        List<Field> order = new ArrayList<>(payload);
        order.addAll(table.joinKeys());
        Collections.shuffle(order, random);
        return table.computedBy(
                "SELECT %s FROM %s ORDER BY %s LIMIT %d"
                        .formatted(
                                names(order),
                                table.from(),
                                Relation.list(
                                        order,
                                        name -> name + (random.nextBoolean() ? "" : " DESC")),
                                1 + random.nextInt(10)),
                order,
                Set.of());
    }

    /**
     * The order is total: rows that tie are equal.
     *
     * @param selectsNumber whether the rank is part of the result
     * @param startsAboveOne only with ranks in the result of the query: without them stock Flink
     *     does not find rows again that it has to take back
     */
    private Relation topN(Relation table, boolean selectsNumber, boolean startsAboveOne) {
        List<Field> partition = table.joinKeys();
        List<Field> order =
                new ArrayList<>(
                        table.fields().stream()
                                .filter(field -> !field.role().isJoinKey())
                                .filter(field -> field.type().isSortable())
                                .toList());
        if (order.isEmpty()) {
            return table;
        }
        Collections.shuffle(order, random);
        List<Field> fields = new ArrayList<>(partition);
        fields.addAll(order);
        if (!selectsNumber
                && partition.stream().allMatch(key -> key.type().isSortable())
                && random.nextInt(4) == 0) {
            return firstOfAll(table, order);
        }
        String sorted = Relation.list(order, name -> name + (random.nextBoolean() ? "" : " DESC"));
        String ranked =
                "SELECT %s, ROW_NUMBER() OVER (%sORDER BY %s) AS rn FROM %s"
                        .formatted(
                                names(fields),
                                partition.isEmpty() ? "" : "PARTITION BY " + names(partition) + " ",
                                sorted,
                                table.from());
        // Stock Flink 2.3 plans any other top-1 as if it never took a row back (FLINK-40368), and
        // gives wrong results then; and a single rank is a constant, which is not in the result.
        boolean mayBeOne = order.size() == 1 && sorted.endsWith(" DESC") && !startsAboveOne;
        int fewest = mayBeOne ? 1 : 2;
        int last = fewest + random.nextInt(3);
        String ranks = startsAboveOne ? "rn BETWEEN 2 AND " + (last + 1) : "rn <= " + last;
        if (selectsNumber) {
            fields.add(new Field("rn", ValueType.BIGINT, false, Role.PAYLOAD));
        }
        return table.computedBy(
                "SELECT %s FROM (%s) WHERE %s".formatted(names(fields), ranked, ranks),
                fields,
                Set.of());
    }

    /** By the order in which rows come, which is that of the changelog. */
    private Relation deduplication(Relation table) {
        String names = names(table.fields());
        return table.computedBy(
                ("SELECT %s FROM (SELECT %s, ROW_NUMBER() OVER (PARTITION BY %s ORDER BY came%s)"
                                + " AS rn FROM (SELECT *, PROCTIME() AS came FROM %s)) WHERE rn = 1")
                        .formatted(
                                names,
                                names,
                                names(table.joinKeys()),
                                random.nextBoolean() ? "" : " DESC",
                                table.from()),
                table.fields(),
                notNull(table.joinKeys()));
    }

    // ---- joins --------------------------------------------------------------------------------

    private Relation join(String alias, Relation left, JoinType type, Relation right) {
        List<Field> leftKey = new ArrayList<>();
        List<Field> rightKey = new ArrayList<>();
        List<String> condition = new ArrayList<>();
        for (Role role : keyRoles(left, right)) {
            Field leftField = any(left.withRole(role));
            Field rightField = any(right.withRole(role));
            leftKey.add(leftField);
            rightKey.add(rightField);
            // Flink cannot plan a sub-query that compares rows, columns of one table, or what comes
            // out of a LIMIT, by IS NOT DISTINCT FROM.
            boolean nullSafe =
                    random.nextInt(4) == 0
                            && !(type.filters()
                                    && (leftField.type() == ValueType.ROW
                                            || left.text().equals(right.text())
                                            || right.text().contains(" LIMIT ")));
            condition.add(
                    "%s %s %s"
                            .formatted(
                                    left.column(leftField),
                                    nullSafe ? "IS NOT DISTINCT FROM" : "=",
                                    right.column(rightField)));
        }
        List<Field> furtherFields = new ArrayList<>(right.fields());
        furtherFields.removeAll(rightKey);
        boolean equiOnly = random.nextInt(3) > 0 || furtherFields.isEmpty();
        if (!equiOnly) {
            condition.add(further(left, right, any(furtherFields)));
        }
        boolean keepsUpsertKeys =
                equiOnly
                        && left.upsertKeyContains(leftKey)
                        && (type == JoinType.INNER || type.filters());
        if (type.filters()) {
            // A match that is an upsert counts twice in stock Flink: no upserts on the right then.
            return new Relation(
                    alias,
                    filtered(left, type, right, leftKey, rightKey, condition),
                    true,
                    left.fields(),
                    keepsUpsertKeys && right.upsertKey().isEmpty() ? left.upsertKey() : Set.of());
        }
        return paired(
                alias,
                left,
                type,
                right,
                String.join(" AND ", condition),
                keepsUpsertKeys && right.upsertKeyContains(rightKey));
    }

    private String filtered(
            Relation left,
            JoinType type,
            Relation right,
            List<Field> leftKey,
            List<Field> rightKey,
            List<String> condition) {
        String columns = Relation.list(left.fields(), name -> left.alias() + "." + name);
        // IN takes a row for its columns.
        boolean rows = leftKey.stream().anyMatch(field -> field.type() == ValueType.ROW);
        if (type == JoinType.SEMI && !rows && random.nextBoolean()) {
            List<String> rest = condition.subList(leftKey.size(), condition.size());
            return "SELECT %s FROM %s WHERE (%s) IN (SELECT %s FROM %s%s)"
                    .formatted(
                            columns,
                            left.from(),
                            Relation.list(leftKey, name -> left.alias() + "." + name),
                            Relation.list(rightKey, name -> right.alias() + "." + name),
                            right.from(),
                            rest.isEmpty() ? "" : " WHERE " + String.join(" AND ", rest));
        }
        return "SELECT %s FROM %s WHERE %s (SELECT * FROM %s WHERE %s)"
                .formatted(
                        columns,
                        left.from(),
                        type.sql,
                        right.from(),
                        String.join(" AND ", condition));
    }

    private Relation paired(
            String alias,
            Relation left,
            JoinType type,
            Relation right,
            String condition,
            boolean keepsUpsertKeys) {
        List<String> selected = new ArrayList<>();
        List<Field> fields = new ArrayList<>();
        Set<String> upsertKey = new LinkedHashSet<>();
        for (Relation side : List.of(left, right)) {
            boolean padded = side == left ? type.padsLeft() : type.padsRight();
            for (Field field : side.fields()) {
                boolean inUpsertKey = keepsUpsertKeys && side.upsertKey().contains(field.name());
                if (field.role().isJoinKey() || inUpsertKey || random.nextInt(4) > 0) {
                    String name = side.alias().toLowerCase(Locale.ROOT) + "_" + field.name();
                    selected.add(side.column(field) + " AS " + name);
                    fields.add(padded ? field.named(name).padded() : field.named(name));
                    if (inUpsertKey) {
                        upsertKey.add(name);
                    }
                }
            }
        }
        return new Relation(
                alias,
                "SELECT %s FROM %s %s %s ON %s"
                        .formatted(
                                String.join(", ", selected),
                                left.from(),
                                type.sql,
                                right.from(),
                                condition),
                true,
                fields,
                upsertKey);
    }

    /** At least one that both sides have; every input has the first one. */
    private List<Role> keyRoles(Relation left, Relation right) {
        boolean otherKey = haveBoth(left, right, Role.OTHER_KEY);
        boolean secondKey = haveBoth(left, right, Role.KEY_2);
        if (otherKey && random.nextBoolean()) {
            return List.of(Role.OTHER_KEY);
        }
        if (secondKey && random.nextInt(4) > 0) {
            return List.of(Role.KEY_1, Role.KEY_2);
        }
        return otherKey && random.nextInt(4) == 0
                ? List.of(Role.KEY_1, Role.OTHER_KEY)
                : List.of(Role.KEY_1);
    }

    private static boolean haveBoth(Relation left, Relation right, Role role) {
        return !left.withRole(role).isEmpty() && !right.withRole(role).isEmpty();
    }

    /**
     * A condition that is not an equality of two columns.
     *
     * @param rightField not part of the join key: a contradiction would leave nothing to run
     */
    private String further(Relation left, Relation right, Field rightField) {
        List<Field> comparable =
                left.fields().stream()
                        .filter(field -> field.type().isSortable())
                        .filter(field -> field.type().family() == rightField.type().family())
                        .toList();
        Field leftField = any(comparable.isEmpty() ? left.fields() : comparable);
        String l = left.column(leftField);
        String r = right.column(rightField);
        if (comparable.isEmpty()) {
            return "(%s IS NULL OR %s IS NOT NULL)".formatted(l, r);
        }
        boolean ordered = leftField.type().family() != ValueType.Family.BOOLEAN;
        return switch (random.nextInt(4)) {
            case 0 -> "(%s <> %s OR %s IS NULL)".formatted(l, r, right.column(any(right.fields())));
            case 1 -> "(%s IS NOT NULL OR %s %s %s)".formatted(l, l, ordered ? "<" : "<>", r);
            default -> "%s %s %s".formatted(l, ordered ? any(List.of("<", ">=")) : "<>", r);
        };
    }

    // ---- aggregates ---------------------------------------------------------------------------

    /** By whatever columns, or by all that may be of the join key, so that both can be fused. */
    private Relation aggregateJoin(Relation join) {
        if (random.nextInt(3) == 0) {
            return aggregate(join);
        }
        List<Field> grouping = new ArrayList<>(join.joinKeys());
        if (random.nextBoolean()) {
            Field further = any(join.fields());
            if (!grouping.contains(further)) {
                grouping.add(further);
            }
        }
        return aggregate(join, grouping, join.fields(), random.nextInt(3) > 0);
    }

    /**
     * For each row of one input, what rows of the other come to, which may be done before the join.
     */
    private Relation aggregatePerRow(Relation one, Relation many) {
        Relation join = join("X", one, JoinType.INNER, many);
        List<Field> grouping = new ArrayList<>();
        List<Field> arguments = new ArrayList<>();
        for (Field field : join.fields()) {
            boolean isOfOne = field.name().startsWith(one.alias().toLowerCase(Locale.ROOT) + "_");
            // Stock Flink cannot plan the sum of a decimal where no two rows have the same key.
            if (isOfOne) {
                grouping.add(field);
            } else if (!field.type().isDecimal() || many.upsertKey().isEmpty()) {
                arguments.add(field);
            }
        }
        return aggregate(join, grouping, arguments.isEmpty() ? grouping : arguments, false);
    }

    /** By one or two columns, or all rows together. */
    Relation aggregate(Relation input) {
        List<Field> grouping = new ArrayList<>(input.fields());
        Collections.shuffle(grouping, random);
        int columns = random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(2);
        return aggregate(input, grouping.subList(0, Math.min(columns, grouping.size())));
    }

    private Relation aggregate(Relation input, List<Field> grouping) {
        return aggregate(input, grouping, input.fields(), false);
    }

    /**
     * @param oneValueEach whether no function keeps values one by one
     */
    private Relation aggregate(
            Relation input, List<Field> grouping, List<Field> arguments, boolean oneValueEach) {
        List<String> selected = new ArrayList<>();
        List<Field> fields = new ArrayList<>(grouping);
        grouping.forEach(field -> selected.add(field.name()));
        Set<String> calls = new HashSet<>();
        int count = 1 + random.nextInt(4);
        for (int call = 0; call < count; call++) {
            Field argument = any(arguments);
            String sql = oneValueEach ? callOfOneValue(argument) : call(argument);
            if (grouping.contains(argument)) {
                // Stock Flink adds up the distinct values of a group's key that its parts have.
                sql = sql.replace("DISTINCT ", "");
            }
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
        String groupBy = grouping.isEmpty() ? "" : " GROUP BY " + names(grouping);
        String having = random.nextInt(5) == 0 ? " HAVING COUNT(*) > 2" : "";
        return input.computedBy(
                "SELECT %s FROM %s%s%s"
                        .formatted(String.join(", ", selected), input.from(), groupBy, having),
                fields,
                notNull(grouping));
    }

    private String callOfOneValue(Field argument) {
        List<String> calls =
                argument.type().isNumber()
                        ? List.of("COUNT(*)", "COUNT(%s)", "SUM(%s)", "AVG(%s)")
                        : List.of("COUNT(*)", "COUNT(%s)");
        return any(calls).replace("%s", argument.name());
    }

    /** A call of an aggregate function. */
    String call(Field argument) {
        List<String> calls = new ArrayList<>(List.of("COUNT(*)", "COUNT(%s)"));
        if (argument.type().isSortable()) {
            calls.add("COUNT(DISTINCT %s)");
            calls.add("COUNT(DISTINCT %s) FILTER (WHERE %s IS NOT NULL)");
        }
        if (groupsAreRetracted
                && argument.type().isSortable()
                && argument.type().family() != ValueType.Family.BOOLEAN) {
            calls.addAll(List.of("MIN(%s)", "MAX(%s)"));
        }
        if (argument.type().isNumber()) {
            calls.addAll(
                    List.of(
                            "SUM(%s)",
                            "AVG(%s)", "SUM(DISTINCT %s)", "SUM(%s) FILTER (WHERE %s > 3)"));
        }
        return any(calls).replace("%s", argument.name());
    }

    // ---- small things -------------------------------------------------------------------------

    /** The names, or none if one of the columns can be NULL and so cannot be part of a key. */
    private static Set<String> notNull(List<Field> fields) {
        return fields.stream().anyMatch(Field::nullable)
                ? Set.of()
                : fields.stream().map(Field::name).collect(Collectors.toSet());
    }

    static String names(List<Field> fields) {
        return Relation.list(fields, UnaryOperator.identity());
    }

    private <T> T any(T[] values) {
        return values[random.nextInt(values.length)];
    }

    private <T> T any(List<T> values) {
        return values.get(random.nextInt(values.size()));
    }
}
