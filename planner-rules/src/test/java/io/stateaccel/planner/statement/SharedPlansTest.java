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
package io.stateaccel.planner.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.Table;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What Flink plans once stays planned once. */
class SharedPlansTest {

    private static final String SHARES_OTHERWISE =
            "Flink 2.0.0 fails with an assertion of Calcite's when it looks for shared plans";

    private static final Pattern NODE = Pattern.compile("^[ :+-]*(\\w+)\\(.*$", Pattern.MULTILINE);

    private static final String VIEW =
            "CREATE TEMPORARY VIEW V AS SELECT A.id, A.v, A.ts, B.w FROM A JOIN B ON A.id = B.id";

    private static final String VIEW_OF_KEYED =
            "CREATE TEMPORARY VIEW KV AS SELECT K.id, K.k, B.w FROM K JOIN B ON K.id = B.id";

    private static final String ROWS = "INSERT INTO sink_of_pairs SELECT id, w FROM V";

    private static final String MAX_PER_ID =
            "INSERT INTO sink_of_counts SELECT id, MAX(w) FROM V GROUP BY id";

    private static final String SUM_PER_ID =
            "INSERT INTO sink_of_counts SELECT id, SUM(w) FROM V GROUP BY id";

    private static final String SUM_PER_VALUE =
            "INSERT INTO sink_of_counts SELECT w, SUM(id) FROM V GROUP BY w";

    private static final String TOP_PER_ID =
            "INSERT INTO sink_of_counts SELECT id, w FROM (SELECT *, ROW_NUMBER() OVER (PARTITION"
                    + " BY id ORDER BY w DESC) AS n FROM V) WHERE n <= 1";

    private static final String TOP_TWO_PER_ID =
            "INSERT INTO sink_of_pairs SELECT id, w FROM (SELECT *, ROW_NUMBER() OVER (PARTITION"
                    + " BY id ORDER BY w DESC) AS n FROM V) WHERE n <= 2";

    private static final String KEYED_ROWS = "INSERT INTO sink_of_pairs SELECT k, w FROM KV";

    private static final String KEYED_SUM =
            "INSERT INTO sink_of_pairs SELECT id, SUM(w) FROM KV GROUP BY id, k";

    /** Reads fewer columns of the join's inputs than the others do. */
    private static final String FEW_COLUMNS =
            "INSERT INTO sink_of_pairs SELECT v, n FROM (SELECT v, ROW_NUMBER() OVER (PARTITION"
                    + " BY v ORDER BY v) AS n FROM V) WHERE n <= 3";

    private static final String OTHER_COLUMNS =
            "INSERT INTO sink_of_pairs SELECT w, n FROM (SELECT w, ROW_NUMBER() OVER (PARTITION"
                    + " BY w ORDER BY w) AS n FROM V) WHERE n <= 3";

    /** Has an input of {@code V} by the same key. */
    private static final String OTHER_JOIN_OF_INPUT =
            "INSERT INTO sink_of_pairs SELECT v, n FROM (SELECT A.v, ROW_NUMBER() OVER (PARTITION"
                    + " BY A.v ORDER BY A.v) AS n FROM A JOIN K ON A.id = K.id) WHERE n <= 3";

    private static final String OTHER_JOIN_WITH_MANY =
            "INSERT INTO sink_of_pairs SELECT A.v, B.w FROM A JOIN B ON A.id = B.id";

