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
package io.stateaccel.planner.scenarios;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

/** The inputs of Flink's {@code JoinITCase} and {@code SemiAntiJoinStreamITCase}, insert-only. */
final class ScenarioTables {

    private final StreamExecutionEnvironment environment;
    private final StreamTableEnvironment tables;

    private ScenarioTables(StreamExecutionEnvironment environment, StreamTableEnvironment tables) {
        this.environment = environment;
        this.tables = tables;
    }

    static void create(StreamExecutionEnvironment environment, StreamTableEnvironment tables) {
        new ScenarioTables(environment, tables).create();
    }

    private void create() {
        create("A", types(Types.INT, Types.LONG, Types.STRING), names("a1", "a2", "a3"), hellos(3));
        create(
                "B",
                types(Types.INT, Types.LONG, Types.INT, Types.STRING, Types.LONG),
                names("b1", "b2", "b3", "b4", "b5"),
                hallos(0, 15));
        create(
                "hellos",
                types(Types.INT, Types.LONG, Types.STRING),
                names("a", "b", "c"),
                hellos(21));
        create(
                "hallos",
                types(Types.INT, Types.LONG, Types.INT, Types.STRING, Types.LONG),
                names("d", "e", "f", "g", "h"),
                hallos(0, 15));
        create(
                "few_hallos",
                types(Types.INT, Types.LONG, Types.INT, Types.STRING, Types.LONG),
                names("d", "e", "f", "g", "h"),
                hallos(0, 6));
        create(
                "unmatched_hallos",
                types(Types.INT, Types.LONG, Types.INT, Types.STRING, Types.LONG),
                names("d", "e", "f", "g", "h"),
                hallos(2, 6));
        createDoubles();
        createNullable();
        createSmall();
        createGrouped();
    }

    private void createDoubles() {
        create(
                "l",
                types(Types.INT, Types.DOUBLE),
                names("a", "b"),
                List.of(
                        Row.of(1, 2.0),
                        Row.of(1, 2.0),
                        Row.of(2, 1.0),
                        Row.of(2, 1.0),
                        Row.of(3, 3.0),
                        Row.of(null, null),
                        Row.of(null, 5.0),
                        Row.of(6, null)));
        create(
                "r",
                types(Types.INT, Types.DOUBLE),
                names("c", "d"),
                List.of(
                        Row.of(2, 3.0),
                        Row.of(2, 3.0),
                        Row.of(3, 2.0),
                        Row.of(4, 1.0),
                        Row.of(null, null),
                        Row.of(null, 5.0),
                        Row.of(6, null)));
    }

    /** In these the queries make a NULL of 3. */
    private void createNullable() {
        create(
                "N1",
                types(Types.INT, Types.LONG, Types.STRING),
                names("a", "b", "c"),
                List.of(
                        Row.of(1, 1L, "Hi1"),
                        Row.of(1, 2L, "Hi2"),
                        Row.of(1, 2L, "Hi2"),
                        Row.of(1, 5L, "Hi3"),
                        Row.of(2, 7L, "Hi5"),
                        Row.of(1, 9L, "Hi6"),
                        Row.of(1, 8L, "Hi8"),
                        Row.of(3, 8L, "Hi9")));
        create(
                "N2",
                types(Types.INT, Types.LONG, Types.STRING),
                names("a", "b", "c"),
                List.of(Row.of(1, 1L, "HiHi"), Row.of(2, 2L, "HeHe"), Row.of(3, 2L, "HeHe")));
        create(
                "O1",
                types(Types.INT, Types.LONG),
                names("a", "b"),
                List.of(Row.of(1, 1L), Row.of(3, 8L), Row.of(4, 2L)));
        create(
                "O2",
                types(Types.INT, Types.LONG),
                names("a", "b"),
                List.of(Row.of(1, 1L), Row.of(2, 2L), Row.of(3, 2L)));
        create(
                "C1",
                types(Types.INT, Types.INT, Types.STRING),
                names("a1", "a2", "a3"),
                List.of(Row.of(0, 1, "hi a1"), Row.of(1, 2, "hi a2"), Row.of(2, 3, "hi a3")));
        create(
                "C2",
                types(Types.INT, Types.INT, Types.STRING),
                names("b1", "b2", "b3"),
                List.of(Row.of(3, 4, "hi b1"), Row.of(4, 5, null), Row.of(5, 6, "hi b3")));
    }

