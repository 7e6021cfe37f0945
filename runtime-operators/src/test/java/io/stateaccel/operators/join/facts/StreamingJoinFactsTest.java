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

import io.stateaccel.operators.join.JoinScenario;
import io.stateaccel.operators.join.JoinScenario.Operator;
import io.stateaccel.operators.join.JoinScenario.Side;
import io.stateaccel.operators.join.JoinScenario.UniqueKey;
import io.stateaccel.views.join.InputChangelog;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What Flink's own {@code StreamingJoinOperatorTest} and {@code StreamingSemiAntiJoinOperatorTest}
 * feed and expect: orders {@code (order, line, address)} joined with lines {@code (line, mode)}, of
 * which there is one per key. Bundles of one row, so that every change is to be the same.
 */
class StreamingJoinFactsTest {

    @ParameterizedTest
    @EnumSource(names = {"FLINK", "OURS"})
    void innerJoinWhoseSidesHaveDifferentTtl(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.INNER, 4000, 1000)) {
            join.at(1)
                    .left("+I Ord#1, LineOrd#1, 3 Bellevue", "+I Ord#1, LineOrd#2, 3 Bellevue")
                    .emitsNothing()
                    .right("+I LineOrd#2, AIR")
                    .emits("+I Ord#1, LineOrd#2, 3 Bellevue, LineOrd#2, AIR");
            // The right side of line 2 has expired.
            join.at(3000)
                    .left("+U Ord#1, LineOrd#2, 68 Manor")
                    .emitsNothing()
                    .right("+U LineOrd#2, SHIP")
                    .emits("+U Ord#1, LineOrd#2, 68 Manor, LineOrd#2, SHIP");
            // The left side of line 1 has expired.
            join.at(4001)
                    .right("+I LineOrd#1, TRUCK")
                    .emitsNothing()
                    .right("-D LineOrd#2, SHIP")
                    .emits("-D Ord#1, LineOrd#2, 68 Manor, LineOrd#2, SHIP");
            // The left side of line 2 has expired.
            join.at(7000).right("+I LineOrd#2, RAIL").emitsNothing();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK", "OURS"})
    void innerJoinWhoseSidesHaveTheSameTtl(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.INNER, 4000, 4000)) {
            join.at(1)
                    .left("+I Ord#1, LineOrd#1, 3 Bellevue", "+I Ord#1, LineOrd#2, 3 Bellevue")
                    .right("+I LineOrd#2, AIR")
                    .emits("+I Ord#1, LineOrd#2, 3 Bellevue, LineOrd#2, AIR");
            // The left side of line 2 lives until 8000 from now on.
            join.at(4000)
                    .left("+U Ord#1, LineOrd#2, 68 Manor")
                    .emits("+U Ord#1, LineOrd#2, 68 Manor, LineOrd#2, AIR");
            join.at(4001).right("+I LineOrd#1, TRUCK").emitsNothing();
            join.at(7999)
                    .right("+U LineOrd#2, TRUCK")
                    .emits("+U Ord#1, LineOrd#2, 68 Manor, LineOrd#2, TRUCK");
            join.at(8000).right("+U LineOrd#2, RAIL").emitsNothing();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK", "OURS"})
    void innerJoinWithoutTtl(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.INNER, 0, 0)) {
            join.at(1)
                    .left("+I Ord#1, LineOrd#1, 3 Bellevue", "+I Ord#1, LineOrd#2, 3 Bellevue")
                    .emitsNothing()
                    .right("+I LineOrd#2, AIR")
                    .emits("+I Ord#1, LineOrd#2, 3 Bellevue, LineOrd#2, AIR");
            join.at(3000)
                    .left("+U Ord#1, LineOrd#2, 68 Manor")
                    .emits("+U Ord#1, LineOrd#2, 68 Manor, LineOrd#2, AIR")
                    .right("+U LineOrd#2, SHIP")
                    .emits("+U Ord#1, LineOrd#2, 68 Manor, LineOrd#2, SHIP");
            join.at(4001)
                    .right("+I LineOrd#1, TRUCK")
                    .emits("+I Ord#1, LineOrd#1, 3 Bellevue, LineOrd#1, TRUCK")
                    .right("-D LineOrd#2, SHIP")
                    .emits("-D Ord#1, LineOrd#2, 68 Manor, LineOrd#2, SHIP");
            join.at(7000)
                    .right("+I LineOrd#2, RAIL")
                    .emits("+I Ord#1, LineOrd#2, 68 Manor, LineOrd#2, RAIL");
        }
    }

    /**
     * The planner leaves outer joins with TTL stock; these facts hold for the operator all the
     * same.
     */
    @ParameterizedTest
    @EnumSource(names = {"FLINK", "OURS"})
    void leftJoinWhoseSidesHaveDifferentTtl(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.LEFT, 4000, 1000)) {
            join.at(1)
                    .left("+I Ord#1, LineOrd#1, 3 Bellevue")
                    .emits("+I Ord#1, LineOrd#1, 3 Bellevue, null, null")
                    .left("+I Ord#1, LineOrd#2, 3 Bellevue")
                    .emits("+I Ord#1, LineOrd#2, 3 Bellevue, null, null")
                    .right("+I LineOrd#2, AIR")
                    .emits(
                            "-D Ord#1, LineOrd#2, 3 Bellevue, null, null",
                            "+I Ord#1, LineOrd#2, 3 Bellevue, LineOrd#2, AIR");
            join.at(3000)
                    .left("+U Ord#1, LineOrd#2, 68 Manor")
                    .emits("+I Ord#1, LineOrd#2, 68 Manor, null, null")
                    .right("+U LineOrd#2, SHIP")
                    .emits(
                            "-D Ord#1, LineOrd#2, 68 Manor, null, null",
                            "+I Ord#1, LineOrd#2, 68 Manor, LineOrd#2, SHIP");
            join.at(4001)
                    .right("+I LineOrd#1, TRUCK")
                    .emitsNothing()
                    .right("-D LineOrd#2, SHIP")
                    .emits(
                            "-D Ord#1, LineOrd#2, 68 Manor, LineOrd#2, SHIP",
                            "+I Ord#1, LineOrd#2, 68 Manor, null, null");
            join.at(8001).right("+I LineOrd#2, RAIL").emitsNothing();
        }
    }

    /** See {@link #leftJoinWhoseSidesHaveDifferentTtl}. */
    @ParameterizedTest
    @EnumSource(names = {"FLINK", "OURS"})
    void rightJoinWhoseSidesHaveDifferentTtl(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.RIGHT, 4000, 1000)) {
            join.at(1)
                    .left("+I Ord#1, LineOrd#1, 3 Bellevue", "+I Ord#1, LineOrd#2, 3 Bellevue")
                    .emitsNothing();
            join.at(4001)
                    .right("+I LineOrd#2, AIR")
                    .emits("+I null, null, null, LineOrd#2, AIR")
                    .right("+I LineOrd#1, TRUCK")
                    .emits("+I null, null, null, LineOrd#1, TRUCK");
            join.at(5001)
                    .left("+U Ord#1, LineOrd#2, 68 Manor")
                    .emitsNothing()
                    .right("+U LineOrd#2, SHIP")
                    .emits("+I Ord#1, LineOrd#2, 68 Manor, LineOrd#2, SHIP")
                    .right("+U LineOrd#1, RAIL")
                    .emits("+I null, null, null, LineOrd#1, RAIL");
            join.at(6000)
                    .left("+U Ord#1, LineOrd#1, 3 Winchester")
                    .emits(
                            "-D null, null, null, LineOrd#1, RAIL",
                            "+I Ord#1, LineOrd#1, 3 Winchester, LineOrd#1, RAIL");
            join.at(7000).left("-D Ord#1, LineOrd#1, 3 Winchester").emitsNothing();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK", "OURS"})
    void leftJoinWithoutTtl(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.LEFT, 0, 0)) {
            join.left("+I Ord#1, LineOrd#1, 3 Bellevue")
                    .emits("+I Ord#1, LineOrd#1, 3 Bellevue, null, null")
                    .left("+I Ord#1, LineOrd#2, 3 Bellevue")
                    .emits("+I Ord#1, LineOrd#2, 3 Bellevue, null, null")
                    .right("+I LineOrd#2, AIR")
                    .emits(
                            "-D Ord#1, LineOrd#2, 3 Bellevue, null, null",
                            "+I Ord#1, LineOrd#2, 3 Bellevue, LineOrd#2, AIR")
                    .left("+U Ord#1, LineOrd#2, 68 Manor")
                    .emits("+I Ord#1, LineOrd#2, 68 Manor, LineOrd#2, AIR")
                    .right("+U LineOrd#2, SHIP")
                    .emits("+I Ord#1, LineOrd#2, 68 Manor, LineOrd#2, SHIP")
                    .right("+I LineOrd#1, TRUCK")
                    .emits(
                            "-D Ord#1, LineOrd#1, 3 Bellevue, null, null",
                            "+I Ord#1, LineOrd#1, 3 Bellevue, LineOrd#1, TRUCK");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK", "OURS"})
    void rightJoinWithoutTtl(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.RIGHT, 0, 0)) {
            join.left("+I Ord#1, LineOrd#1, 3 Bellevue", "+I Ord#1, LineOrd#2, 3 Bellevue")
                    .emitsNothing()
                    .right("+I LineOrd#2, AIR")
                    .emits("+I Ord#1, LineOrd#2, 3 Bellevue, LineOrd#2, AIR")
                    .right("+I LineOrd#1, TRUCK")
                    .emits("+I Ord#1, LineOrd#1, 3 Bellevue, LineOrd#1, TRUCK")
                    .left("+U Ord#1, LineOrd#2, 68 Manor")
                    .emits("+I Ord#1, LineOrd#2, 68 Manor, LineOrd#2, AIR");
        }
    }

    /**
     * Of matches that are upserts, Flink 2.3 counts each change as one more, and does not pad the
     * row again when the only match goes: FLINK-40681, whose tests expect this. The planner leaves
     * such joins stock while Flink differs.
     */
    @Test
    void rowIsPaddedAgainWhenItsUpsertedMatchGoes() throws Exception {
        for (String again : new String[] {"+U LineOrd#1, SHIP", "+I LineOrd#1, AIR"}) {
            try (var join = join(Operator.OURS, FlinkJoinType.LEFT, 0, 0)) {
                padsLeftAgain(join, again);
            }
            try (var join = join(Operator.OURS, FlinkJoinType.FULL, 0, 0)) {
                padsLeftAgain(join, again);
            }
        }
        try (var join = join(Operator.OURS, FlinkJoinType.RIGHT, 0, 0)) {
            padsRightAgain(join);
        }
        try (var join = join(Operator.OURS, FlinkJoinType.FULL, 0, 0)) {
            padsRightAgain(join);
        }
    }

    private static void padsLeftAgain(JoinScenario join, String again) throws Exception {
        String line = again.substring("+U ".length());
        join.left("+I Ord#1, LineOrd#1, 3 Bellevue")
                .emits("+I Ord#1, LineOrd#1, 3 Bellevue, null, null")
                .right("+I LineOrd#1, AIR")
                .emits(
                        "-D Ord#1, LineOrd#1, 3 Bellevue, null, null",
                        "+I Ord#1, LineOrd#1, 3 Bellevue, LineOrd#1, AIR")
                .right(again)
                .emits("+I Ord#1, LineOrd#1, 3 Bellevue, " + line)
                .right("-D " + line)
                .emits(
                        "-D Ord#1, LineOrd#1, 3 Bellevue, " + line,
                        "+I Ord#1, LineOrd#1, 3 Bellevue, null, null");
    }

    private static void padsRightAgain(JoinScenario join) throws Exception {
        join.right("+I LineOrd#1, AIR")
                .emits("+I null, null, null, LineOrd#1, AIR")
                .left("+I Ord#1, LineOrd#1, 3 Bellevue")
                .emits(
                        "-D null, null, null, LineOrd#1, AIR",
                        "+I Ord#1, LineOrd#1, 3 Bellevue, LineOrd#1, AIR")
                .left("+U Ord#1, LineOrd#1, 68 Manor")
                .emits("+I Ord#1, LineOrd#1, 68 Manor, LineOrd#1, AIR")
                .left("-D Ord#1, LineOrd#1, 68 Manor")
                .emits(
                        "-D Ord#1, LineOrd#1, 68 Manor, LineOrd#1, AIR",
                        "+I null, null, null, LineOrd#1, AIR");
    }

    /**
     * Upstream also upserts the match here, and deletes it twice; Flink counts two. One row per key
     * is what the side is said to have, so here it comes and goes once.
     */
    @ParameterizedTest
    @EnumSource(names = {"FLINK", "OURS"})
    void semiJoinWithoutTtl(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.SEMI, 0, 0)) {
            join.left("+I Ord#1, LineOrd#1, 3 Bellevue", "+I Ord#1, LineOrd#2, 3 Bellevue")
                    .emitsNothing()
                    .right("+I LineOrd#2, AIR")
                    .emits("+I Ord#1, LineOrd#2, 3 Bellevue")
                    .right("-D LineOrd#2, AIR")
                    .emits("-D Ord#1, LineOrd#2, 3 Bellevue")
                    .right("+I LineOrd#1, SHIP")
                    .emits("+I Ord#1, LineOrd#1, 3 Bellevue")
                    .left("+U Ord#1, LineOrd#1, 7238 Marsh")
                    .emits("+U Ord#1, LineOrd#1, 7238 Marsh");
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK", "OURS"})
    void semiJoinWhoseSidesHaveDifferentTtl(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.SEMI, 4000, 1000)) {
            join.at(1)
                    .left("+I Ord#1, LineOrd#1, 3 Bellevue", "+I Ord#1, LineOrd#2, 3 Bellevue")
                    .emitsNothing();
            join.at(3001)
                    .right("+I LineOrd#2, AIR")
                    .emits("+I Ord#1, LineOrd#2, 3 Bellevue")
                    .right("-D LineOrd#2, AIR")
                    .emits("-D Ord#1, LineOrd#2, 3 Bellevue");
            join.at(4001).right("+I LineOrd#1, SHIP").emitsNothing();
            join.at(5001).left("+U Ord#1, LineOrd#1, 7238 Marsh").emitsNothing();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK", "OURS"})
    void antiJoinWithoutTtl(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.ANTI, 0, 0)) {
            join.left("+I Ord#1, LineOrd#1, 3 Bellevue", "+I Ord#1, LineOrd#2, 3 Bellevue")
                    .emits("+I Ord#1, LineOrd#1, 3 Bellevue", "+I Ord#1, LineOrd#2, 3 Bellevue")
                    .right("+I LineOrd#2, AIR")
                    .emits("-D Ord#1, LineOrd#2, 3 Bellevue")
                    .right("+I LineOrd#1, RAIL")
                    .emits("-D Ord#1, LineOrd#1, 3 Bellevue")
                    .left("+U Ord#1, LineOrd#1, 23 River")
                    .emitsNothing();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"FLINK", "OURS"})
    void antiJoinWhoseSidesHaveDifferentTtl(Operator operator) throws Exception {
        try (var join = join(operator, FlinkJoinType.ANTI, 4000, 1000)) {
            join.at(1)
                    .left("+I Ord#1, LineOrd#1, 3 Bellevue", "+I Ord#1, LineOrd#2, 3 Bellevue")
                    .emits("+I Ord#1, LineOrd#1, 3 Bellevue", "+I Ord#1, LineOrd#2, 3 Bellevue");
            join.at(3001).right("+I LineOrd#2, AIR").emits("-D Ord#1, LineOrd#2, 3 Bellevue");
            join.at(4001).right("+I LineOrd#1, RAIL").emitsNothing();
            join.at(5001)
                    .left("+U Ord#1, LineOrd#1, 23 River")
                    .emits("+U Ord#1, LineOrd#1, 23 River");
        }
    }

    private static JoinScenario join(
            Operator operator, FlinkJoinType type, long leftTtl, long rightTtl) throws Exception {
        return new JoinScenario(
                operator,
                type,
                new Side(3, 1, UniqueKey.JOIN_KEY, InputChangelog.UPSERT, leftTtl),
                new Side(2, 0, UniqueKey.JOIN_KEY, InputChangelog.UPSERT, rightTtl),
                1);
    }
}