    static List<List<String>> statementSets() {
        return List.of(
                List.of(ROWS, MAX_PER_ID),
                List.of(MAX_PER_ID, ROWS),
                List.of(ROWS, MAX_PER_ID, TOP_PER_ID),
                List.of(MAX_PER_ID, SUM_PER_ID),
                List.of(MAX_PER_ID, SUM_PER_VALUE),
                List.of(SUM_PER_VALUE, ROWS),
                List.of(TOP_PER_ID, ROWS),
                List.of(TOP_PER_ID, TOP_TWO_PER_ID, MAX_PER_ID),
                List.of(KEYED_ROWS, KEYED_SUM),
                List.of(KEYED_SUM, KEYED_ROWS),
                List.of(KEYED_SUM, OTHER_JOIN_WITH_MANY),
                List.of(OTHER_JOIN_WITH_MANY, KEYED_SUM, ROWS),
                List.of(FEW_COLUMNS, OTHER_COLUMNS),
                List.of(OTHER_COLUMNS, FEW_COLUMNS, ROWS),
                List.of(FEW_COLUMNS, OTHER_JOIN_OF_INPUT),
                List.of(OTHER_JOIN_OF_INPUT, KEYED_SUM, FEW_COLUMNS, KEYED_ROWS, MAX_PER_ID),
                // Merged with one another, or with what has the same columns.
                List.of(MAX_PER_ID, MAX_PER_ID, ROWS),
                List.of(ROWS, ROWS),
                List.of(
                        "INSERT INTO sink_of_counts SELECT id, COUNT(*) FROM R JOIN (SELECT id AS j,"
                                + " u FROM UK) ON id = j GROUP BY id",
                        "INSERT INTO sink_of_pairs SELECT r, u FROM R JOIN (SELECT id AS j, u FROM"
                                + " UK) ON id = j"));
    }

    @ParameterizedTest
    @MethodSource("statementSets")
    void nothingOfAStatementSetIsPlannedTwice(List<String> inserts) {
        Lines.assumeNot("2.0", SHARES_OTHERWISE);
        assertSharesAsStock(session -> {}, session -> explainSet(session, inserts));
    }

    /** Without those that Flink itself fails to plan in blocks: it mixes up types of times. */
    static List<List<String>> statementSetsInBlocks() {
        return statementSets().stream()
                .filter(set -> set.stream().noneMatch(insert -> insert.contains("ROW_NUMBER")))
                .filter(set -> !set.containsAll(List.of(OTHER_JOIN_WITH_MANY, ROWS)))
                .toList();
    }

    @ParameterizedTest
    @MethodSource("statementSetsInBlocks")
    void norIfFlinkLooksForBlocksFirst(List<String> inserts) {
        assertSharesAsStock(
                session ->
                        session.set(
                                "table.optimizer.reuse-optimize-block-with-digest-enabled", "true"),
                session -> explainSet(session, inserts));
    }

    static List<List<String>> someStatementSets() {
        return List.of(
                List.of(ROWS, MAX_PER_ID, TOP_PER_ID),
                List.of(OTHER_JOIN_WITH_MANY, KEYED_SUM, ROWS),
                List.of(OTHER_JOIN_OF_INPUT, KEYED_SUM, FEW_COLUMNS, KEYED_ROWS, MAX_PER_ID));
    }

