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
package io.stateaccel.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.table.api.CompiledPlan;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.PlanReference;
import org.apache.flink.table.api.TableEnvironment;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CompiledPlanTest {

    private static final String INSERT =
            "INSERT INTO sink_of_counts"
                    + " SELECT v, COUNT(*) FROM A JOIN B ON A.id = B.id GROUP BY v";

    private static final String INTERVAL_JOIN =
            "INSERT INTO sink_of_pairs SELECT v, w FROM A JOIN B ON A.id = B.id AND A.ts BETWEEN"
                    + " B.ts AND B.ts + INTERVAL '1' HOUR";

    /** Accelerated as one node, compiled as many. */
    private static final String JOIN_AGGREGATE =
            "INSERT INTO sink_of_counts SELECT A.id, COUNT(*) FROM A JOIN B ON A.id = B.id"
                    + " WHERE A.v > B.w - 1 GROUP BY A.id";

    private static final String JOIN_RANK =
            "INSERT INTO sink_of_counts SELECT id, w FROM (SELECT A.id, B.w, ROW_NUMBER() OVER"
                    + " (PARTITION BY A.id ORDER BY B.w DESC) AS rn FROM A JOIN B ON A.id = B.id)"
                    + " WHERE rn <= 1";

    @ParameterizedTest
    @ValueSource(strings = {INSERT, INTERVAL_JOIN, JOIN_AGGREGATE, JOIN_RANK})
    void isThatOfStock(String insert) throws Exception {
        assertThat(withoutIds(Session.accelerated().tables().compilePlanSql(insert)))
                .isEqualTo(withoutIds(Session.stock().tables().compilePlanSql(insert)));
    }

    @Test
    void ofASinkWithAMaterializerIsThatOfStock() throws Exception {
        assertThat(withoutIds(withMaterializer(Session.accelerated()).compilePlanSql(INSERT)))
                .isEqualTo(withoutIds(withMaterializer(Session.stock()).compilePlanSql(INSERT)));
    }

    private static TableEnvironment withMaterializer(Session session) {
        return session.set("table.exec.sink.upsert-materialize", "FORCE").tables();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                INSERT + "|stream-exec-join_1,stream-exec-group-aggregate_1",
                INTERVAL_JOIN + "|stream-exec-interval-join_1",
                JOIN_AGGREGATE + "|stream-exec-join_1,stream-exec-group-aggregate_1",
                JOIN_RANK + "|stream-exec-join_1,stream-exec-rank_1",
            })
    void runsFromItsText(String insert, String nodes) throws Exception {
        final Session session = Session.accelerated();
        final String json = session.tables().compilePlanSql(insert).asJsonString();

        for (String node : nodes.split(",")) {
            assertThat(json).contains("\"type\" : \"" + node + "\"");
        }
        session.tables()
                .loadPlan(PlanReference.fromJsonString(json))
                .execute()
                .await(60, TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @ValueSource(strings = {INSERT, JOIN_AGGREGATE, JOIN_RANK})
    void runsAtOnce(String insert) throws Exception {
        Session.accelerated().tables().compilePlanSql(insert).execute().await(60, TimeUnit.SECONDS);
    }

    /** Metrics are found by these names. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {JOIN_AGGREGATE + "|GroupAggregateOnJoin[", JOIN_RANK + "|RankOnJoin["})
    void atOnceItsOperatorsAreCalledAsEver(String insert, String operator) {
        assertThat(
                        Session.accelerated()
                                .tables()
                                .compilePlanSql(insert)
                                .explain(ExplainDetail.JSON_EXECUTION_PLAN))
                .contains("\"" + operator);
    }

    @Test
    void theUserIsToldThatItIsStock() {
        try (CapturedLog log = new CapturedLog()) {
            Session.accelerated().tables().compilePlanSql(INSERT);
            Session.accelerated().tables().compilePlanSql(INTERVAL_JOIN);
            assertThat(log.lines())
                    .anyMatch(line -> line.contains("Stays stock: IntervalJoin("))
                    .anyMatch(line -> line.contains("Stays stock: Join("))
                    .anyMatch(line -> line.contains("Stays stock: GroupAggregate("));
        }
    }

    /** Node ids count up over the life of the JVM. */
    private static JsonNode withoutIds(CompiledPlan plan) throws Exception {
        return new ObjectMapper()
                .readTree(
                        plan.asJsonString()
                                .replaceAll("\"(id|source|target)\" : \\d+", "\"$1\" : 0"));
    }
}
