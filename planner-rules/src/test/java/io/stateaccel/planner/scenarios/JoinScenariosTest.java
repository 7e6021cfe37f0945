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

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.StateAccelOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The queries and the results of Flink's {@code JoinITCase} and {@code SemiAntiJoinStreamITCase},
 * accelerated: with a bundle for every row on RocksDB, and with one for all of them on the heap.
 */
class JoinScenariosTest {

    private static final String AGGREGATED_A = "(SELECT SUM(a2) AS a2, a1 FROM A GROUP BY a1)";
    private static final String AGGREGATED_B = "(SELECT SUM(b2) AS b2, b1 FROM B GROUP BY b1)";
    private static final String NULLABLE =
            "(SELECT IF(a = 3, CAST(NULL AS INT), a) AS a, b, c FROM %s) AS %s";
    private static final String NULLABLE_PAIR =
            "(SELECT IF(a = 3, CAST(NULL AS INT), a) AS a, b FROM %s) AS %s";
    private static final String LEFT_COUNTS =
            "(SELECT a, MAX(b) AS b, COUNT(*) AS c1 FROM l GROUP BY a)";
    private static final String RIGHT_COUNTS =
            "(SELECT c, MAX(d) AS d, COUNT(*) AS c2 FROM r GROUP BY c)";

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(1)
                            .build());

    private enum Group {
        INNER(JoinScenariosTest::innerJoins),
        NULL_KEYS(JoinScenariosTest::nullKeys),
        OUTER(JoinScenariosTest::outerJoins),
        OUTER_WITH_CONDITION(JoinScenariosTest::outerJoinsWithCondition),
        PUSHED_DOWN_FILTER(JoinScenariosTest::pushedDownFilters),
        PUSHED_DOWN_CONDITION(JoinScenariosTest::pushedDownConditions),
        SEMI(JoinScenariosTest::semiJoins),
        ANTI(JoinScenariosTest::antiJoins);

        private final Supplier<Stream<Scenario>> scenarios;

        Group(Supplier<Stream<Scenario>> scenarios) {
            this.scenarios = scenarios;
        }
    }

    @ParameterizedTest
    @EnumSource
    void everyRowABundle(Group group) throws Exception {
        assertResults(group, "rocksdb", Map.of(StateAccelOptions.MINI_BATCH_SIZE.key(), "1"));
    }

    @ParameterizedTest
    @EnumSource
    void allRowsABundle(Group group) throws Exception {
        assertResults(group, "hashmap", Map.of());
    }

    /** Aggregates are in two phases then, above joins and below. */
    @ParameterizedTest
    @EnumSource(names = {"INNER", "OUTER", "SEMI"})
    void bundlesOfTheUsersMiniBatch(Group group) throws Exception {
        assertResults(
                group,
                "rocksdb",
                Map.of(
                        "table.exec.mini-batch.enabled", "true",
                        "table.exec.mini-batch.size", "3",
                        "table.exec.mini-batch.allow-latency", "1 s",
                        "table.optimizer.agg-phase-strategy", "TWO_PHASE"));
    }

    private static Stream<Scenario> innerJoins() {
        return Stream.of(
                Scenario.of(
                        "testDependentConditionDerivationInnerJoin",
                        "SELECT * FROM A, B WHERE (a2 = 1 AND b2 = 2) OR (a1 = 2 AND b1 = 4)",
                        "1,1,Hi,2,2,1,Hallo Welt,2",
                        "2,2,Hello,4,10,9,FGH,2",
                        "2,2,Hello,4,7,6,CDE,2",
                        "2,2,Hello,4,8,7,DEF,1",
                        "2,2,Hello,4,9,8,EFG,1"),
                Scenario.of(
                        "testDependentConditionDerivationInnerJoinWithTrue",
                        "SELECT * FROM A, B WHERE (a2 = 1 AND TRUE) OR (a1 = 2 AND b1 = 4)",
                        "1,1,Hi,1,1,0,Hallo,1",
                        "1,1,Hi,2,2,1,Hallo Welt,2",
                        "1,1,Hi,2,3,2,Hallo Welt wie,1",
                        "1,1,Hi,3,4,3,Hallo Welt wie gehts?,2",
                        "1,1,Hi,3,5,4,ABC,2",
                        "1,1,Hi,3,6,5,BCD,3",
                        "1,1,Hi,4,10,9,FGH,2",
                        "1,1,Hi,4,7,6,CDE,2",
                        "1,1,Hi,4,8,7,DEF,1",
                        "1,1,Hi,4,9,8,EFG,1",
                        "1,1,Hi,5,11,10,GHI,1",
                        "1,1,Hi,5,12,11,HIJ,3",
                        "1,1,Hi,5,13,12,IJK,3",
                        "1,1,Hi,5,14,13,JKL,2",
                        "1,1,Hi,5,15,14,KLM,2",
                        "2,2,Hello,4,10,9,FGH,2",
                        "2,2,Hello,4,7,6,CDE,2",
                        "2,2,Hello,4,8,7,DEF,1",
                        "2,2,Hello,4,9,8,EFG,1"),
                Scenario.of(
                        "testDependentConditionDerivationInnerJoinWithNull",
                        "SELECT * FROM C1, C2 WHERE (a1 = 1 AND b1 = 3) OR (a1 = 2 AND b3 IS NULL)",
                        "1,2,hi a2,3,4,hi b1",
                        "2,3,hi a3,4,5,null"),
                Scenario.of(
                        "testJoin",
                        "SELECT a3, b4 FROM A, B WHERE a2 = b2",
                        "Hi,Hallo",
                        "Hello,Hallo Welt",
                        "Hello world,Hallo Welt"),
                Scenario.of(
                        "testInnerJoin",
                        "SELECT a2, a3, e, g FROM A JOIN few_hallos ON a2 = e",
                        "1,Hi,1,Hallo",
                        "2,Hello world,2,Hallo Welt",
                        "2,Hello,2,Hallo Welt"),
                Scenario.of(
                        "testInnerJoin2",
                        "SELECT a1, b1 FROM A JOIN B ON a1 = b1",
                        "3,3",
                        "1,1",
                        "3,3",
                        "2,2",
                        "3,3",
                        "2,2"),
                Scenario.of(
                        "testJoinWithFilter",
                        "SELECT a3, b4 FROM A, B WHERE a2 = b2 AND a2 < 2",
                        "Hi,Hallo"),
                Scenario.of(
                        "testInnerJoinWithDuplicateKey",
                        "SELECT a1, b1, b3 FROM A JOIN B ON a1 = b1 AND a1 = b3",
                        "2,2,2",
                        "3,3,3"),
                Scenario.of(
                        "testInnerJoinWithBooleanFilterCondition",
                        "SELECT x.a, x.a, y.c FROM booleans x JOIN booleans y ON x.d = y.d"
                                + " WHERE x.d IS TRUE",
                        "1,1,Hello world",
                        "1,1,Hi",
                        "3,3,Hello world",
                        "3,3,Hi"),
                Scenario.of(
                        "testInnerJoinWithNonEquiJoinPredicate",
                        "SELECT c, g FROM hellos, hallos WHERE b = e AND a < 6 AND h < b",
                        "Hello world, how are you?,Hallo Welt wie",
                        "I am fine.,Hallo Welt wie"),
                Scenario.of(
                        "testJoinWithMultipleKeys",
                        "SELECT c, g FROM hellos, hallos WHERE a = d AND b = h",
                        "Hi,Hallo",
                        "Hello,Hallo Welt",
                        "Hello world,Hallo Welt wie gehts?",
                        "Hello world,ABC",
                        "I am fine.,HIJ",
                        "I am fine.,IJK"),
                Scenario.of(
                        "testJoinWithAlias",
                        "SELECT B.b5, T.`1-_./Ü` FROM (SELECT a1, a2, a3 AS `1-_./Ü` FROM A) AS T,"
                                + " B WHERE a1 = b1 AND a1 < 4",
                        "1,Hi",
                        "2,Hello",
                        "1,Hello",
                        "2,Hello world",
                        "2,Hello world",
                        "3,Hello world"),
                Scenario.of(
                        "testDataStreamJoinWithAggregation",
                        "SELECT COUNT(b4), COUNT(a2) FROM A, B WHERE a1 = b1",
                        "6,6"),
                Scenario.of(
                        "testStreamJoinWithSameRecord",
                        "SELECT x.pk, x.a, y.pk, y.a FROM twice x JOIN once y ON x.pk = y.pk",
                        "1,1,1,1",
                        "1,1,1,1",
                        "2,2,2,2",
                        "2,2,2,2",
                        "3,3,3,3",
                        "3,3,3,3",
                        "4,4,4,4",
                        "4,4,4,4",
                        "5,5,5,5",
                        "5,5,5,5"),
                Scenario.of(
                        "testInnerJoinWithEqualPk",
                        select("a1, b1", AGGREGATED_A, "JOIN", AGGREGATED_B, "a1 = b1"),
                        "1,1",
                        "2,2",
                        "3,3"),
                Scenario.of(
                        "testThreeWayMultiJoinWithoutPk",
                        "SELECT x.k, y.k, z.k"
                                + " FROM (SELECT SUM(v) AS v, k FROM P1 GROUP BY k) x"
                                + " JOIN (SELECT SUM(v) AS v, k FROM P2 GROUP BY k) y"
                                + " ON x.k = y.k"
                                + " JOIN (SELECT SUM(v) AS v, k FROM P3 GROUP BY k) z"
                                + " ON z.v = y.v",
                        "2,2,3",
                        "3,3,3"),
                Scenario.of(
                        "testInnerJoinWithPk",
                        select("a1, a2, b1, b2", AGGREGATED_A, "JOIN", AGGREGATED_B, "a2 = b2"),
                        "1,1,1,1"),
                Scenario.of(
                        "testJoinWithoutWatermark",
                        "SELECT p.a, b, c FROM positives p, negatives n WHERE p.a = n.a",
                        "1,1,-1",
                        "2,2,-2",
                        "3,3,-3"),
                Scenario.of(
                        "testBigDataOfJoin",
                        "SELECT COUNT(DISTINCT b) FROM"
                                + " (SELECT x.b FROM many x, many y WHERE x.b = y.b)",
                        "500"));
    }

    private static Stream<Scenario> nullKeys() {
        return Stream.of(
                Scenario.of(
                        "testNonWindowInnerJoin",
                        select(
                                "t2.a, t2.c, t1.c",
                                nullable("N1", "t1"),
                                "JOIN",
                                nullable("N2", "t2"),
                                "t1.a = t2.a AND t1.b > t2.b"),
                        "1,HiHi,Hi2",
                        "1,HiHi,Hi2",
                        "1,HiHi,Hi3",
                        "1,HiHi,Hi6",
                        "1,HiHi,Hi8",
                        "2,HeHe,Hi5"),
                Scenario.of(
                        "testIsNullInnerJoinWithNullCond",
                        select(
                                "t2.a, t2.c, t1.c",
                                nullable("N1", "t1"),
                                "JOIN",
                                nullable("N2", "t2"),
                                "((t1.a IS NULL AND t2.a IS NULL) OR t1.a = t2.a) AND t1.b > t2.b"),
                        "1,HiHi,Hi2",
                        "1,HiHi,Hi2",
                        "1,HiHi,Hi3",
                        "1,HiHi,Hi6",
                        "1,HiHi,Hi8",
                        "2,HeHe,Hi5",
                        "null,HeHe,Hi9"),
                nullJoin(
                        "testNullLeftOuterJoin",
                        "LEFT JOIN",
                        false,
                        "1,1,1,1",
                        "4,2,null,null",
                        "null,8,null,null"),
                nullJoin(
                        "testNullLeftOuterJoinWithNullCond",
                        "LEFT JOIN",
                        true,
                        "1,1,1,1",
                        "4,2,null,null",
                        "null,8,null,2"),
                nullJoin(
                        "testNullRightOuterJoin",
                        "RIGHT JOIN",
                        false,
                        "1,1,1,1",
                        "null,null,2,2",
                        "null,null,null,2"),
                nullJoin(
                        "testNullRightOuterJoinWithNullCond",
                        "RIGHT JOIN",
                        true,
                        "1,1,1,1",
                        "null,null,2,2",
                        "null,8,null,2"),
                nullJoin(
                        "testNullFullOuterJoin",
                        "FULL JOIN",
                        false,
                        "1,1,1,1",
                        "null,null,2,2",
                        "4,2,null,null",
                        "null,8,null,null",
                        "null,null,null,2"),
                nullJoin(
                        "testNullFullOuterJoinWithNullCond",
                        "FULL JOIN",
                        true,
                        "1,1,1,1",
                        "null,null,2,2",
                        "4,2,null,null",
                        "null,8,null,2"));
    }

    private static Scenario nullJoin(String name, String join, boolean nullsMatch, String... rows) {
        return Scenario.of(
                name,
                select(
                        "t1.a, t1.b, t2.a, t2.b",
                        String.format(NULLABLE_PAIR, "O1", "t1"),
                        join,
                        String.format(NULLABLE_PAIR, "O2", "t2"),
                        "t1.a = t2.a" + (nullsMatch ? " OR (t1.a IS NULL AND t2.a IS NULL)" : "")),
                rows);
    }

    private static Stream<Scenario> outerJoins() {
        String[] padded = {
            "Hi,Hallo",
            "Hello,Hallo Welt",
            "Hello world,Hallo Welt",
            "null,Hallo Welt wie",
            "null,Hallo Welt wie gehts?",
            "null,ABC",
            "null,BCD",
            "null,CDE",
            "null,DEF",
            "null,EFG",
            "null,FGH",
            "null,GHI",
            "null,HIJ",
            "null,IJK",
            "null,JKL",
            "null,KLM"
        };
        String[] rights = rows("1,1", "2,2 x2", "3,3 x3", "null,4 x4", "null,5 x5");
        String[] sums = {
            "null,null,3,15", "null,null,4,34", "null,null,5,65", "1,1,1,1", "null,null,2,5"
        };
        return Stream.of(
                Scenario.of(
                        "testLeftOuterJoin",
                        "SELECT a2, a3, e, g FROM A LEFT JOIN unmatched_hallos ON a2 = e",
                        "1,Hi,null,null",
                        "2,Hello world,null,null",
                        "2,Hello,null,null"),
                Scenario.of(
                        "testLeftOuterJoinWithRetraction",
                        "SELECT a2, a3, e, g FROM A LEFT JOIN few_hallos ON a2 = e",
                        "1,Hi,1,Hallo",
                        "2,Hello world,2,Hallo Welt",
                        "2,Hello,2,Hallo Welt"),
                Scenario.of(
                        "testFullOuterJoin",
                        "SELECT a3, b4 FROM A FULL OUTER JOIN B ON a2 = b2",
                        padded),
                Scenario.of(
                        "testLeftOuterJoin2",
                        "SELECT a3, g FROM hallos LEFT OUTER JOIN A ON a2 = e",
                        padded),
                Scenario.of(
                        "testRightOuterJoin",
                        "SELECT a3, b4 FROM A RIGHT OUTER JOIN B ON a2 = b2",
                        padded),
                Scenario.of(
                        "testLeftJoin",
                        "SELECT a1, b1 FROM A LEFT JOIN B ON a1 = b1",
                        rows("1,1", "2,2 x2", "3,3 x3")),
                Scenario.of(
                        "testLeftJoinWithEqualPk",
                        select("a1, b1", AGGREGATED_A, "LEFT JOIN", AGGREGATED_B, "a1 = b1"),
                        "1,1",
                        "2,2",
                        "3,3"),
                Scenario.of(
                        "testLeftJoinWithRightNotPk",
                        select("a1, b1", AGGREGATED_A, "LEFT JOIN", "B", "a1 = b1"),
                        rows("1,1", "2,2 x2", "3,3 x3")),
                Scenario.of(
                        "testLeftJoinWithPk",
                        select(
                                "a1, a2, b1, b2",
                                AGGREGATED_A,
                                "LEFT JOIN",
                                AGGREGATED_B,
                                "a2 = b2"),
                        "1,1,1,1",
                        "3,2,null,null",
                        "2,2,null,null"),
                Scenario.of(
                        "testRightJoin", "SELECT a1, b1 FROM A RIGHT JOIN B ON a1 = b1", rights),
                Scenario.of(
                        "testRightJoinWithEqualPk",
                        select("a1, b1", AGGREGATED_A, "RIGHT JOIN", AGGREGATED_B, "a1 = b1"),
                        "1,1",
                        "2,2",
                        "null,5",
                        "3,3",
                        "null,4"),
                Scenario.of(
                        "testRightJoinWithRightNotPk",
                        select("a1, b1", AGGREGATED_A, "RIGHT JOIN", "B", "a1 = b1"),
                        rights),
                Scenario.of(
                        "testRightJoinWithPk",
                        select(
                                "a1, a2, b1, b2",
                                AGGREGATED_A,
                                "RIGHT JOIN",
                                AGGREGATED_B,
                                "a2 = b2"),
                        sums),
                Scenario.of("testFullJoin", "SELECT a1, b1 FROM A FULL JOIN B ON a1 = b1", rights),
                Scenario.of(
                        "testFullJoinWithEqualPk",
                        select("a1, b1", AGGREGATED_A, "FULL JOIN", AGGREGATED_B, "a1 = b1"),
                        "null,4",
                        "1,1",
                        "3,3",
                        "2,2",
                        "null,5"),
                Scenario.of(
                        "testFullJoinWithFullNotPk",
                        select("a1, b1", AGGREGATED_A, "FULL JOIN", "B", "a1 = b1"),
                        rights),
                Scenario.of(
                        "FullJoinWithPk",
                        select(
                                "a1, a2, b1, b2",
                                AGGREGATED_A,
                                "FULL JOIN",
                                AGGREGATED_B,
                                "a2 = b2"),
                        rows(sums, "3,2,null,null", "2,2,null,null")));
    }

    private static Stream<Scenario> outerJoinsWithCondition() {
        String[] lefts = {"1,null", "2,null", "3,null"};
        String[] rights = rows("null,1", "null,2 x2", "null,3 x3", "null,4 x4", "null,5 x5");
        String[] keys = {"null,1", "null,3", "null,2", "null,5", "null,4"};
        String[] leftSums = {"1,1,null,null", "3,2,null,null", "2,2,null,null"};
        String[] rightSums = {
            "null,null,3,15", "null,null,4,34", "null,null,2,5", "null,null,5,65", "null,null,1,1"
        };
        String greater = "a1 = b1 AND a2 > b2";
        String greaterKey = "a2 = b2 AND a1 > b1";
        return Stream.of(
                Scenario.of(
                        "testLeftJoinNonEqui",
                        select("a1, b1", "A", "LEFT JOIN", "B", greater),
                        lefts),
                Scenario.of(
                        "testLeftJoinWithEqualPkNonEqui",
                        select("a1, b1", AGGREGATED_A, "LEFT JOIN", AGGREGATED_B, greater),
                        lefts),
                Scenario.of(
                        "testLeftJoinWithRightNotPkNonEqui",
                        select("a1, b1", AGGREGATED_A, "LEFT JOIN", "B", greater),
                        lefts),
                Scenario.of(
                        "testLeftJoinWithPkNonEqui",
                        select(
                                "a1, a2, b1, b2",
                                AGGREGATED_A,
                                "LEFT JOIN",
                                AGGREGATED_B,
                                greaterKey),
                        leftSums),
                Scenario.of(
                        "testRightJoinNonEqui",
                        select("a1, b1", "A", "RIGHT JOIN", "B", greater),
                        rights),
                Scenario.of(
                        "testRightJoinWithEqualPkNonEqui",
                        select("a1, b1", AGGREGATED_A, "RIGHT JOIN", AGGREGATED_B, greater),
                        keys),
                Scenario.of(
                        "testRightJoinWithRightNotPkNonEqui",
                        select("a1, b1", AGGREGATED_A, "RIGHT JOIN", "B", greater),
                        rights),
                Scenario.of(
                        "testRightJoinWithPkNonEqui",
                        select(
                                "a1, a2, b1, b2",
                                AGGREGATED_A,
                                "RIGHT JOIN",
                                AGGREGATED_B,
                                greaterKey),
                        rightSums),
                Scenario.of(
                        "testFullJoinNonEqui",
                        select("a1, b1", "A", "FULL JOIN", "B", greater),
                        rows(rights, lefts)),
                Scenario.of(
                        "testFullJoinWithEqualPkNonEqui",
                        select("a1, b1", AGGREGATED_A, "FULL JOIN", AGGREGATED_B, greater),
                        rows(keys, lefts)),
                Scenario.of(
                        "testFullJoinWithFullNotPkNonEqui",
                        select("a1, b1", AGGREGATED_A, "FULL JOIN", "B", greater),
                        rows(rights, lefts)),
                Scenario.of(
                        "testFullJoinWithPkNonEqui",
                        select(
                                "a1, a2, b1, b2",
                                AGGREGATED_A,
                                "FULL JOIN",
                                AGGREGATED_B,
                                greaterKey),
                        rows(leftSums, rightSums)));
    }

    private static Stream<Scenario> pushedDownFilters() {
        String[] matched = {"2,1.0,2,2,3.0,2", "3,3.0,1,3,2.0,1", "6,null,1,6,null,1"};
        String[] twos = rows("2,1.0,2,3.0 x4");
        String name = "testJoinWithFilterPushDown, ";
        String counts = select("*", LEFT_COUNTS, "%s", RIGHT_COUNTS, "a = c AND c1 = c2");
        return Stream.of(
                Scenario.of(name + "1", String.format(counts, "JOIN") + " WHERE a >= 2", matched),
                Scenario.of(
                        name + "2", String.format(counts, "LEFT JOIN") + " WHERE a >= 2", matched),
                Scenario.of(
                        name + "3", String.format(counts, "LEFT JOIN") + " WHERE c >= 2", matched),
                Scenario.of(
                        name + "4", String.format(counts, "RIGHT JOIN") + " WHERE a >= 2", matched),
                Scenario.of(
                        name + "5",
                        String.format(counts, "RIGHT JOIN") + " WHERE c >= 2",
                        rows(matched, "null,null,null,4,1.0,1")),
                Scenario.of(
                        name + "6",
                        "SELECT * FROM l LEFT JOIN r ON a = c WHERE c = 3",
                        "3,3.0,3,2.0"),
                Scenario.of(
                        name + "7",
                        "SELECT * FROM l LEFT JOIN r ON a = c WHERE c IS NULL",
                        "1,2.0,null,null",
                        "1,2.0,null,null",
                        "null,5.0,null,null",
                        "null,null,null,null"),
                Scenario.of(
                        name + "8",
                        "SELECT * FROM l LEFT JOIN r ON a = c WHERE c IS NULL AND a <= 1",
                        "1,2.0,null,null",
                        "1,2.0,null,null"),
                Scenario.of(
                        name + "9",
                        "SELECT * FROM l LEFT JOIN r ON a = c WHERE c < 3 AND a <= 3",
                        twos),
                Scenario.of(
                        name + "10",
                        "SELECT * FROM l LEFT JOIN r ON a = c WHERE c <> 3 AND a <= 3",
                        twos));
    }

    private static Stream<Scenario> pushedDownConditions() {
        String[] matched = {"2,1.0,2,2,3.0,2", "3,3.0,1,3,2.0,1", "6,null,1,6,null,1"};
        String[] left = rows(matched, "1,2.0,2,null,null,null", "null,5.0,2,null,null,null");
        String[] right = rows(matched, "null,null,null,4,1.0,1", "null,null,null,null,5.0,2");
        String name = "testJoinWithJoinConditionPushDown, ";
        String counts = select("*", LEFT_COUNTS, "%s", RIGHT_COUNTS, "a = c AND c1 = c2 AND %s");
        return Stream.of(
                Scenario.of(name + "1", String.format(counts, "JOIN", "a >= 2"), matched),
                Scenario.of(name + "2", String.format(counts, "LEFT JOIN", "a >= 2"), left),
                Scenario.of(name + "3", String.format(counts, "LEFT JOIN", "c >= 2"), left),
                Scenario.of(name + "4", String.format(counts, "RIGHT JOIN", "a >= 2"), right),
                Scenario.of(name + "5", String.format(counts, "RIGHT JOIN", "c >= 2"), right));
    }

    private static Stream<Scenario> semiJoins() {
        return Stream.of(
                Scenario.of(
                        "testGenericSemiJoin",
                        "SELECT * FROM A WHERE a1 IN (SELECT d FROM few_hallos WHERE d < 3)",
                        "1,1,Hi",
                        "2,2,Hello"),
                Scenario.of(
                        "testSemiJoinWithOneSideRetraction",
                        "SELECT n FROM sums WHERE n IN (SELECT SUM(n) FROM parts GROUP BY letter)",
                        "1",
                        "2",
                        "10",
                        "6",
                        "8"),
                Scenario.of(
                        "testSemiJoinWithRetractTwoSidesRetraction",
                        "SELECT n FROM (SELECT SUM(n) AS n FROM other_parts GROUP BY letter)"
                                + " WHERE n IN (SELECT SUM(n) FROM other_parts GROUP BY letter)",
                        "1",
                        "2",
                        "10",
                        "6",
                        "8"),
                Scenario.of(
                        "testSemiJoin",
                        "SELECT * FROM A WHERE a1 IN (SELECT b1 FROM B)",
                        "1,1,Hi",
                        "2,2,Hello",
                        "3,2,Hello world"),
                Scenario.of(
                        "testSemiJoinNonEqui",
                        "SELECT * FROM A WHERE a1 IN (SELECT b1 FROM B WHERE a2 < b2)",
                        "2,2,Hello",
                        "3,2,Hello world"),
                Scenario.of(
                        "testSemiJoinWithEqualPkNonEqui",
                        "SELECT * FROM "
                                + AGGREGATED_A
                                + " WHERE a1 IN (SELECT b1 FROM "
                                + AGGREGATED_B
                                + " WHERE a2 < b2)",
                        "2,3",
                        "2,2"),
                Scenario.of(
                        "testSemiJoinWithRightNotPkNonEqui",
                        "SELECT * FROM "
                                + AGGREGATED_A
                                + " WHERE a1 IN (SELECT b1 FROM B WHERE a2 < b2)",
                        "2,3",
                        "2,2"),
                Scenario.of(
                        "testSemiJoinWithPkNonEqui",
                        "SELECT * FROM "
                                + AGGREGATED_A
                                + " WHERE a2 IN (SELECT b2 FROM "
                                + AGGREGATED_B
                                + " WHERE a1 > b1)"),
                Scenario.of(
                        "testStreamExistsWithoutEqual",
                        "SELECT * FROM scott_dept AS d"
                                + " WHERE EXISTS (SELECT 1 FROM scott_emp WHERE empno > d.deptno)"
                                + " AND EXISTS (SELECT 0 FROM scott_emp"
                                + " WHERE deptno = d.deptno AND ename = 'SMITH')",
                        "20,RESEARCH,DALLAS"));
    }

    private static Stream<Scenario> antiJoins() {
        return Stream.of(
                Scenario.of(
                        "testGenericAntiJoin",
                        "SELECT f FROM few_hallos"
                                + " WHERE NOT EXISTS (SELECT * FROM A WHERE e = a2)",
                        "2",
                        "3",
                        "4",
                        "5"),
                Scenario.of(
                        "testAntiJoinWithOneSideRetraction",
                        "SELECT * FROM more_sums s WHERE NOT EXISTS (SELECT n FROM"
                                + " (SELECT SUM(n) AS n FROM parts GROUP BY letter) p"
                                + " WHERE s.n = p.n)",
                        "11,f"),
                Scenario.of(
                        "testAntiJoinWithTwoSidesRetraction",
                        "SELECT * FROM (SELECT SUM(n) AS n, letter FROM left_parts GROUP BY letter)"
                                + " s WHERE NOT EXISTS (SELECT n FROM"
                                + " (SELECT SUM(n) AS n FROM right_parts GROUP BY letter) p"
                                + " WHERE s.n = p.n)",
                        "8,f"),
                Scenario.of(
                        "testAntiJoin",
                        "SELECT * FROM A WHERE NOT EXISTS (SELECT b1 FROM B WHERE a1 = b1)"),
                Scenario.of(
                        "testAntiJoinNonEqui",
                        "SELECT * FROM A"
                                + " WHERE NOT EXISTS (SELECT b1 FROM B WHERE a1 = b1 AND a2 < b2)",
                        "1,1,Hi"),
                Scenario.of(
                        "testAntiJoinWithEqualPkNonEqui",
                        "SELECT * FROM "
                                + AGGREGATED_A
                                + " WHERE NOT EXISTS (SELECT b1 FROM "
                                + AGGREGATED_B
                                + " WHERE a1 = b1 AND a2 < b2)",
                        "1,1"),
                Scenario.of(
                        "testAntiJoinWithRightNotPkNonEqui",
                        "SELECT * FROM "
                                + AGGREGATED_A
                                + " WHERE NOT EXISTS (SELECT b1 FROM B WHERE a1 = b1 AND a2 > b2)",
                        "2,2",
                        "1,1",
                        "2,3"),
                Scenario.of(
                        "testAntiJoinWithPkNonEqui",
                        "SELECT * FROM "
                                + AGGREGATED_A
                                + " WHERE NOT EXISTS (SELECT b2 FROM "
                                + AGGREGATED_B
                                + " WHERE a2 = b2 AND a1 > b1)",
                        "1,1",
                        "2,3",
                        "2,2"),
                Scenario.of(
                        "testStreamNotInWithoutEqual",
                        "SELECT pk FROM twice WHERE pk NOT IN (SELECT pk FROM twice WHERE pk > 3)",
                        rows("1 x2", "2 x2", "3 x2")),
                Scenario.of(
                        "testStreamNotExistsWithoutEqual",
                        "SELECT pk FROM twice WHERE NOT EXISTS"
                                + " (SELECT 1 FROM from_five WHERE from_five.pk < twice.pk)",
                        rows("1 x2", "2 x2", "3 x2", "4 x2", "5 x2")),
                Scenario.of(
                        "testExistsWithUncorrelated_ComplexCondition",
                        "SELECT a + 10, c FROM texts"
                                + " WHERE b > 10 AND NOT (c LIKE 'abc' OR NOT EXISTS"
                                + " (SELECT pk FROM once))",
                        "14,Hello World!"));
    }

    private static String nullable(String table, String alias) {
        return String.format(NULLABLE, table, alias);
    }

    private static String select(
            String columns, String left, String join, String right, String condition) {
        return "SELECT " + columns + " FROM " + left + " " + join + " " + right + " ON "
                + condition;
    }

    /** {@code "a x3"} is the row {@code a} three times. */
    private static String[] rows(String... rows) {
        List<String> all = new ArrayList<>();
        for (String row : rows) {
            String[] parts = row.split(" x");
            int times = parts.length == 1 ? 1 : Integer.parseInt(parts[1]);
            for (int i = 0; i < times; i++) {
                all.add(parts[0]);
            }
        }
        return all.toArray(new String[0]);
    }

    private static String[] rows(String[] first, String... second) {
        return Stream.of(first, second).flatMap(Stream::of).toArray(String[]::new);
    }

    private static void assertResults(Group group, String backend, Map<String, String> options)
            throws Exception {
        Map<String, String> accelerated = new HashMap<>(options);
        accelerated.put(StateAccelOptions.ENABLED.key(), "true");
        ScenarioJob job = new ScenarioJob(group.scenarios.get().toList(), backend, accelerated);

        assertThat(job.plan()).contains(":MiniBatchJoin(").doesNotContain(":Join(");
        job.assertResults();
    }
}
