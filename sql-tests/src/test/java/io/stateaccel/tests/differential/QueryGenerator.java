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
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

/** Writes queries over the tables {@code L} and {@code R}. */
final class QueryGenerator {

    /** What a query is made of. Cases take the shapes in turn, so that each gets its share. */
    enum Shape {
        JOIN(true, false),
        OUTER_JOIN(true, false),
        SEMI_OR_ANTI_JOIN(true, false),
        AGGREGATE(false, true),
        JOIN_THEN_AGGREGATE(true, true),
        AGGREGATE_THEN_JOIN(true, true),
        NESTED_AGGREGATE(false, true),
        NEXMARK_Q4(true, true);

        private final boolean joins;
        private final boolean aggregates;

        Shape(boolean joins, boolean aggregates) {
            this.joins = joins;
            this.aggregates = aggregates;
        }

        boolean joins() {
            return joins;
        }

        boolean aggregates() {
            return aggregates;
        }
    }

    private static final List<String> AGGREGATES =
            List.of(
                    "COUNT(*)",
                    "COUNT(%s)",
                    "SUM(%s)",
                    "MIN(%s)",
                    "MAX(%s)",
                    "AVG(%s)",
                    "COUNT(DISTINCT %s)",
                    "SUM(DISTINCT %s)",
                    "SUM(%s) FILTER (WHERE %s > 3)",
                    "COUNT(DISTINCT %s) FILTER (WHERE %s < 8)");

    private final Random random;
    private final KeyType keyType;

    QueryGenerator(Random random, KeyType keyType) {
        this.random = random;
        this.keyType = keyType;
    }

    String query(Shape shape) {
        return switch (shape) {
            case JOIN -> "SELECT %s, %s FROM %s".formatted(all("L"), all("R"), join("L", "R"));
            case OUTER_JOIN ->
                    "SELECT %s, %s FROM %s"
                            .formatted(all("L"), all("R"), join("L", outerJoin(), "R"));
            case SEMI_OR_ANTI_JOIN ->
                    "SELECT %s FROM L WHERE %s (SELECT * FROM R WHERE %s)"
                            .formatted(
                                    all("L"),
                                    random.nextBoolean() ? "EXISTS" : "NOT EXISTS",
                                    condition("L", "R"));
            case AGGREGATE -> aggregate(grouping(""), "v", "L");
            case JOIN_THEN_AGGREGATE ->
                    aggregate(grouping("L."), random.nextBoolean() ? "R.v" : "L.v", join("L", "R"));
            case AGGREGATE_THEN_JOIN ->
                    "SELECT %s, R.id, R.s FROM %s"
                            .formatted(all("A", "a0", "a1"), join(aggregateByKey("L") + " A", "R"));
            case NESTED_AGGREGATE ->
                    "SELECT a1, COUNT(*), SUM(a0), MAX(a0) FROM (%s) GROUP BY a1"
                            .formatted(aggregate(keys(""), "v", "L"));
            case NEXMARK_Q4 ->
                    ("SELECT g, AVG(final), COUNT(*) FROM (SELECT MAX(R.v) AS final, L.g AS g FROM"
                                    + " %s GROUP BY L.id, L.g) GROUP BY g")
                            .formatted(join("L", "R"));
        };
    }

    private String join(String left, String right) {
        return join(left, "JOIN", right);
    }

    private String join(String left, String type, String right) {
        String leftName = left.substring(left.lastIndexOf(' ') + 1);
        return "%s %s %s ON %s".formatted(left, type, right, condition(leftName, right));
    }

    private String outerJoin() {
        return List.of("LEFT JOIN", "RIGHT JOIN", "FULL JOIN").get(random.nextInt(3));
    }

    private String condition(String left, String right) {
        String equals =
                random.nextInt(4) == 0 ? "%s.%s IS NOT DISTINCT FROM %s.%s" : "%s.%s = %s.%s";
        String condition =
                keyType.columns().stream()
                        .map(key -> equals.formatted(left, key, right, key))
                        .collect(Collectors.joining(" AND "));
        String value = left.equals("A") ? "A.a0" : "L.v";
        String nonEqui =
                switch (random.nextInt(4)) {
                    case 0 -> " AND %s < R.v".formatted(value);
                    case 1 -> " AND (%s + R.v > 6 OR R.s IS NULL)".formatted(value);
                    default -> "";
                };
        return condition + nonEqui;
    }

    private String aggregateByKey(String table) {
        return "(%s)".formatted(aggregate(keys(""), "v", table));
    }

    /** The grouping columns and two to four aggregate calls, named a0, a1 and so on. */
    private String aggregate(List<String> grouping, String value, String from) {
        List<String> calls = new ArrayList<>(AGGREGATES);
        Collections.shuffle(calls, random);
        List<String> selected = new ArrayList<>(grouping);
        int count = 2 + random.nextInt(3);
        for (int call = 0; call < count; call++) {
            selected.add(calls.get(call).replace("%s", value) + " AS a" + call);
        }
        String having = random.nextInt(4) == 0 ? " HAVING COUNT(*) > 2" : "";
        return "SELECT %s FROM %s GROUP BY %s%s"
                .formatted(String.join(", ", selected), from, String.join(", ", grouping), having);
    }

    private List<String> grouping(String prefix) {
        List<String> byKey = keys(prefix);
        List<String> byGroup = List.of(prefix + "g");
        List<String> byBoth = new ArrayList<>(byKey);
        byBoth.addAll(byGroup);
        return List.of(byKey, byGroup, byBoth).get(random.nextInt(3));
    }

    private List<String> keys(String prefix) {
        return keyType.columns().stream().map(key -> prefix + key).toList();
    }

    private String all(String table, String... columns) {
        List<String> names = new ArrayList<>();
        if (columns.length == 0) {
            names.add("id");
            names.addAll(keyType.columns());
            names.addAll(List.of("g", "v", "s"));
        } else {
            names.addAll(keyType.columns());
            names.addAll(Arrays.asList(columns));
        }
        return names.stream().map(name -> table + "." + name).collect(Collectors.joining(", "));
    }
}
