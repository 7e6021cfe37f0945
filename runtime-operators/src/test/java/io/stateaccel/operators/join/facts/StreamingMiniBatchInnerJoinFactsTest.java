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

import io.stateaccel.operators.join.JoinScenario.Operator;
import io.stateaccel.operators.join.JoinScenario.UniqueKey;
import java.util.List;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** As {@link StreamingMiniBatchJoinFactsTest}, of inner joins. */
class StreamingMiniBatchInnerJoinFactsTest {

    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void innerJoinWithNothingToFold(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.INNER, UniqueKey.JOIN_KEY, 4)) {
            join.left("+I Ord#1, LineOrd#1, 1 Bellevue", "+I Ord#1, LineOrd#2, 2 Bellevue")
                    .right("+I Ord#Y, LineOrd#1, TRUCK")
                    .emitsNothing()
                    .right("+I Ord#X, LineOrd#2, AIR")
                    .emits(
                            "+I Ord#1, LineOrd#1, 1 Bellevue, Ord#Y, LineOrd#1, TRUCK",
                            "+I Ord#1, LineOrd#2, 2 Bellevue, Ord#X, LineOrd#2, AIR");
        }
    }

    /** The pair of line 1 is new; with which of the two kinds of the bundle it is, is free. */
    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void innerJoinFoldsWithinABundleByJoinKey(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.INNER, UniqueKey.JOIN_KEY, 18)) {
            join.left("+I Ord#1, LineOrd#1, 3 Bellevue", "+U Ord#2, LineOrd#1, 4 Bellevue")
                    .right("+I Ord#X, LineOrd#7, RAILWAY")
                    .left(
                            "+U Ord#5, LineOrd#5, 7 Bellevue",
                            "+U Ord#x5, LineOrd#5, x3 Bellevue",
                            "+I Ord#i, LineOrd#6, i6 Bellevue")
                    .right("-D Ord#X, LineOrd#7, RAILWAY")
                    .left(
                            "+U Ord#3, LineOrd#x3, x5 Bellevue",
                            "-D Ord#3, LineOrd#x3, 14y0 Bellevue")
                    .right("+U Ord#X, LineOrd#7, AIR")
                    .left("+I Ord#4, LineOrd#4, 6 Bellevue")
                    .emitsNothing()
                    .right(
                            "-U Ord#X, LineOrd#7, AIR",
                            "+I Ord#X, LineOrd#2, AIR",
                            "-U Ord#X, LineOrd#2, AIR",
                            "+I Ord#X, LineOrd#1, AIR",
                            "-U Ord#Y, LineOrd#5, TRUCK",
                            "+I Ord#Y, LineOrd#6, RAILWAY",
                            "-D Ord#Z, LineOrd#4, RAILWAY")
                    .amountsTo(
                            "+I Ord#i, LineOrd#6, i6 Bellevue, Ord#Y, LineOrd#6, RAILWAY",
                            "+U Ord#2, LineOrd#1, 4 Bellevue, Ord#X, LineOrd#1, AIR");
        }
    }

    /**
     * Flink emits a pair of order 9, of order 3 and of order 4 that is replaced or was never there,
     * and does not say that the pair of order 1 is gone for good. Which of the two kinds of a
     * bundle a new pair has is free.
     */
    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void innerJoinFoldsAcrossBundlesByJoinKey(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.INNER, UniqueKey.JOIN_KEY, 10)) {
            join.left("+I Ord#1, LineOrd#1, 3 Bellevue", "+I Ord#1, LineOrd#1, 3 Bellevue")
                    .right("+I Ord#Y, LineOrd#4, TRUCK")
                    .left(
                            "+I Ord#4, LineOrd#4, 6 Bellevue",
                            "+I Ord#5, LineOrd#5, 7 Bellevue",
                            "-U Ord#5, LineOrd#5, 7 Bellevue",
                            "-U Ord#9, LineOrd#9, 11 Bellevue")
                    .emitsNothing()
                    .right(
                            "+I Ord#X, LineOrd#9, AIR",
                            "+U Ord#xyz, LineOrd#1, SHIP",
                            "-D Ord#Y, LineOrd#4, TRUCK")
                    .emitsInstead(
                            List.of(
                                    "-U Ord#9, LineOrd#9, 11 Bellevue, Ord#X, LineOrd#9, AIR",
                                    "+I Ord#1, LineOrd#1, 3 Bellevue, Ord#xyz, LineOrd#1, SHIP"),
                            List.of("+U Ord#1, LineOrd#1, 3 Bellevue, Ord#xyz, LineOrd#1, SHIP"));
            join.left("+U Ord#adjust, LineOrd#4, 14 Bellevue", "+U Ord#18, LineOrd#9, 22 Bellevue")
                    .right(
                            "-D Ord#X, LineOrd#x3, AIR",
                            "-U Ord#xyz, LineOrd#1, SHIP",
                            "+I Ord#Y, LineOrd#4, TRUCK")
                    .left(
                            "+U Ord#14, LineOrd#4, 18 Bellevue",
                            "-D Ord#3, LineOrd#x3, x5 Bellevue",
                            "+I Ord#3, LineOrd#x3, x5 Bellevue",
                            "+I Ord#10, LineOrd#100y, 14y0 Bellevue")
                    .emitsNothing()
                    .right("+U Ord#101, LineOrd#x3, AIR")
                    .emitsInstead(
                            List.of(
                                    "+I Ord#4, LineOrd#4, 6 Bellevue, Ord#Y, LineOrd#4, TRUCK",
                                    "-U Ord#1, LineOrd#1, 3 Bellevue, Ord#xyz, LineOrd#1, SHIP",
                                    "-D Ord#3, LineOrd#x3, x5 Bellevue, Ord#101, LineOrd#x3, AIR",
                                    "+I Ord#3, LineOrd#x3, x5 Bellevue, Ord#101, LineOrd#x3, AIR",
                                    "+U Ord#18, LineOrd#9, 22 Bellevue, Ord#X, LineOrd#9, AIR",
                                    "+U Ord#14, LineOrd#4, 18 Bellevue, Ord#Y, LineOrd#4, TRUCK"),
                            List.of(
                                    "-D Ord#1, LineOrd#1, 3 Bellevue, Ord#xyz, LineOrd#1, SHIP",
                                    "+U Ord#3, LineOrd#x3, x5 Bellevue, Ord#101, LineOrd#x3, AIR",
                                    "+U Ord#18, LineOrd#9, 22 Bellevue, Ord#X, LineOrd#9, AIR",
                                    "+I Ord#14, LineOrd#4, 18 Bellevue, Ord#Y, LineOrd#4, TRUCK"));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void innerJoinFoldsWithinABundleByUniqueKey(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.INNER, UniqueKey.FIRST_COLUMN, 13)) {
            join.left(
                            "+I Ord#1, LineOrd#1, 3 Bellevue",
                            "+I Ord#2, LineOrd#2, 4 Bellevue",
                            "+I Ord#3, LineOrd#10, 5 Bellevue",
                            "+U Ord#3, LineOrd#10, xxx Bellevue",
                            "+U Ord#5, LineOrd#5, 7 Bellevue",
                            "+I Ord#6, LineOrd#5, 8 Bellevue",
                            "-U Ord#1, LineOrd#1, 3 Bellevue",
                            "-D Ord#6, LineOrd#5, 7 Bellevue",
                            "-U Ord#12, LineOrd#4, 6 Bellevue",
                            "+U Ord#9, LineOrd#3, 5 Bellevue",
                            "-D Ord#9, LineOrd#3, 5 Bellevue")
                    .emitsNothing()
                    .right("+I Ord#5, LineOrd#2, SHIP", "+U Ord#6, LineOrd#5, AIR")
                    .amountsTo(
                            "+U Ord#5, LineOrd#5, 7 Bellevue, Ord#6, LineOrd#5, AIR",
                            "+I Ord#2, LineOrd#2, 4 Bellevue, Ord#5, LineOrd#2, SHIP");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void innerJoinFoldsAcrossBundlesByUniqueKey(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.INNER, UniqueKey.FIRST_COLUMN, 8)) {
            join.left("-U Ord#1, LineOrd#1, 3 Bellevue", "+U Ord#2, LineOrd#2, 4 Bellevue")
                    .right("+I Ord#5, LineOrd#5, SHIP")
                    .left("+I Ord#4, LineOrd#4, 5 Bellevue", "+U Ord#4, LineOrd#4, 6 Bellevue")
                    .right("+U Ord#22, LineOrd#4, SHIP", "+I Ord#23, LineOrd#10, AIR")
                    .emitsNothing()
                    .left("+U Ord#4, LineOrd#4, xxx Bellevue")
                    .amountsTo("+U Ord#4, LineOrd#4, xxx Bellevue, Ord#22, LineOrd#4, SHIP");
            // The bundle also takes line 5 of order 5 away, before which the two are joined.
            join.left("+I Ord#5, LineOrd#5, 7 Bellevue", "-U Ord#6, LineOrd#6, 8 Bellevue")
                    .right("+I Ord#21, LineOrd#5, RAILWAY", "+I Ord#1, LineOrd#5, TRUCK")
                    .left("+U Ord#6, LineOrd#6, 8 Bellevue", "-D Ord#2, LineOrd#2, 4 Bellevue")
                    .right("-U Ord#5, LineOrd#5, SHIP")
                    .emitsNothing()
                    .right("-D Ord#22, LineOrd#6, AIR")
                    .amountsTo(
                            "+I Ord#5, LineOrd#5, 7 Bellevue, Ord#21, LineOrd#5, RAILWAY",
                            "+I Ord#5, LineOrd#5, 7 Bellevue, Ord#1, LineOrd#5, TRUCK");
        }
    }

    /**
     * Rows are taken back before they come. Flink drops such a pair of changes; with ours taking
     * back what is not there does nothing, as in Flink's join that works row by row.
     */
    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void innerJoinWithoutUniqueKeyWithinABundle(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.INNER, UniqueKey.NONE, 20)) {
            join.right(
                            "+I Ord#1, LineOrd#1, 3 Bellevue",
                            "+I Ord#1, LineOrd#2, 4 Bellevue",
                            "+I Ord#1, LineOrd#2, 4 Bellevue",
                            "-D Ord#6, LineOrd#6, 8 Bellevue",
                            "+I Ord#1, LineOrd#1, 3 Bellevue",
                            "+I Ord#3, LineOrd#3, 5 Bellevue",
                            "-U Ord#3, LineOrd#3, 5 Bellevue",
                            "-U Ord#9, LineOrd#9, 11 Bellevue",
                            "+U Ord#10, LineOrd#10, 14 Bellevue",
                            "+U Ord#18, LineOrd#18, 22 Bellevue",
                            "-D Ord#1, LineOrd#2, 4 Bellevue",
                            "+U Ord#9, LineOrd#9, 11 Bellevue",
                            "-D Ord#6, LineOrd#6, 8 Bellevue",
                            "+I Ord#6, LineOrd#6, 8 Bellevue")
                    .left(
                            "+I Ord#1, LineOrd#1, AIR",
                            "+U Ord#1, LineOrd#2, SHIP",
                            "-U Ord#1, LineOrd#2, RAILWAY",
                            "+I Ord#1, LineOrd#2, RAILWAY",
                            "-D Ord#6, LineOrd#6, RAILWAY",
                            "+I Ord#6, LineOrd#6, RAILWAY")
                    .emitsInstead(
                            List.of(
                                    "+I Ord#1, LineOrd#1, AIR, Ord#1, LineOrd#1, 3 Bellevue",
                                    "+I Ord#1, LineOrd#1, AIR, Ord#1, LineOrd#1, 3 Bellevue",
                                    "+U Ord#1, LineOrd#2, SHIP, Ord#1, LineOrd#2, 4 Bellevue"),
                            List.of(
                                    "+I Ord#1, LineOrd#1, AIR, Ord#1, LineOrd#1, 3 Bellevue",
                                    "+I Ord#1, LineOrd#1, AIR, Ord#1, LineOrd#1, 3 Bellevue",
                                    "+I Ord#1, LineOrd#2, SHIP, Ord#1, LineOrd#2, 4 Bellevue",
                                    "+I Ord#1, LineOrd#2, RAILWAY, Ord#1, LineOrd#2, 4 Bellevue",
                                    "+I Ord#6, LineOrd#6, RAILWAY, Ord#6, LineOrd#6, 8 Bellevue"));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK_MINI_BATCH", "OURS"})
    void innerJoinWithoutUniqueKeyAcrossBundles(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.INNER, UniqueKey.NONE, 6)) {
            join.left("+I Ord#1, LineOrd#2, 4 Bellevue")
                    .right("+I Ord#1, LineOrd#1, AIR")
                    .left("+I Ord#1, LineOrd#2, 4 Bellevue", "-D Ord#6, LineOrd#6, 8 Bellevue")
                    .right("+U Ord#1, LineOrd#2, SHIP")
                    .emitsNothing()
                    .left("+I Ord#3, LineOrd#3, 5 Bellevue")
                    .amountsTo(
                            "+I Ord#1, LineOrd#2, 4 Bellevue, Ord#1, LineOrd#2, SHIP",
                            "+I Ord#1, LineOrd#2, 4 Bellevue, Ord#1, LineOrd#2, SHIP");
            join.left("-U Ord#1, LineOrd#2, 4 Bellevue", "+U Ord#1, LineOrd#2, 4 Bellevue")
                    .right("+I Ord#1, LineOrd#3, AIR")
                    .left("-D Ord#6, LineOrd#1, 8 Bellevue")
                    .right("-D Ord#1, LineOrd#2, SHIP")
                    .left("+I Ord#1, LineOrd#2, 4 Bellevue")
                    .amountsTo(
                            "+I Ord#3, LineOrd#3, 5 Bellevue, Ord#1, LineOrd#3, AIR",
                            "-D Ord#1, LineOrd#2, 4 Bellevue, Ord#1, LineOrd#2, SHIP",
                            "-D Ord#1, LineOrd#2, 4 Bellevue, Ord#1, LineOrd#2, SHIP",
                            "-D Ord#6, LineOrd#1, 8 Bellevue, Ord#1, LineOrd#1, AIR");
        }
    }
}
