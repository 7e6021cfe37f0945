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
package io.stateaccel.planner.join.interval;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.PlanFacts;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceIntervalJoinWithMiniBatchIntervalJoinTest {

    private static final String WITHIN_AN_HOUR =
            "A.id = B.id AND A.ts BETWEEN B.ts - INTERVAL '1' HOUR AND B.ts + INTERVAL '2' SECOND";

    private static final String INNER_JOIN = "SELECT A.v, B.w FROM A JOIN B ON " + WITHIN_AN_HOUR;

    private static final String BY_PROCESSING_TIME =
            "SELECT v, w FROM (SELECT id, v, PROCTIME() AS pt FROM A) L %s (SELECT id, w,"
                    + " PROCTIME() AS pt FROM B) R ON L.id = R.id AND L.pt BETWEEN R.pt AND"
                    + " R.pt + INTERVAL '1' HOUR";

    @Test
    void replacesAnInnerJoinAndKeepsAllThatStockExplains() {
        final String stock = Session.installed().physicalPlan(INNER_JOIN);
        final String ours = Session.accelerated().physicalPlan(INNER_JOIN);

        assertThat(stock).contains(" IntervalJoin(joinType=[InnerJoin], windowBounds=[");
        assertThat(ours)
                .contains("leftLowerBound=-3600000, leftUpperBound=2000")
                .isEqualTo(
                        stock.replaceAll(
                                " IntervalJoin\\((.*)\\)",
                                " MiniBatchIntervalJoin($1, bundle=[size 20000, latency 1000"
                                        + " ms, max 16 mb])"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "A.ts BETWEEN B.ts AND B.ts + INTERVAL '1' HOUR",
                "A.id = B.id AND A.ts = B.ts",
                "A.id = B.id AND B.ts > A.ts - INTERVAL '5' SECOND AND B.ts < A.ts",
                "A.id IS NOT DISTINCT FROM B.id AND A.ts BETWEEN B.ts AND B.ts + INTERVAL '1' HOUR",
                "A.id = B.id AND A.v < B.w AND A.ts BETWEEN B.ts + INTERVAL '1' HOUR AND B.ts +"
                        + " INTERVAL '2' HOUR",
            })
    void replacesWhateverTheCondition(String condition) {
        assertThat(Session.accelerated().physicalPlan("SELECT v, w FROM A JOIN B ON " + condition))
                .contains("MiniBatchIntervalJoin(joinType=[InnerJoin]")
                .doesNotContain(" IntervalJoin(");
    }

    @Test
    void replacesWhereStateHasATtlThatIntervalJoinsIgnore() {
        assertThat(
                        Session.accelerated()
                                .set("table.exec.state.ttl", "1 h")
                                .physicalPlan(INNER_JOIN))
                .contains("MiniBatchIntervalJoin(");
    }

    @Test
    void letsTheUsersMiniBatchSettingsRule() {
        assertThat(
                        Session.accelerated()
                                .set("table.exec.mini-batch.enabled", "true")
                                .set("table.exec.mini-batch.size", "500")
                                .set("table.exec.mini-batch.allow-latency", "2 s")
                                .physicalPlan(INNER_JOIN))
                .contains("bundle=[size 500, latency 2000 ms, max 16 mb]");
    }

    @Test
    void joinWithoutEquiKeysRunsInOneSubtaskAsStockDoes() {
        final String query =
                "SELECT v, w FROM A JOIN B ON A.ts BETWEEN B.ts AND B.ts + INTERVAL '1' HOUR";
        final StreamNode stock = joinNode(Session.stock(), query);
        final StreamNode ours = joinNode(Session.accelerated(), query);

        assertThat(ours.getParallelism()).isEqualTo(1).isEqualTo(stock.getParallelism());
        assertThat(PlanFacts.maxParallelism(ours)).isEqualTo(PlanFacts.maxParallelism(stock));
    }

    @ParameterizedTest
    @CsvSource({
        "LEFT JOIN, LeftOuterJoin",
        "RIGHT JOIN, RightOuterJoin",
        "FULL OUTER JOIN, FullOuterJoin",
    })
    void replacesOuterJoins(String join, String joinType) {
        final String query = "SELECT v, w FROM A " + join + " B ON " + WITHIN_AN_HOUR;

        assertThat(Session.installed().physicalPlan(query))
                .contains(" IntervalJoin(joinType=[" + joinType + "]");
        assertThat(Session.accelerated().physicalPlan(query))
                .contains("MiniBatchIntervalJoin(joinType=[" + joinType + "]")
                .doesNotContain(" IntervalJoin(");
    }

    @ParameterizedTest
    @CsvSource({
        "JOIN, InnerJoin",
        "LEFT JOIN, LeftOuterJoin",
        "FULL JOIN, FullOuterJoin",
    })
    void replacesJoinsOnProcessingTime(String join, String joinType) {
        assertThat(Session.accelerated().physicalPlan(BY_PROCESSING_TIME.formatted(join)))
                .contains("MiniBatchIntervalJoin(joinType=[" + joinType + "]")
                .doesNotContain(" IntervalJoin(");
    }

    @ParameterizedTest
    @CsvSource({"JOIN, InnerJoin", "LEFT JOIN, LeftOuterJoin"})
    void keepsJoinsOfAnEmptyInterval(String join, String joinType) {
        assertStays(
                "SELECT v, w FROM A "
                        + join
                        + " B ON A.id = B.id AND A.ts > B.ts + INTERVAL '1' HOUR AND A.ts < B.ts",
                "IntervalJoin(joinType=[" + joinType + "]",
                Reason.EMPTY_INTERVAL);
    }

    private static void assertStays(String query, String node, Reason reason) {
        final Session session = Session.accelerated();
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan(query))
                    .contains(" " + node)
                    .doesNotContain("MiniBatchIntervalJoin");
            session.physicalPlan(query);
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: " + node))
                    .singleElement()
                    .asString()
                    .startsWith("INFO [state-accel] ")
                    .contains(reason.toString());
        }
    }

    private static StreamNode joinNode(Session session, String query) {
        session.environment().setParallelism(4);
        session.tables().toDataStream(session.tables().sqlQuery(query)).print();
        final StreamGraph graph = session.environment().getStreamGraph();
        return graph.getStreamNodes().stream()
                .filter(node -> node.getOperatorName().contains("IntervalJoin"))
                .findFirst()
                .orElseThrow();
    }
}
