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
package io.stateaccel.planner.beforejoin;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.Session;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JoinInputProjectionTest {

    private static final Pattern JOIN = Pattern.compile("Join\\(joinType.*? select=\\[([^]]*)]");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // One side, both sides, and what only the condition reads.
                "id, v, ts, id0, k | id, v, id0, k | A.v, K.k | A JOIN K ON A.id = K.id",
                "id, v, ts, id0, w, ts0 | id, v, id0, w | A.v | A JOIN B ON A.id = B.id AND v > w",
                "id, v, ts, id0, w, ts0 | id, v, id0 | A.v | A LEFT JOIN B ON A.id = B.id",
                "id, v, ts, id0, w, ts0 | id, v, id0 | A.v | A FULL JOIN B ON A.id = B.id",
                // Keys stay: of one column, and of two.
                "id, v, ts, id0, u | id, v, id0, u | A.v | A JOIN UK ON A.id = UK.u",
                "id, v, ts, id0, r | id, v, id0, r | A.v | A JOIN RK ON A.id = RK.r",
                "id, v, ts, id0, u | id, v, id0, u | A.v | A JOIN U ON A.id = U.id",
                // No key, no condition: a column, so that there are rows.
                "id, v, ts, id0, w, ts0 | v, id | A.v | A, B",
                // Only one side goes on.
                "id, v, ts | id, v | A.v | A WHERE A.id IN (SELECT id FROM B)",
                "id, v, ts | id, v | A.v | A WHERE NOT EXISTS (SELECT * FROM B WHERE B.id = A.id)",
            })
    void leavesOutWhatNobodyReads(String before, String after, String column, String joined) {
        final String query = topRows(column, joined);
        assertThat(columnsOfJoins(Session.accelerated().physicalPlan(query)))
                .containsExactly(before);
        assertThat(columnsOfJoins(switchedOn().physicalPlan(query))).containsExactly(after);
    }

    @Test
    void readsOnlyWhatIsLeft() {
        final String plan = switchedOn().physicalPlan(topRows("A.v", "A JOIN B ON A.id = B.id"));
        assertThat(plan)
                .contains("leftInputSpec=[NoUniqueKey], rightInputSpec=[NoUniqueKey]")
                .containsSubsequence(
                        ":- Exchange(distribution=[hash[id]])",
                        "Calc(select=[id, v])",
                        "+- Exchange(distribution=[hash[id]])",
                        "Calc(select=[id])")
                .doesNotContain("CAST(ts");
    }

    @Test
    void goesThroughJoinsOfJoins() {
        final String query = topRows("A.v, K.k", "A JOIN B ON A.id = B.id JOIN K ON B.w = K.id");
        assertThat(columnsOfJoins(Session.accelerated().physicalPlan(query)))
                .containsExactly("id, v, ts, id0, w, ts0, id1, k", "id, v, ts, id0, w, ts0");
        assertThat(columnsOfJoins(switchedOn().physicalPlan(query)))
                .containsExactly("v, w, id, k", "id, v, id0, w");
    }

    /** Else there would be a join, and its state, for each of them. */
    @Test
    void keepsWhatAnyReaderOfASharedJoinReads() {
        final String joined = "A JOIN B ON A.id = B.id";
        final String query = topRows("A.v", joined) + " UNION ALL " + topRows("B.w", joined);
        assertThat(columnsOfJoins(switchedOn().physicalPlan(query)))
                .containsExactly("id, v, id0, w", "id, v, id0, w");
        final String plans = switchedOn().explain(query);
        assertThat(plans.substring(plans.indexOf("== Optimized Execution Plan ==")))
                .containsOnlyOnce("MiniBatchJoin(")
                .contains("(reuse_id=[1])");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // Interval, window, temporal join.
                "A JOIN B ON A.id = B.id AND A.ts BETWEEN B.ts AND B.ts + INTERVAL '1' HOUR",
                "(SELECT * FROM TABLE(TUMBLE(TABLE A, DESCRIPTOR(ts), INTERVAL '1' HOUR))) A JOIN"
                        + " (SELECT * FROM TABLE(TUMBLE(TABLE B, DESCRIPTOR(ts), INTERVAL '1' HOUR)))"
                        + " B ON A.id = B.id AND A.window_start = B.window_start"
                        + " AND A.window_end = B.window_end",
                "A JOIN V FOR SYSTEM_TIME AS OF A.ts ON A.id = V.id",
            })
    void leavesJoinsByTimeAlone(String joined) {
        final String query = topRows("A.v", joined);
        assertThat(withVersions(switchedOn()).physicalPlan(query))
                .isEqualTo(withVersions(Session.accelerated()).physicalPlan(query));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT A.v, B.w FROM A JOIN B ON A.id = B.id",
                "SELECT * FROM A JOIN K ON A.id = K.id",
                "SELECT id, MAX(w) FROM B GROUP BY id",
            })
    void leavesPlansAloneInWhichEverythingIsRead(String query) {
        assertThat(switchedOn().physicalPlan(query))
                .isEqualTo(Session.accelerated().physicalPlan(query));
    }

    @Test
    void isOffWhileTheAccelerationIs() {
        final String query = topRows("A.v", "A JOIN B ON A.id = B.id");
        assertThat(
                        Session.installed()
                                .set("table.exec.state-accel.join-input-projection.enabled", "true")
                                .physicalPlan(query))
                .isEqualTo(Session.stock().physicalPlan(query));
    }

    /** Behind ROW_NUMBER Flink takes no column from a join's inputs. */
    private static String topRows(String columns, String joined) {
        return "SELECT * FROM (SELECT "
                + columns
                + ", ROW_NUMBER() OVER (PARTITION BY "
                + columns.split(",")[0]
                + " ORDER BY "
                + columns.split(",")[0]
                + ") AS n FROM "
                + joined
                + ") WHERE n <= 3";
    }

    private static List<String> columnsOfJoins(String plan) {
        return JOIN.matcher(plan).results().map((MatchResult join) -> join.group(1)).toList();
    }

    private static Session switchedOn() {
        return Session.accelerated()
                .set("table.exec.state-accel.join-input-projection.enabled", "true");
    }

    private static Session withVersions(Session session) {
        session.tables()
                .executeSql(
                        "CREATE TABLE V (id BIGINT, x BIGINT, y BIGINT, ts TIMESTAMP(3),"
                                + " WATERMARK FOR ts AS ts, PRIMARY KEY (id) NOT ENFORCED)"
                                + " WITH ('connector' = 'datagen')");
        return session;
    }
}
