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
package io.stateaccel.planner.window.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.CompiledPlans;
import io.stateaccel.planner.Session;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.flink.table.api.StatementSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JoinWithBestOfWindowTest {

    private static final String WINDOWS =
            "TABLE(HOP(TABLE A, DESCRIPTOR(ts), INTERVAL '1' MINUTE, INTERVAL '5' MINUTE))";
    private static final String RESULTS =
            "(SELECT id, v, COUNT(*) AS num, SUM(CAST(v AS DOUBLE)) AS d, window_start, window_end FROM %s"
                            .formatted(WINDOWS)
                    + " GROUP BY id, v, window_start, window_end)";
    private static final String SAME_WINDOW =
            "R.window_start = M.window_start AND R.window_end = M.window_end";
    private static final String LEFT_OUT = "results=[highest num of window_end";

    private static String best(String call, String groups) {
        return "(SELECT %s AS most, %swindow_start, window_end FROM %s GROUP BY %swindow_start, window_end)"
                .formatted(call, groups, RESULTS, groups);
    }

    private static String query(String join, String best, String condition) {
        return "SELECT R.id, R.num FROM %s R %s %s M ON %s AND %s"
                .formatted(RESULTS, join, best, SAME_WINDOW, condition);
    }

    private static String query(String condition) {
        return query("JOIN", best("MAX(num)", ""), condition);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "R.num >= M.most",
                "R.num = M.most",
                "M.most <= R.num",
                "M.most <= R.num AND R.num > 1",
                "M.most <= R.num AND R.id <> M.most"
            })
    void leavesOutWhatIsLessThanAnother(String condition) {
        for (String phases : new String[] {"ONE_PHASE", "TWO_PHASE"}) {
            final String plan =
                    Session.accelerated()
                            .set("table.optimizer.agg-phase-strategy", phases)
                            .physicalPlan(query(condition));

            assertThat(plan.split(Pattern.quote(LEFT_OUT), -1)).as(plan).hasSize(3);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "JOIN, true",
        "RIGHT JOIN, true",
        "LEFT JOIN, false",
        "FULL JOIN, false",
    })
    void notWhereRowsWithoutAMatchAreWanted(String join, boolean leavesOut) {
        assertThat(
                        Session.accelerated()
                                .physicalPlan(query(join, best("MAX(num)", ""), "R.num >= M.most"))
                                .contains(LEFT_OUT))
                .isEqualTo(leavesOut);
    }

    @Test
    void theInputsMayChangePlaces() {
        assertThat(
                        Session.accelerated()
                                .physicalPlan(
                                        "SELECT R.id FROM %s M JOIN %s R ON %s AND R.num >= M.most"
                                                .formatted(
                                                        best("MAX(num)", ""),
                                                        RESULTS,
                                                        SAME_WINDOW)))
                .contains(LEFT_OUT);
    }

    @Test
    void theLowestToo() {
        assertThat(
                        Session.accelerated()
                                .physicalPlan(
                                        query("JOIN", best("MIN(num)", ""), "R.num <= M.most")))
                .contains("results=[lowest num of window_end");
    }

    @Test
    void thoseOfAGroup() {
        final String best = best("MAX(num)", "id, ");
        assertThat(
                        Session.accelerated()
                                .physicalPlan(
                                        query("JOIN", best, "R.num >= M.most AND R.id = M.id")))
                .contains(LEFT_OUT + ", id]");
        assertThat(
                        Session.accelerated()
                                .physicalPlan(
                                        query("JOIN", best, "R.num >= M.most AND R.v = M.id")))
                .doesNotContain(LEFT_OUT);
        assertThat(Session.accelerated().physicalPlan(query("JOIN", best, "R.num >= M.most")))
                .doesNotContain(LEFT_OUT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "R.num > M.most",
                "R.num <= M.most",
                "R.num + 1 >= M.most",
                "R.v >= M.most",
                "(R.num >= M.most OR R.id = 1)"
            })
    void notUnderOtherConditions(String condition) {
        assertThat(Session.accelerated().physicalPlan(query(condition)))
                .contains("HeapWindowJoin")
                .doesNotContain("results=[");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "COUNT(num); R.num >= M.most",
                "MAX(num + id); R.num >= M.most",
                "MAX(num) FILTER (WHERE v > 1); R.num >= M.most",
                "MAX(num) AS m, COUNT(*); R.num >= M.m AND R.id < M.most",
                // NaN is neither less nor more.
                "MAX(d); R.d >= M.most"
            })
    void notWithOtherAggregates(String call, String condition) {
        assertThat(Session.accelerated().physicalPlan(query("JOIN", best(call, ""), condition)))
                .contains("HeapWindowJoin")
                .doesNotContain("results=[");
    }

    @Test
    void notWhereTheMaximumIsOfOtherRows() {
        assertThat(
                        Session.accelerated()
                                .physicalPlan(
                                        query("R.num >= M.most")
                                                .replace(
                                                        RESULTS + " GROUP",
                                                        RESULTS + " WHERE v > 3 GROUP")))
                .contains("HeapWindowJoin")
                .doesNotContain("results=[");
    }

    /** Each of two aggregates would drop late rows of its own. */
    @Test
    void notWhereTheAggregateIsPlannedTwice() {
        assertThat(
                        Session.accelerated()
                                .set("table.optimizer.reuse-sub-plan-enabled", "false")
                                .physicalPlan(query("R.num >= M.most")))
                .contains("HeapWindowJoin")
                .doesNotContain("results=[");
    }

    @Test
    void notWhereAnythingElseReadsTheAggregate() {
        for (boolean another : new boolean[] {false, true}) {
            final Session session = Session.accelerated();
            final StatementSet statements = session.tables().createStatementSet();
            statements.addInsertSql("INSERT INTO sink_of_pairs " + query("R.num >= M.most"));
            statements.addInsertSql(
                    "INSERT INTO sink_of_pairs SELECT %s FROM %s"
                            .formatted(another ? "id, num" : "id, v", another ? RESULTS : "A"));

            assertThat(statements.explain().contains(LEFT_OUT)).isEqualTo(!another);
        }
    }

    @Test
    void isPartOfACompiledPlan() throws Exception {
        final String insert = "INSERT INTO sink_of_pairs " + query("R.num >= M.most");

        assertThat(CompiledPlans.run(Session.accelerated(), insert)).contains("\"isHighest\"");
        Session.accelerated().tables().executeSql(insert).await(60, TimeUnit.SECONDS);
    }
}