    @ParameterizedTest
    @MethodSource("someStatementSets")
    void norIfScansAreNotShared(List<String> inserts) {
        Lines.assumeNot("2.0", SHARES_OTHERWISE);
        assertSharesAsStock(
                session -> session.set("table.optimizer.reuse-source-enabled", "false"),
                session -> explainSet(session, inserts));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // A view twice and three times, a CTE, a self join of each.
                "SELECT id, w FROM V UNION ALL SELECT id, MAX(w) FROM V GROUP BY id",
                "SELECT id, w FROM V UNION ALL SELECT id, MAX(w) FROM V GROUP BY id"
                        + " UNION ALL SELECT id, SUM(w) FROM V GROUP BY id",
                "WITH C AS (SELECT A.id, B.w FROM A JOIN B ON A.id = B.id) SELECT id, w FROM C"
                        + " WHERE w > 3 UNION ALL SELECT id, COUNT(*) FROM C GROUP BY id",
                "SELECT X.w, Y.m FROM V X JOIN (SELECT id, MAX(w) AS m FROM V GROUP BY id) Y"
                        + " ON X.id = Y.id",
                "SELECT X.m, Y.m FROM (SELECT id, MAX(w) AS m FROM V GROUP BY id) X JOIN"
                        + " (SELECT id, MAX(w) AS m FROM V GROUP BY id) Y ON X.id = Y.id",
                "SELECT X.w, Y.w FROM V X JOIN V Y ON X.id = Y.id",
                "SELECT id, w FROM V UNION ALL SELECT id, w FROM (SELECT *, ROW_NUMBER() OVER"
                        + " (PARTITION BY id ORDER BY w) AS n FROM V) WHERE n <= 2",
                "SELECT k, w FROM KV UNION ALL SELECT id, SUM(w) FROM KV GROUP BY id, k",
                "SELECT id, SUM(w) FROM V GROUP BY id UNION ALL SELECT w, SUM(id) FROM V GROUP BY w",
                // One side of a self join wants less than the other.
                "SELECT * FROM (SELECT X.v, ROW_NUMBER() OVER (PARTITION BY X.v ORDER BY X.ts) AS n"
                        + " FROM A X JOIN A Y ON X.id = Y.id) WHERE n <= 3",
            })
    void nothingOfAQueryIsPlannedTwice(String query) {
        assertSharesAsStock(session -> {}, session -> executionPlan(session.explain(query)));
    }

    /** Flink makes a block of its own of a table that several sinks read. */
    @Test
    void nothingOfATableOfTheTableApiIsPlannedTwice() {
        Lines.assumeNot("2.0", SHARES_OTHERWISE);
        assertSharesAsStock(
                session -> {},
                session -> {
                    final Table joined = session.tables().sqlQuery("SELECT * FROM V");
                    session.tables().createTemporaryView("J", joined);
                    return explainSet(
                            session,
                            List.of(
                                    "INSERT INTO sink_of_pairs SELECT id, w FROM J",
                                    "INSERT INTO sink_of_counts SELECT id, MAX(w) FROM J GROUP BY id",
                                    MAX_PER_ID,
                                    TOP_PER_ID));
                });
    }

    @Test
    void saysSo() {
        Lines.assumeNot("2.0", SHARES_OTHERWISE);
        final Session session = withViews(Session.accelerated());
        try (CapturedLog log = new CapturedLog()) {
            assertThat(explainSet(session, List.of(ROWS, MAX_PER_ID)))
                    .containsOnlyOnce("MiniBatchJoin(")
                    .containsOnlyOnce("CachedGroupAggregate(");
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Not fused with the join below it: "))
                    .singleElement()
                    .asString()
                    .contains(Reason.UNFUSED_AS_SHARED.toString());
        }
    }

    /** Of several readers that are all the same one is planned. */
    @Test
    void fusesWhatIsSharedAsAWhole() {
        Lines.assumeNot("2.0", SHARES_OTHERWISE);
        final Session session = withViews(Session.accelerated());
        assertThat(
                        explainSet(
                                session,
                                List.of(
                                        MAX_PER_ID,
                                        "INSERT INTO sink_of_pairs SELECT id, MAX(w) FROM V GROUP"
                                                + " BY id")))
                .containsOnlyOnce("MiniBatchJoinAggregate(")
                .doesNotContain("CachedGroupAggregate");
    }

    /** What was planned before, in the same session, is another statement. */
    @Test
    void fusesInEachStatementByItself() {
        final Session session = withViews(Session.accelerated());
        for (int round = 0; round < 3; round++) {
            assertThat(explainSet(session, List.of(ROWS))).contains("MiniBatchJoin(");
            assertThat(explainSet(session, List.of(MAX_PER_ID)))
                    .contains("MiniBatchJoinAggregate(")
                    .doesNotContain("CachedGroupAggregate");
            assertThat(explainSet(session, List.of(MAX_PER_ID, ROWS)))
                    .doesNotContain("MiniBatchJoinAggregate(");
        }
    }

    @Test
    void fusesWhatNothingIsSharedOf() {
        assertThat(
                        explainSet(
                                withViews(Session.accelerated()),
                                List.of(
                                        MAX_PER_ID,
                                        "INSERT INTO sink_of_pairs SELECT id, COUNT(*) FROM (SELECT"
                                                + " A.id FROM A JOIN K ON A.id = K.id) GROUP BY id")))
                .contains("MiniBatchJoinAggregate(")
                .doesNotContain("CachedGroupAggregate");
    }

    @Test
    void fusesWhereTheUserWantsNothingShared() {
        Lines.assumeNot("2.0", SHARES_OTHERWISE);
        final Session session =
                withViews(Session.accelerated())
                        .set("table.optimizer.reuse-sub-plan-enabled", "false");
        assertThat(explainSet(session, List.of(ROWS, MAX_PER_ID)))
                .contains("MiniBatchJoinAggregate(")
                .doesNotContain("CachedGroupAggregate");
    }

    /** The life of rows is a part of what a fused join does. */
    @Test
    void keepsJoinsWithAndWithoutStateTtlApart() {
        final List<String> inserts =
                List.of(
                        "INSERT INTO sink_of_counts SELECT id, COUNT(*) FROM (SELECT /*+"
                                + " STATE_TTL('A' = '1 d', 'B' = '1 d') */ A.id FROM A JOIN B ON"
                                + " A.id = B.id) GROUP BY id",
                        "INSERT INTO sink_of_counts SELECT id, COUNT(*) FROM (SELECT A.id FROM A"
                                + " JOIN B ON A.id = B.id) GROUP BY id");
        final Map<String, Integer> stock = counts(explainSet(withViews(Session.stock()), inserts));
        assertThat(stock.get("Join")).isEqualTo(2);
        assertThat(counts(explainSet(withViews(Session.accelerated()), inserts)).get("Join"))
                .isEqualTo(2);
    }

    private static void assertSharesAsStock(
            Consumer<Session> settings, Function<Session, String> explain) {
        final Session stock = withViews(Session.stock());
        settings.accept(stock);
        final Map<String, Integer> inStock = counts(explain.apply(stock));
        final SoftAssertions softly = new SoftAssertions();
        for (Session session : accelerated()) {
            settings.accept(session);
            final String plan = explain.apply(withViews(session));
            counts(plan)
                    .forEach(
                            (kind, count) ->
                                    softly.assertThat(count)
                                            .as("%s of%n%s", kind, plan)
                                            .isLessThanOrEqualTo(inStock.getOrDefault(kind, 0)));
            softly.assertThat(plan).contains("MiniBatchJoin");
        }
        softly.assertAll();
    }

    /** As it is by default, and with all that may be switched on. */
    private static List<Session> accelerated() {
        final List<Session> sessions = new ArrayList<>(List.of(Session.accelerated()));
        final String prefix = "table.exec.state-accel.";
        sessions.add(Session.accelerated().set(prefix + "join-local-aggregate.enabled", "true"));
        sessions.add(
                Session.accelerated()
                        .set(prefix + "join-local-aggregate.enabled", "true")
                        .set(prefix + "aggregate-before-join.enabled", "true")
                        .set(prefix + "join-input-projection.enabled", "true"));
        return sessions;
    }

    private static Session withViews(Session session) {
        session.tables().executeSql(VIEW);
        session.tables().executeSql(VIEW_OF_KEYED);
        return session;
    }

    private static String explainSet(Session session, List<String> inserts) {
        final StatementSet set = session.tables().createStatementSet();
        inserts.forEach(set::addInsertSql);
        return executionPlan(set.explain());
    }

    private static String executionPlan(String plans) {
        return plans.substring(plans.indexOf("== Optimized Execution Plan =="));
    }

    /** The operators that run, by kind; one that does the work of two counts as both. */
    private static Map<String, Integer> counts(String plan) {
        final String oneNodePerPhase =
                plan.replace("MiniBatchJoinTwoPhaseAggregate(", "Aggregate(")
                        .replace("MiniBatchJoinLocalAggregate(", "Join(");
        final Map<String, Integer> counts = new TreeMap<>();
        for (Matcher node = NODE.matcher(oneNodePerPhase); node.find(); ) {
            for (String kind :
                    List.of("Scan", "Exchange", "Join", "Aggregate", "Rank", "Deduplicate")) {
                if (node.group(1).contains(kind)) {
                    counts.merge(kind, 1, Integer::sum);
                }
            }
        }
        return counts;
    }
}
