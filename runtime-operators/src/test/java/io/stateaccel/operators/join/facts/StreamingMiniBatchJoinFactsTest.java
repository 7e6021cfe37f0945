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
package io.stateaccel.operators.join.facts;

import static io.stateaccel.operators.join.facts.LinesOfOrders.join;

import io.stateaccel.operators.join.JoinScenario;
import io.stateaccel.operators.join.JoinScenario.Operator;
import io.stateaccel.operators.join.JoinScenario.UniqueKey;
import java.util.List;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What Flink's own {@code StreamingMiniBatchJoinOperatorTest} feeds outer joins, and expects:
 * orders {@code (order, line, address)} joined with lines {@code (order, line, mode)} on {@code
 * line}, in bundles of the same sizes. Where Flink emits what another change of the bundle undoes,
 * ours folds more: {@link JoinScenario#amountsTo}. Upstream also feeds changelogs that are not
 * valid, of which the two make different things: {@link JoinScenario#emitsInstead}.
 */
class StreamingMiniBatchJoinFactsTest {

    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void leftJoinWhenTheLeftRowsComeFirst(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.LEFT, UniqueKey.NONE, 3)) {
            join.left("+I Ord#1, LineOrd#2, 3 Bellevue", "+I Ord#i, LineOrd#6, i6 Bellevue")
                    .emitsNothing()
                    .right("+I Ord#X, LineOrd#2, AIR")
                    .emits(
                            "+I Ord#i, LineOrd#6, i6 Bellevue, null, null, null",
                            "+I Ord#1, LineOrd#2, 3 Bellevue, Ord#X, LineOrd#2, AIR");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void leftJoinWhenTheLeftRowsComeFirstOneByOne(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.LEFT, UniqueKey.NONE, 1)) {
            join.left("+I Ord#1, LineOrd#2, 3 Bellevue", "+I Ord#i, LineOrd#6, i6 Bellevue")
                    .right("+I Ord#X, LineOrd#2, AIR")
                    .emits(
                            "+I Ord#1, LineOrd#2, 3 Bellevue, null, null, null",
                            "+I Ord#i, LineOrd#6, i6 Bellevue, null, null, null",
                            "-D Ord#1, LineOrd#2, 3 Bellevue, null, null, null",
                            "+I Ord#1, LineOrd#2, 3 Bellevue, Ord#X, LineOrd#2, AIR");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void rightJoinWhenTheRightRowComesFirst(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.RIGHT, UniqueKey.NONE, 3)) {
            join.right("+I Ord#X, LineOrd#2, AIR")
                    .left("+I Ord#1, LineOrd#2, 3 Bellevue")
                    .emitsNothing()
                    .left("+I Ord#i, LineOrd#6, i6 Bellevue")
                    .emits("+I Ord#1, LineOrd#2, 3 Bellevue, Ord#X, LineOrd#2, AIR");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void rightJoinWhenTheRightRowComesFirstOneByOne(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.RIGHT, UniqueKey.NONE, 1)) {
            join.right("+I Ord#X, LineOrd#2, AIR")
                    .left("+I Ord#1, LineOrd#2, 3 Bellevue", "+I Ord#i, LineOrd#6, i6 Bellevue")
                    .emits(
                            "+I null, null, null, Ord#X, LineOrd#2, AIR",
                            "-D null, null, null, Ord#X, LineOrd#2, AIR",
                            "+I Ord#1, LineOrd#2, 3 Bellevue, Ord#X, LineOrd#2, AIR");
        }
    }

    /** Ours does not pad a row whose match comes in the same bundle. */
    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void fullJoinWhenTheRightRowComesFirst(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.FULL, UniqueKey.NONE, 3)) {
            join.right("+I Ord#X, LineOrd#2, AIR")
                    .left("+I Ord#1, LineOrd#2, 3 Bellevue")
                    .emitsNothing()
                    .left("+I Ord#i, LineOrd#6, i6 Bellevue")
                    .amountsTo(
                            "+I null, null, null, Ord#X, LineOrd#2, AIR",
                            "+I Ord#i, LineOrd#6, i6 Bellevue, null, null, null",
                            "-D null, null, null, Ord#X, LineOrd#2, AIR",
                            "+I Ord#1, LineOrd#2, 3 Bellevue, Ord#X, LineOrd#2, AIR");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void fullJoinWhenTheRightRowComesFirstOneByOne(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.FULL, UniqueKey.NONE, 1)) {
            join.right("+I Ord#X, LineOrd#2, AIR")
                    .left("+I Ord#1, LineOrd#2, 3 Bellevue", "+I Ord#i, LineOrd#6, i6 Bellevue")
                    .emits(
                            "+I null, null, null, Ord#X, LineOrd#2, AIR",
                            "-D null, null, null, Ord#X, LineOrd#2, AIR",
                            "+I Ord#1, LineOrd#2, 3 Bellevue, Ord#X, LineOrd#2, AIR",
                            "+I Ord#i, LineOrd#6, i6 Bellevue, null, null, null");
        }
    }

    /** See {@link #leftJoinByUniqueKey}; here it is line x3 that comes and goes. */
    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void leftJoinByJoinKey(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.LEFT, UniqueKey.JOIN_KEY, 10)) {
            join.left(
                            "+I Ord#1, LineOrd#1, 3 Bellevue",
                            "+U Ord#2, LineOrd#1, 4 Bellevue",
                            "+I Ord#i, LineOrd#6, i6 Bellevue",
                            "+U Ord#3, LineOrd#x3, x5 Bellevue",
                            "-D Ord#3, LineOrd#x3, 14y0 Bellevue",
                            "+I Ord#4, LineOrd#4, 6 Bellevue")
                    .emitsNothing()
                    .right(
                            "+I Ord#X, LineOrd#2, AIR",
                            "-U Ord#X, LineOrd#2, AIR",
                            "+I Ord#X, LineOrd#1, AIR",
                            "+I Ord#Y, LineOrd#6, RAILWAY")
                    .emitsInstead(
                            List.of(
                                    "+I Ord#i, LineOrd#6, i6 Bellevue, Ord#Y, LineOrd#6, RAILWAY",
                                    "+I Ord#4, LineOrd#4, 6 Bellevue, null, null, null",
                                    "+I Ord#2, LineOrd#1, 4 Bellevue, Ord#X, LineOrd#1, AIR"),
                            List.of(
                                    "+I Ord#i, LineOrd#6, i6 Bellevue, Ord#Y, LineOrd#6, RAILWAY",
                                    "+I Ord#3, LineOrd#x3, x5 Bellevue, null, null, null",
                                    "-D Ord#3, LineOrd#x3, 14y0 Bellevue, null, null, null",
                                    "+I Ord#4, LineOrd#4, 6 Bellevue, null, null, null",
                                    "+I Ord#2, LineOrd#1, 4 Bellevue, Ord#X, LineOrd#1, AIR"));
            join.right(
                            "-U Ord#Y, LineOrd#6, RAILWAY",
                            "+U Ord#UU, LineOrd#6, SHIP",
                            "+I Ord#X, LineOrd#3, AIR",
                            "+I Ord#X, LineOrd#2, AIR",
                            "+I Ord#X, LineOrd#7, AIR",
                            "+I Ord#X, LineOrd#8, AIR",
                            "+I Ord#X, LineOrd#9, AIR",
                            "+I Ord#X, LineOrd#10, AIR",
                            "+I Ord#X, LineOrd#11, AIR",
                            "-U Ord#X, LineOrd#1, AIR")
                    .amountsTo(
                            "-U Ord#i, LineOrd#6, i6 Bellevue, Ord#Y, LineOrd#6, RAILWAY",
                            "+I Ord#i, LineOrd#6, i6 Bellevue, Ord#UU, LineOrd#6, SHIP",
                            "-U Ord#2, LineOrd#1, 4 Bellevue, Ord#X, LineOrd#1, AIR",
                            "+I Ord#2, LineOrd#1, 4 Bellevue, null, null, null");
        }
    }

    /**
     * Order 6 comes and goes within a bundle. An upsert does not say whether the key has a row from
     * before, which ours takes away to be sure: it emits the row and its deletion, as Flink's join
     * without bundles does. Flink forgets both, and with them a row from before (FLINK-40681).
     */
    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void leftJoinByUniqueKey(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.LEFT, UniqueKey.FIRST_COLUMN, 4)) {
            join.left(
                            "+I Ord#1, LineOrd#1, 3 Bellevue",
                            "+I Ord#2, LineOrd#2, 4 Bellevue",
                            "+I Ord#3, LineOrd#10, 5 Bellevue",
                            "+U Ord#3, LineOrd#10, xxx Bellevue",
                            "+U Ord#5, LineOrd#5, 7 Bellevue",
                            "+I Ord#6, LineOrd#5, 8 Bellevue",
                            "-U Ord#1, LineOrd#1, 3 Bellevue",
                            "-D Ord#6, LineOrd#5, 7 Bellevue",
                            "+U Ord#6, LineOrd#7, 8 Bellevue",
                            "+U Ord#6, LineOrd#7, 9 Bellevue")
                    .emitsInstead(
                            List.of(
                                    "+I Ord#3, LineOrd#10, xxx Bellevue, null, null, null",
                                    "+I Ord#1, LineOrd#1, 3 Bellevue, null, null, null",
                                    "+I Ord#2, LineOrd#2, 4 Bellevue, null, null, null",
                                    "-D Ord#1, LineOrd#1, 3 Bellevue, null, null, null",
                                    "+I Ord#5, LineOrd#5, 7 Bellevue, null, null, null"),
                            List.of(
                                    "+I Ord#3, LineOrd#10, xxx Bellevue, null, null, null",
                                    "+I Ord#1, LineOrd#1, 3 Bellevue, null, null, null",
                                    "+I Ord#2, LineOrd#2, 4 Bellevue, null, null, null",
                                    "-D Ord#1, LineOrd#1, 3 Bellevue, null, null, null",
                                    "+I Ord#5, LineOrd#5, 7 Bellevue, null, null, null",
                                    "+I Ord#6, LineOrd#5, 8 Bellevue, null, null, null",
                                    "-D Ord#6, LineOrd#5, 7 Bellevue, null, null, null"));
            join.right(
                            "+I Ord#5, LineOrd#2, SHIP",
                            "+U Ord#6, LineOrd#4, AIR",
                            "-U Ord#5, LineOrd#2, SHIP",
                            "+U Ord#5, LineOrd#2, TRUCK",
                            "+U Ord#7, LineOrd#0, AIR",
                            "+U Ord#8, LineOrd#11, AIR")
                    .amountsTo(
                            "-D Ord#2, LineOrd#2, 4 Bellevue, null, null, null",
                            "+I Ord#2, LineOrd#2, 4 Bellevue, Ord#5, LineOrd#2, SHIP",
                            "+I Ord#6, LineOrd#7, 9 Bellevue, null, null, null",
                            "-U Ord#2, LineOrd#2, 4 Bellevue, Ord#5, LineOrd#2, SHIP",
                            "+I Ord#2, LineOrd#2, 4 Bellevue, Ord#5, LineOrd#2, TRUCK");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "FLINK_MINI_BATCH, FIRST_COLUMN",
        "FLINK_MINI_BATCH, JOIN_KEY",
        "OURS, FIRST_COLUMN",
        "OURS, JOIN_KEY"
    })
    void leftJoinWhoseMatchIsUpdatedByTwoChanges(Operator operator, UniqueKey uniqueKey)
            throws Exception {
        try (var join = join(operator, FlinkJoinType.LEFT, uniqueKey, 2)) {
            join.left("+I Ord#2, LineOrd#2, 4 Bellevue")
                    .emitsNothing()
                    .right(
                            "+I Ord#2, LineOrd#2, SHIP",
                            "-U Ord#2, LineOrd#2, SHIP",
                            "+U Ord#2, LineOrd#2, AIR")
                    .amountsTo(
                            "+I Ord#2, LineOrd#2, 4 Bellevue, Ord#2, LineOrd#2, SHIP",
                            "-U Ord#2, LineOrd#2, 4 Bellevue, Ord#2, LineOrd#2, SHIP",
                            "+I Ord#2, LineOrd#2, 4 Bellevue, Ord#2, LineOrd#2, AIR");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "FLINK_MINI_BATCH, FIRST_COLUMN",
        "FLINK_MINI_BATCH, JOIN_KEY",
        "OURS, FIRST_COLUMN",
        "OURS, JOIN_KEY"
    })
    void leftJoinOfAdditionsOnly(Operator operator, UniqueKey uniqueKey) throws Exception {
        try (var join = join(operator, FlinkJoinType.LEFT, uniqueKey, 2)) {
            join.left("+I Ord#2, LineOrd#2, 4 Bellevue", "+U Ord#2, LineOrd#2, 5 Bellevue")
                    .emits("+I Ord#2, LineOrd#2, 5 Bellevue, null, null, null")
                    .right("+U Ord#2, LineOrd#2, SHIP", "+U Ord#2, LineOrd#2, AIR")
                    .emits(
                            "-D Ord#2, LineOrd#2, 5 Bellevue, null, null, null",
                            "+I Ord#2, LineOrd#2, 5 Bellevue, Ord#2, LineOrd#2, AIR");
        }
    }

    /**
     * Nothing that is taken back here has ever come. Of one key Flink keeps the last, ours the
     * first.
     */
    @ParameterizedTest
    @CsvSource({
        "FLINK_MINI_BATCH, FIRST_COLUMN",
        "FLINK_MINI_BATCH, JOIN_KEY",
        "OURS, FIRST_COLUMN",
        "OURS, JOIN_KEY"
    })
    void leftJoinOfRetractionsOnly(Operator operator, UniqueKey uniqueKey) throws Exception {
        try (var join = join(operator, FlinkJoinType.LEFT, uniqueKey, 2)) {
            join.left("-U Ord#2, LineOrd#2, 4 Bellevue", "-D Ord#2, LineOrd#2, 5 Bellevue")
                    .emitsInstead(
                            List.of("-D Ord#2, LineOrd#2, 5 Bellevue, null, null, null"),
                            List.of("-D Ord#2, LineOrd#2, 4 Bellevue, null, null, null"))
                    .right("-D Ord#2, LineOrd#2, SHIP", "-U Ord#2, LineOrd#2, AIR")
                    .emitsNothing();
        }
    }

    /**
     * In the last bundle the changes of order 5 are out of order. Flink drops them; ours says that
     * the order has no match, twice for whoever counts rows, once for whoever reads upserts. The
     * planner leaves outer joins whose matches are upserts stock.
     */
    @ParameterizedTest
    @CsvSource({
        "FLINK_MINI_BATCH, FIRST_COLUMN",
        "FLINK_MINI_BATCH, JOIN_KEY",
        "OURS, FIRST_COLUMN",
        "OURS, JOIN_KEY"
    })
    void leftJoinWhoseMatchIsUpdatedInManyWays(Operator operator, UniqueKey uniqueKey)
            throws Exception {
        try (var join = join(operator, FlinkJoinType.LEFT, uniqueKey, 4)) {
            join.left(
                            "+I Ord#2, LineOrd#2, 4 Bellevue",
                            "+U Ord#5, LineOrd#5, 7 Bellevue",
                            "+I Ord#0, LineOrd#4, 5 Bellevue",
                            "+U Ord#4, LineOrd#0, 6 Bellevue")
                    .emits(
                            "+I Ord#4, LineOrd#0, 6 Bellevue, null, null, null",
                            "+I Ord#0, LineOrd#4, 5 Bellevue, null, null, null",
                            "+I Ord#5, LineOrd#5, 7 Bellevue, null, null, null",
                            "+I Ord#2, LineOrd#2, 4 Bellevue, null, null, null");
            join.right(
                            "+I Ord#6, LineOrd#4, AIR",
                            "+U Ord#6, LineOrd#4, AIR",
                            "+U Ord#6, LineOrd#5, AIR",
                            "+U Ord#6, LineOrd#4, TRUCK")
                    .emits(
                            "-D Ord#0, LineOrd#4, 5 Bellevue, null, null, null",
                            "+I Ord#0, LineOrd#4, 5 Bellevue, Ord#6, LineOrd#4, TRUCK",
                            "-D Ord#5, LineOrd#5, 7 Bellevue, null, null, null",
                            "+I Ord#5, LineOrd#5, 7 Bellevue, Ord#6, LineOrd#5, AIR");
            join.right(
                            "-D Ord#6, LineOrd#4, TRUCK",
                            "+I Ord#6, LineOrd#4, TRUCK2",
                            "-D Ord#6, LineOrd#4, TRUCK3",
                            "+I Ord#6, LineOrd#4, AIR")
                    .emits(
                            "-D Ord#0, LineOrd#4, 5 Bellevue, Ord#6, LineOrd#4, TRUCK",
                            "+I Ord#0, LineOrd#4, 5 Bellevue, Ord#6, LineOrd#4, AIR");
            join.right(
                            "+I Ord#5, LineOrd#2, SHIP",
                            "+U Ord#5, LineOrd#2, TRUCK",
                            "-U Ord#5, LineOrd#2, SHIP",
                            "+U Ord#9, LineOrd#7, TRUCK")
                    .emitsInstead(
                            List.of(),
                            List.of(
                                    "+I Ord#2, LineOrd#2, 4 Bellevue, Ord#5, LineOrd#2, TRUCK",
                                    "-D Ord#2, LineOrd#2, 4 Bellevue, Ord#5, LineOrd#2, SHIP",
                                    "+I Ord#2, LineOrd#2, 4 Bellevue, null, null, null"));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void rightJoinByUniqueKey(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.RIGHT, UniqueKey.FIRST_COLUMN, 4)) {
            join.left(
                            "+I Ord#1, LineOrd#1, 3 Bellevue",
                            "+I Ord#2, LineOrd#2, 4 Bellevue",
                            "+U Ord#5, LineOrd#5, 7 Bellevue",
                            "+I Ord#6, LineOrd#5, 8 Bellevue",
                            "-U Ord#1, LineOrd#1, 3 Bellevue",
                            "-D Ord#6, LineOrd#5, 7 Bellevue")
                    .emitsNothing()
                    .right(
                            "+I Ord#5, LineOrd#2, SHIP",
                            "+U Ord#6, LineOrd#4, AIR",
                            "-U Ord#5, LineOrd#2, SHIP",
                            "+U Ord#5, LineOrd#2, TRUCK",
                            "+U Ord#7, LineOrd#0, AIR",
                            "+U Ord#8, LineOrd#11, AIR")
                    .amountsTo(
                            "+I null, null, null, Ord#6, LineOrd#4, AIR",
                            "+I Ord#2, LineOrd#2, 4 Bellevue, Ord#5, LineOrd#2, SHIP",
                            "+I null, null, null, Ord#7, LineOrd#0, AIR",
                            "+I null, null, null, Ord#8, LineOrd#11, AIR",
                            "-D Ord#2, LineOrd#2, 4 Bellevue, Ord#5, LineOrd#2, SHIP",
                            "+I Ord#2, LineOrd#2, 4 Bellevue, Ord#5, LineOrd#2, TRUCK");
        }
    }

    /**
     * Order 6 is deleted with another address than it was inserted with. Flink takes a padded row
     * back that it has not emitted.
     */
    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void fullJoinByUniqueKey(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.FULL, UniqueKey.FIRST_COLUMN, 4)) {
            join.left(
                            "+I Ord#1, LineOrd#1, 3 Bellevue",
                            "+I Ord#2, LineOrd#2, 4 Bellevue",
                            "+U Ord#5, LineOrd#5, 7 Bellevue",
                            "+I Ord#6, LineOrd#5, 8 Bellevue",
                            "-U Ord#1, LineOrd#1, 3 Bellevue",
                            "-D Ord#6, LineOrd#5, 7 Bellevue")
                    .emits(
                            "+I Ord#1, LineOrd#1, 3 Bellevue, null, null, null",
                            "+I Ord#6, LineOrd#5, 8 Bellevue, null, null, null",
                            "+I Ord#5, LineOrd#5, 7 Bellevue, null, null, null",
                            "+I Ord#2, LineOrd#2, 4 Bellevue, null, null, null");
            join.right(
                            "+I Ord#5, LineOrd#2, SHIP",
                            "+U Ord#6, LineOrd#4, AIR",
                            "-U Ord#5, LineOrd#2, SHIP",
                            "+U Ord#5, LineOrd#2, TRUCK",
                            "+U Ord#7, LineOrd#0, AIR",
                            "+U Ord#8, LineOrd#11, AIR")
                    .amountsTo(
                            "+I null, null, null, Ord#6, LineOrd#4, AIR",
                            "-D Ord#2, LineOrd#2, 4 Bellevue, null, null, null",
                            "+I Ord#2, LineOrd#2, 4 Bellevue, Ord#5, LineOrd#2, SHIP",
                            "-D Ord#1, LineOrd#1, 3 Bellevue, null, null, null",
                            "-D Ord#6, LineOrd#5, 7 Bellevue, null, null, null",
                            "+I null, null, null, Ord#7, LineOrd#0, AIR",
                            "+I null, null, null, Ord#8, LineOrd#11, AIR",
                            "-D Ord#2, LineOrd#2, 4 Bellevue, Ord#5, LineOrd#2, SHIP",
                            "+I Ord#2, LineOrd#2, 4 Bellevue, Ord#5, LineOrd#2, TRUCK");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void leftJoinWithoutUniqueKey(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.LEFT, UniqueKey.NONE, 15)) {
            join.right(
                            "+I Ord#1, LineOrd#1, 3 Bellevue",
                            "+I Ord#1, LineOrd#2, 4 Bellevue",
                            "+I Ord#1, LineOrd#2, 4 Bellevue",
                            "-D Ord#6, LineOrd#6, 8 Bellevue",
                            "+I Ord#3, LineOrd#3, 5 Bellevue",
                            "-U Ord#3, LineOrd#3, 5 Bellevue",
                            "-U Ord#9, LineOrd#9, 11 Bellevue",
                            "+U Ord#10, LineOrd#10, 14 Bellevue",
                            "-D Ord#1, LineOrd#2, 4 Bellevue",
                            "+U Ord#9, LineOrd#9, 11 Bellevue",
                            "-D Ord#6, LineOrd#6, 8 Bellevue",
                            "+I Ord#6, LineOrd#6, 8 Bellevue")
                    .left(
                            "+I Ord#1, LineOrd#1, AIR",
                            "+U Ord#1, LineOrd#3, SHIP",
                            "-D Ord#6, LineOrd#6, RAILWAY")
                    .amountsTo(
                            "-D Ord#6, LineOrd#6, RAILWAY, null, null, null",
                            "+I Ord#1, LineOrd#3, SHIP, null, null, null",
                            "+I Ord#1, LineOrd#1, AIR, Ord#1, LineOrd#1, 3 Bellevue");
        }
    }
}
