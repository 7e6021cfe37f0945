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
package io.stateaccel.planner.bundle;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.planner.Session;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What nodes get of the settings for the whole plan. */
class BundleShareTest {

    private static final Pattern LATENCY = Pattern.compile("latency (\\d+) ms");

    private static final String JOIN = "SELECT A.id, A.v, B.w, B.ts FROM A JOIN B ON A.id = B.id";

    private static final String COUNT_OF_JOIN = "SELECT v, COUNT(*) AS n FROM J GROUP BY v";

    private static final String TOP_OF_COUNTS =
            "SELECT * FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY n ORDER BY v) AS place FROM"
                    + " C) WHERE place <= 3";

    private static final String FIRST_ROWS =
            "SELECT id, v, ts FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY ts DESC)"
                    + " AS place FROM A) WHERE place = 1";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                JOIN + " | 1000",
                COUNT_OF_JOIN + " | 500",
                TOP_OF_COUNTS + " | 333",
                "SELECT C.v, R.r FROM C JOIN R ON C.v = R.id | 333",
            })
    void nodesOnOneWaySplitTheLatency(String query, long part) {
        Session session = withViews();

        assertThat(latencies(session.physicalPlan(query))).containsOnly(1000L);
        assertThat(latencies(executionPlan(session.explain(query))))
                .hasSize((int) (1000 / part))
                .containsOnly(part);
        assertThat(settings(session, query))
                .hasSize((int) (1000 / part))
                .allSatisfy(bundle -> assertThat(bundle.latencyMillis()).isEqualTo(part));
    }

    /** The long way has a third for each node; what is left of the short one goes unused. */
    @Test
    void ofSeveralWaysTheLongestCounts() {
        Session session = withViews();
        String query =
                "SELECT * FROM (SELECT v, n FROM C WHERE n > 1) X JOIN (SELECT id, r FROM R) Y ON"
                        + " X.v = Y.id JOIN K ON X.n = K.id";

        assertThat(latencies(executionPlan(session.explain(query)))).containsOnly(250L).hasSize(4);
        assertThat(
                        latencies(
                                executionPlan(
                                        session.explain(
                                                "SELECT id, COUNT(*) FROM (SELECT v AS id FROM C"
                                                        + " UNION ALL SELECT r AS id FROM (SELECT r,"
                                                        + " MAX(id) FROM R GROUP BY r)) GROUP BY"
                                                        + " id"))))
                .containsExactlyInAnyOrder(333L, 333L, 333L, 500L);
    }

    /** The join is on two ways, of which one is longer; the aggregates above it differ. */
    @Test
    void whatSeveralSinksReadIsOnAllTheirWays() {
        Lines.assumeNot("2.0", "Flink 2.0.0 plans otherwise what several sinks read");
        Session session = withViews();
        StatementSet statements = session.tables().createStatementSet();
        statements.addInsertSql("INSERT INTO sink_of_pairs SELECT v, n FROM C");
        statements.addInsertSql("INSERT INTO sink_of_pairs SELECT n, COUNT(*) FROM C GROUP BY n");

        assertThat(latencies(executionPlan(statements.explain())))
                .containsExactlyInAnyOrder(333L, 333L, 333L, 500L);
    }

    @Test
    void everyNodeHasAtLeastAMillisecond() {
        Session session =
                withViews().set("table.exec.state-accel.mini-batch.allow-latency", "1 ms");

        assertThat(latencies(executionPlan(session.explain(TOP_OF_COUNTS)))).containsOnly(1L);
    }

    @Test
    void theUsersLatencyIsThatOfEachOperator() {
        Session session =
                withViews()
                        .set("table.exec.mini-batch.enabled", "true")
                        .set("table.exec.mini-batch.size", "500")
                        .set("table.exec.mini-batch.allow-latency", "2 s")
                        .set("table.optimizer.agg-phase-strategy", "ONE_PHASE");

        assertThat(settings(session, COUNT_OF_JOIN))
                .hasSize(2)
                .allSatisfy(
                        bundle -> {
                            assertThat(bundle.latencyMillis()).isEqualTo(2000);
                            assertThat(bundle.followsLoad()).isFalse();
                            assertThat(bundle.endsAtWatermarks()).isTrue();
                        });
    }

    @Test
    void bundlesFollowTheLoadUnlessToldOtherwise() {
        assertThat(settings(withViews(), COUNT_OF_JOIN))
                .hasSize(2)
                .allSatisfy(
                        bundle -> {
                            assertThat(bundle.followsLoad()).isTrue();
                            assertThat(bundle.endsAtWatermarks()).isFalse();
                        });
        Session off = withViews().set("table.exec.state-accel.mini-batch.follow-load", "false");
        assertThat(settings(off, COUNT_OF_JOIN))
                .hasSize(2)
                .allSatisfy(
                        bundle -> {
                            assertThat(bundle.followsLoad()).isFalse();
                            assertThat(bundle.endsAtWatermarks()).isTrue();
                        });
    }

    /** Of the join's rows nobody downstream can tell whether they are late. */
    @Test
    void watermarksEndBundlesOfRowsWithATime() {
        assertThat(settings(withViews(), JOIN))
                .singleElement()
                .matches(bundle -> !bundle.endsAtWatermarks());
        assertThat(settings(withViews(), FIRST_ROWS))
                .singleElement()
                .matches(BundleSettings::endsAtWatermarks);
        assertThat(
                        settings(
                                withViews(),
                                "SELECT A.id, A.v FROM A JOIN B ON A.id = B.id AND A.ts BETWEEN"
                                        + " B.ts AND B.ts + INTERVAL '1' SECOND"))
                .singleElement()
                .matches(BundleSettings::endsAtWatermarks);
    }

    /** Such a sink sees two rows of a key as a conflict unless one goes before a watermark. */
    @ParameterizedTest
    @CsvSource({"ERROR, 2", "NOTHING, 2", "DEDUPLICATE, 3"})
    void watermarksEndBundlesUnderASinkThatWaitsForThem(String conflict, int bundles) {
        Lines.assumeAtLeast("2.3", "ON CONFLICT");
        Session session = withViews();
        StatementSet statements = session.tables().createStatementSet();
        statements.addInsertSql(
                "INSERT INTO sink_of_counts SELECT n, v FROM C ON CONFLICT DO " + conflict);

        assertThat(settings(session, statements))
                .hasSize(bundles)
                .allSatisfy(bundle -> assertThat(bundle.endsAtWatermarks()).isTrue());
    }

    /** Which may compare them with any column. */
    @Test
    void watermarksEndBundlesUnderADataStreamProgram() {
        Session session = withViews();
        session.tables().toChangelogStream(session.tables().sqlQuery(COUNT_OF_JOIN)).print();

        assertThat(settings(session.environment().getStreamGraph()))
                .hasSize(2)
                .allSatisfy(bundle -> assertThat(bundle.endsAtWatermarks()).isTrue());
    }

    private static Session withViews() {
        Session session = Session.accelerated();
        session.tables().executeSql("CREATE TEMPORARY VIEW J AS " + JOIN);
        session.tables().executeSql("CREATE TEMPORARY VIEW C AS " + COUNT_OF_JOIN);
        return session;
    }

    private static String executionPlan(String plans) {
        return plans.substring(plans.indexOf("== Optimized Execution Plan =="));
    }

    private static List<Long> latencies(String plan) {
        return LATENCY.matcher(plan)
                .results()
                .map((MatchResult found) -> Long.valueOf(found.group(1)))
                .toList();
    }

    private static List<BundleSettings> settings(Session session, String query) {
        Table table = session.tables().sqlQuery(query);
        session.tables()
                .createTemporaryTable(
                        "sink_of_all",
                        TableDescriptor.forConnector("blackhole")
                                .schema(
                                        Schema.newBuilder()
                                                .fromResolvedSchema(table.getResolvedSchema())
                                                .build())
                                .build());
        return settings(
                session, session.tables().createStatementSet().addInsert("sink_of_all", table));
    }

    private static List<BundleSettings> settings(Session session, StatementSet statements) {
        ((StreamStatementSet) statements).attachAsDataStream();
        return settings(session.environment().getStreamGraph());
    }

    private static List<BundleSettings> settings(StreamGraph graph) {
        List<BundleSettings> settings = new ArrayList<>();
        for (StreamNode node : graph.getStreamNodes()) {
            if (node.getOperatorFactory() instanceof SimpleOperatorFactory<?> factory
                    && factory.getOperator() instanceof BundlingOperator operator) {
                settings.add(operator.bundleSettings());
            }
        }
        return settings;
    }
}