    private void createSmall() {
        create(
                "booleans",
                types(Types.INT, Types.LONG, Types.STRING, Types.BOOLEAN),
                names("a", "b", "c", "d"),
                List.of(
                        Row.of(1, 1L, "Hi", true),
                        Row.of(2, 2L, "Hello", false),
                        Row.of(3, 2L, "Hello world", true)));
        create(
                "twice",
                types(Types.INT, Types.INT),
                names("pk", "a"),
                LongStream.range(2, 12).mapToObj(i -> Row.of((int) i / 2, (int) i / 2)).toList());
        create(
                "once",
                types(Types.INT, Types.INT),
                names("pk", "a"),
                LongStream.range(1, 11).mapToObj(i -> Row.of((int) i, (int) i)).toList());
        create(
                "from_five",
                types(Types.INT, Types.INT),
                names("pk", "a"),
                LongStream.range(5, 11).mapToObj(i -> Row.of((int) i, (int) i)).toList());
        create(
                "negatives",
                types(Types.INT, Types.LONG),
                names("a", "c"),
                List.of(Row.of(1, -1L), Row.of(2, -2L), Row.of(3, -3L)));
        create(
                "positives",
                types(Types.INT, Types.LONG),
                names("a", "b"),
                List.of(Row.of(1, 1L), Row.of(2, 2L), Row.of(3, 3L)));
        create(
                "many",
                types(Types.INT, Types.LONG, Types.STRING),
                names("a", "b", "c"),
                LongStream.range(0, 500)
                        .mapToObj(i -> Row.of((int) i % 10, i, Long.toString(i)))
                        .toList());
        create(
                "scott_dept",
                types(Types.INT, Types.STRING, Types.STRING),
                names("deptno", "dname", "loc"),
                List.of(
                        Row.of(10, "ACCOUNTING", "NEW YORK"),
                        Row.of(20, "RESEARCH", "DALLAS"),
                        Row.of(30, "SALES", "CHICAGO"),
                        Row.of(40, "OPERATIONS", "BOSTON")));
        create(
                "scott_emp",
                types(Types.INT, Types.STRING, Types.INT),
                names("empno", "ename", "deptno"),
                List.of(
                        Row.of(7369, "SMITH", 20),
                        Row.of(7499, "ALLEN", 30),
                        Row.of(7566, "JONES", 20),
                        Row.of(7654, "MARTIN", 30)));
        create(
                "texts",
                types(Types.INT, Types.INT, Types.STRING),
                names("a", "b", "c"),
                List.of(
                        Row.of(1, 1, "a"),
                        Row.of(2, 10, "abc"),
                        Row.of(3, 20, "abc"),
                        Row.of(4, 30, "Hello World!")));
    }

    /** Sums of these by the letter change with every row. */
    private void createGrouped() {
        grouped("sums", "1a 2b 10c 6d 8e");
        grouped("more_sums", "1a 2b 10c 6d 8e 11f");
        grouped("parts", "0a 1a 1b 1b 1c 2c 3c 4c 1d 2d 3d 4e 4e");
        grouped("other_parts", "0a 1a 1b 1b 1c 2c 3c 4c 1d 2d 3d 3e 5e");
        grouped("left_parts", "0a 5f -2a 1b 1b 1c 2c 3c 1f 4c 1d 2d 3d 4e 3a 3e 2f");
        grouped("right_parts", "0a 1a 1b 1b 1c 2c 3c 4c 1d 2d 3d 4e 3e");
        pairs("P1", "1,1 1,2 1,2 1,5 2,7 1,9 1,8 3,8");
        pairs("P2", "1,1 2,2 3,2 1,4");
        pairs("P3", "1,1 2,2 3,2 2,1");
    }

    private void grouped(String name, String numbersWithLetters) {
        create(
                name,
                types(Types.INT, Types.STRING),
                names("n", "letter"),
                Stream.of(numbersWithLetters.split(" "))
                        .map(
                                text ->
                                        Row.of(
                                                Integer.valueOf(
                                                        text.substring(0, text.length() - 1)),
                                                text.substring(text.length() - 1)))
                        .toList());
    }

    private void pairs(String name, String pairs) {
        create(
                name,
                types(Types.INT, Types.LONG),
                names("k", "v"),
                Stream.of(pairs.split(" "))
                        .map(text -> text.split(","))
                        .map(pair -> Row.of(Integer.valueOf(pair[0]), Long.valueOf(pair[1])))
                        .toList());
    }

    private static List<Row> hellos(int count) {
        List<Row> rows = new ArrayList<>();
        rows.add(Row.of(1, 1L, "Hi"));
        rows.add(Row.of(2, 2L, "Hello"));
        rows.add(Row.of(3, 2L, "Hello world"));
        rows.add(Row.of(4, 3L, "Hello world, how are you?"));
        rows.add(Row.of(5, 3L, "I am fine."));
        rows.add(Row.of(6, 3L, "Luke Skywalker"));
        long[] groups = {4, 4, 4, 4, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6};
        for (int i = 0; i < groups.length; i++) {
            rows.add(Row.of(7 + i, groups[i], "Comment#" + (i + 1)));
        }
        return rows.subList(0, count);
    }

    private static List<Row> hallos(int from, int to) {
        return List.of(
                        Row.of(1, 1L, 0, "Hallo", 1L),
                        Row.of(2, 2L, 1, "Hallo Welt", 2L),
                        Row.of(2, 3L, 2, "Hallo Welt wie", 1L),
                        Row.of(3, 4L, 3, "Hallo Welt wie gehts?", 2L),
                        Row.of(3, 5L, 4, "ABC", 2L),
                        Row.of(3, 6L, 5, "BCD", 3L),
                        Row.of(4, 7L, 6, "CDE", 2L),
                        Row.of(4, 8L, 7, "DEF", 1L),
                        Row.of(4, 9L, 8, "EFG", 1L),
                        Row.of(4, 10L, 9, "FGH", 2L),
                        Row.of(5, 11L, 10, "GHI", 1L),
                        Row.of(5, 12L, 11, "HIJ", 3L),
                        Row.of(5, 13L, 12, "IJK", 3L),
                        Row.of(5, 14L, 13, "JKL", 2L),
                        Row.of(5, 15L, 14, "KLM", 2L))
                .subList(from, to);
    }

    private void create(String name, TypeInformation<?>[] types, String[] columns, List<Row> rows) {
        tables.createTemporaryView(
                name,
                tables.fromDataStream(
                        environment.fromData(Types.ROW_NAMED(columns, types), toArray(rows))));
    }

    private static Row[] toArray(List<Row> rows) {
        return rows.toArray(new Row[0]);
    }

    private static TypeInformation<?>[] types(TypeInformation<?>... types) {
        return types;
    }

    private static String[] names(String... names) {
        return names;
    }
}
