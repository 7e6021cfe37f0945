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
package io.stateaccel.planner.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.operators.sink.HeapConflictOperator;
import io.stateaccel.operators.sink.MiniBatchSinkMaterializerOperator;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import java.util.Comparator;
import java.util.List;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.bridge.java.StreamStatementSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceSinkWithMiniBatchSinkTest {

    private static final String COUNTS =
            "INSERT INTO sink_of_counts SELECT id, COUNT(*) FROM A GROUP BY id";

    /** The query knows its rows by what the sink has as another column. */
    private static final String SWAPPED =
            "INSERT INTO sink_of_counts SELECT n, id FROM (SELECT id, COUNT(*) AS n FROM A GROUP BY"
                    + " id)";

    private static final String FORCED = "table.exec.sink.upsert-materialize";

    @Test
    void replacesAMaterializerAndKeepsAllThatStockExplains() {
        assertThat(Session.installed().set(FORCED, "FORCE").physicalPlan(COUNTS))
                .contains(
                        "\nSink(table=[default_catalog.default_database.sink_of_counts],"
                                + " fields=[id, EXPR$1], upsertMaterialize=[true])");
        final Session session = Session.accelerated().set(FORCED, "FORCE");
        assertThat(session.physicalPlan(COUNTS))
                .contains(
                        "\nSink(table=[default_catalog.default_database.sink_of_counts],"
                                + " fields=[id, EXPR$1], upsertMaterialize=[bundled],"
                                + " bundle=[size 20000, latency 1000 ms, max 16 mb])");
        assertThat(session.explain(COUNTS))
                .contains(
                        "\nSink(table=[default_catalog.default_database.sink_of_counts],"
                                + " fields=[id, EXPR$1], upsertMaterialize=[bundled],"
                                + " bundle=[size 20000, latency 500 ms, max 16 mb])");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                SWAPPED,
                "INSERT INTO sink_of_counts SELECT id, r FROM R",
                "INSERT INTO sink_of_counts SELECT r, id FROM RK",
            })
    void replacesWhereverTheKeyIsAnother(String insert) {
        for (String ttl : new String[] {"0", "1 d"}) {
            assertThat(withoutConflicts().set("table.exec.state.ttl", ttl).physicalPlan(insert))
                    .contains("upsertMaterialize=[bundled]");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                COUNTS,
                "INSERT INTO sink_of_pairs SELECT v, id FROM A",
                "INSERT INTO sink_of_counts SELECT id, r FROM RK"
            })
    void leavesSinksWithoutOneAlone(String insert) {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(Session.accelerated().physicalPlan(insert))
                    .contains("Sink(")
                    .doesNotContain("upsertMaterialize");
            assertThat(log.lines()).noneMatch(line -> line.contains("Stays stock"));
        }
    }

    @Test
    void replacesTheOneThatDeduplicates() {
        Lines.assumeAtLeast("2.3", "ON CONFLICT");
        assertThat(Session.accelerated().physicalPlan(SWAPPED + " ON CONFLICT DO DEDUPLICATE"))
                .contains("upsertMaterialize=[bundled], conflictStrategy=[DEDUPLICATE], bundle=[");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ERROR", "NOTHING"})
    void replacesTheOneThatWaitsForWatermarks(String behavior) {
        Lines.assumeAtLeast("2.3", "ON CONFLICT");
        final String insert = SWAPPED + " ON CONFLICT DO " + behavior;
        final Session session =
                Session.accelerated().set("table.exec.state-accel.window.heap-size", "3 mb");
        assertThat(session.physicalPlan(insert))
                .contains(
                        "upsertMaterialize=[heap], conflictStrategy=[%s], heap=[3 mb])"
                                .formatted(behavior));
        // Of the sink, which has no bundles.
        assertThat(session.explain(insert)).doesNotContain("heap=[3 mb], bundle=[");

        assertThat(nodes(Session.accelerated(), insert))
                .map(node -> node.replace("CachedGroupAggregate", "GroupAggregate"))
                .containsExactlyElementsOf(nodes(Session.installed(), insert))
                .contains("WatermarkTimestampAssigner[] null 1", "SinkMaterializer[] null 1");
        assertThat(nodesWith(HeapConflictOperator.class, graph(Session.accelerated(), insert)))
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1 d", "0"})
    void replacesTheOneThatWaitsForWatermarksWhateverTheTimeToLive(String ttl) throws Exception {
        Lines.assumeAtLeast("2.3", "ON CONFLICT");
        final String insert = SWAPPED + " ON CONFLICT DO NOTHING";
        final Session session = Session.accelerated().set("table.exec.state.ttl", ttl);
        assertThat(session.physicalPlan(insert)).contains("upsertMaterialize=[heap]");
        session.tables().executeSql(insert).await();
    }

    /** By which metrics are found, and Flink makes its ids. */
    @Test
    void operatorsAndTheirPlaceAreThoseOfStock() {
        final String insert = "INSERT INTO sink_of_counts SELECT r, id FROM RK";
        assertThat(nodes(withoutConflicts(), insert))
                .containsExactlyElementsOf(nodes(withoutConflicts(Session.installed()), insert))
                .contains("SinkMaterializer[] null 1");
        assertThat(materializers(graph(withoutConflicts(), insert))).hasSize(1);
    }

    /** However the rows are kept, which only Flink's own operator is told. */
    @ParameterizedTest
    @CsvSource({"LEGACY", "MAP", "VALUE", "ADAPTIVE"})
    void takesThePlaceOfAnyStrategy(String strategy) {
        Lines.assumeAtLeast("2.2", "Strategies");
        final Session session =
                withoutConflicts()
                        .set("table.exec.sink.upsert-materialize-strategy.type", strategy);
        assertThat(materializers(graph(session, SWAPPED))).hasSize(1);
    }

    @Test
    void runs() throws Exception {
        withoutConflicts().tables().executeSql(SWAPPED).await();
    }

    private static Session withoutConflicts() {
        return withoutConflicts(Session.accelerated());
    }

    private static Session withoutConflicts(Session session) {
        return session.set("table.exec.sink.require-on-conflict", "false");
    }

    private static StreamGraph graph(Session session, String insert) {
        final StatementSet statements = session.tables().createStatementSet();
        statements.addInsertSql(insert);
        ((StreamStatementSet) statements).attachAsDataStream();
        return session.environment().getStreamGraph();
    }

    private static List<StreamNode> materializers(StreamGraph graph) {
        return nodesWith(MiniBatchSinkMaterializerOperator.class, graph);
    }

    private static List<StreamNode> nodesWith(Class<?> operator, StreamGraph graph) {
        return graph.getStreamNodes().stream()
                .filter(
                        node ->
                                node.getOperatorFactory() instanceof SimpleOperatorFactory<?> simple
                                        && operator.isInstance(simple.getOperator()))
                .toList();
    }

    private static List<String> nodes(Session session, String insert) {
        return graph(session, insert).getStreamNodes().stream()
                .sorted(Comparator.comparingInt(StreamNode::getId))
                .map(
                        node ->
                                node.getOperatorName()
                                                .replaceAll("_\\d+", "")
                                                // Of sources without a name, in older lines.
                                                .replaceAll("\\$\\d+", "")
                                                .replaceAll("\\[\\d+\\]", "[]")
                                        + " "
                                        + node.getTransformationUID()
                                        + " "
                                        + node.getParallelism())
                .toList();
    }
}
