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
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.testing.Lines;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.views.time.TimeToLive;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.api.CompiledPlan;
import org.apache.flink.table.api.PlanReference;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code COMPILE PLAN} and {@code EXECUTE PLAN} with each of our nodes. */
class CompiledPlanTest {

    private static final long DAY = TimeUnit.DAYS.toMillis(1);

    @ParameterizedTest
    @EnumSource
    void hasOurNodesAndRunsFromItsText(CompiledStatement statement) throws Exception {
        assertThat(CompiledPlans.types(CompiledPlans.run(statement.session(), statement.insert())))
                .containsAll(statement.nodes());
    }

    /** Among them the one of which nodes are made that Flink does not plan. */
    @ParameterizedTest
    @EnumSource(names = {"JOIN_LOCAL_AGGREGATE", "JOIN_RANK", "SINK"})
    void runsAtOnce(CompiledStatement statement) throws Exception {
        statement
                .session()
                .tables()
                .compilePlanSql(statement.insert())
                .execute()
                .await(60, TimeUnit.SECONDS);
    }

    /** With the bundles that each node has where the same is planned by SQL. */
    @ParameterizedTest
    @EnumSource
    void isExplainedAsItWasPlanned(CompiledStatement statement) {
        final Session session = statement.session();
        final CompiledPlan plan = session.tables().compilePlanSql(statement.insert());
        final String planned = plan.explain();

        assertThat(read(session, plan.asJsonString()).explain()).isEqualTo(planned);
        final String sql = session.explain(statement.insert());
        assertThat(planned.strip())
                .isEqualTo(sql.substring(sql.indexOf("== Optimized Execution Plan ==")).strip());
    }

    /** Snapshots know operators by these. */
    @ParameterizedTest
    @EnumSource
    void itsOperatorsAreTheSameEachTimeThatItIsRead(CompiledStatement statement) throws Exception {
        final Session session = statement.session();
        final String text = session.tables().compilePlanSql(statement.insert()).asJsonString();

        final List<String> operators = TranslatedOperators.of(session, text);
        assertThat(operators).isNotEmpty();
        assertThat(TranslatedOperators.of(statement.session(), text)).isEqualTo(operators);
        assertThat(operators)
                .anyMatch(CompiledPlanTest::isOurs)
                .allMatch(operator -> operator.matches("\\d+_[a-z-]+ .*"));
    }

    @Test
    void everyNodeIsCompiledByAStatementHere() {
        final Set<String> compiled =
                Arrays.stream(CompiledStatement.values())
                        .flatMap(statement -> statement.nodes().stream())
                        .map(CompiledPlans::nameOf)
                        .collect(Collectors.toSet());
        if (!Lines.isAtLeast("2.3")) {
            // It is there in all lines, but no statement of these asks for it.
            compiled.add("state-accel-heap-sink");
        }
        assertThat(compiled).isEqualTo(namesOfNodes());
    }

    /** They are in the plans that users keep, and in uids, if the format of those says so. */
    @Test
    void namesOfNodesStayWhatTheyAre() {
        assertThat(namesOfNodes())
                .containsExactly(
                        "state-accel-changelog-normalize",
                        "state-accel-deduplicate",
                        "state-accel-global-window-aggregate",
                        "state-accel-group-aggregate",
                        "state-accel-group-aggregate-of-partials",
                        "state-accel-group-window-aggregate",
                        "state-accel-heap-sink",
                        "state-accel-interval-join",
                        "state-accel-join",
                        "state-accel-join-aggregate",
                        "state-accel-join-local-aggregate",
                        "state-accel-join-rank",
                        "state-accel-limit",
                        "state-accel-over-aggregate",
                        "state-accel-processing-time-over-aggregate",
                        "state-accel-rank",
                        "state-accel-sink",
                        "state-accel-sort-limit",
                        "state-accel-temporal-join",
                        "state-accel-temporal-sort",
                        "state-accel-window-aggregate",
                        "state-accel-window-deduplicate",
                        "state-accel-window-join",
                        "state-accel-window-rank",
                        "state-accel-window-table-function");
    }

    private static Set<String> namesOfNodes() {
        return CompiledNodes.ALL.stream()
                .flatMap(node -> Stream.of(node.getAnnotationsByType(ExecNodeMetadata.class)))
                .map(ExecNodeMetadata::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** What Flink reads of a plan, and the operators of it, are those of a session without ours. */
    @ParameterizedTest
    @EnumSource
    void ofStockIsThatOfStock(CompiledStatement statement) throws Exception {
        final Session stock = statement.in(Session.stock());
        final String text = stock.tables().compilePlanSql(statement.insert()).asJsonString();
        assertThat(CompiledPlans.types(text)).allMatch(type -> type.startsWith("stream-exec-"));

        final Session session = statement.session();
        assertThat(TranslatedOperators.of(session, text))
                .isEqualTo(TranslatedOperators.of(stock, text))
                .noneMatch(CompiledPlanTest::isOurs);
    }

    /** Windows are Flink's operator, around what is ours. */
    private static boolean isOurs(String operator) {
        return operator.contains("io.stateaccel.") || operator.contains(" Heap");
    }

    @Test
    void runsAsItWasCompiledWhereTheSwitchIsOff() throws Exception {
        final CompiledStatement statement = CompiledStatement.JOIN_AGGREGATE;
        final String text =
                statement
                        .in(
                                Session.accelerated()
                                        .set(StateAccelOptions.MINI_BATCH_SIZE.key(), "123"))
                        .tables()
                        .compilePlanSql(statement.insert())
                        .asJsonString();

        final Session off = Session.installed().set(StateAccelOptions.MINI_BATCH_SIZE.key(), "456");
        assertThat(TranslatedOperators.of(off, text))
                .anyMatch(operator -> operator.contains("MiniBatchJoinAggregateOperator"));
        assertThat(read(off, text).explain()).contains("bundle=[size 123,");
        read(off, text).execute().await(60, TimeUnit.SECONDS);
    }

    @Test
    void choosesTheStateBackendAsAStatementDoes() {
        final CompiledStatement statement = CompiledStatement.JOIN;
        final String text =
                statement.session().tables().compilePlanSql(statement.insert()).asJsonString();

        final Session session = Session.installed().set("state.backend.type", "rocksdb");
        read(session, text).explain();
        assertThat(session.tables().getConfig().toMap())
                .containsEntry("state.backend.type", StateBackendChoice.ACCELERATED_FACTORY);
        session.explain("SELECT id FROM A");
        assertThat(session.tables().getConfig().toMap())
                .containsEntry("state.backend.type", "rocksdb");
    }

    @Test
    void hasAnOptionThatIsWrongRefusedByItsName() {
        final CompiledStatement statement = CompiledStatement.JOIN;
        final Session session = statement.session();
        final String text = session.tables().compilePlanSql(statement.insert()).asJsonString();
        final String key = StateAccelOptions.MINI_BATCH_SIZE.key();

        final CompiledPlan edited =
                read(
                        session,
                        text.replaceFirst("\"" + key + "\" : \"\\d+\"", "\"" + key + "\" : \"0\""));
        assertThatThrownBy(edited::explain)
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining(key);
    }

    /** As where the jar is missing, or an older one. The documentation has what Flink says. */
    @Test
    void ofNodesThatNobodyKnowsIsRefusedByFlink() {
        final String text =
                compiledText(CompiledStatement.JOIN)
                        .replace("state-accel-join_1", "state-accel-join_77");
        assertThatThrownBy(() -> read(Session.accelerated(), text))
                .hasMessageStartingWith("Cannot load Plan")
                .hasMessageContaining("state-accel-join_77")
                .hasStackTraceContaining(
                        "(was java.lang.NullPointerException) (through reference chain: ")
                .hasStackTraceContaining("JsonPlanGraph[\"nodes\"]->");
    }

    /**
     * The longest way is through the join of the other branch, and each node has its part of it.
     */
    @Test
    void ofSeveralSinksSharesWhatFlinkShares() throws Exception {
        final Session session = Session.accelerated();
        session.tables()
                .executeSql("CREATE VIEW joined AS SELECT A.v, B.w FROM A JOIN B ON A.id = B.id");
        final StatementSet statements = session.tables().createStatementSet();
        statements.addInsertSql("INSERT INTO sink_of_pairs SELECT v, w FROM joined");
        statements.addInsertSql(
                "INSERT INTO sink_of_counts SELECT v, MAX(w) FROM joined GROUP BY v");
        final CompiledPlan plan = statements.compilePlan();
        final String text = plan.asJsonString();

        assertThat(CompiledPlans.types(text))
                .filteredOn(type -> type.startsWith("state-accel-"))
                .containsExactlyInAnyOrder("state-accel-join_1", "state-accel-group-aggregate_1");
        assertThat(text).containsPattern("\"nodesOnLongestWay\" : 2");
        final CompiledPlan read = read(session, text);
        // In which order Flink reads the sinks depends on the numbers that its nodes have got.
        assertThat(lines(read.asJsonString())).containsExactlyInAnyOrderElementsOf(lines(text));
        assertThat(lines(read.explain()))
                .containsExactlyInAnyOrderElementsOf(lines(plan.explain()));
        read.execute().await(60, TimeUnit.SECONDS);
    }

    /** Without the branches of a tree, and the comma that all but the last of a list have. */
    private static List<String> lines(String text) {
        return text.lines().map(line -> line.replaceAll("^[ +:-]+|,$", "")).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isWrittenToAFileAndExecutedBySql(boolean atOnce, @TempDir Path folder) throws Exception {
        final CompiledStatement statement = CompiledStatement.GROUP_AGGREGATE;
        final Session session = statement.session();
        final Path file = folder.resolve("plan.json");
        if (atOnce) {
            session.tables()
                    .executeSql(
                            "COMPILE AND EXECUTE PLAN '%s' FOR %s"
                                    .formatted(file, statement.insert()))
                    .await(60, TimeUnit.SECONDS);
        } else {
            session.tables()
                    .executeSql("COMPILE PLAN '%s' FOR %s".formatted(file, statement.insert()));
        }

        assertThat(CompiledPlans.types(Files.readString(file))).containsAll(statement.nodes());
        assertThat(session.tables().loadPlan(PlanReference.fromFile(file)).explain())
                .contains("CachedGroupAggregate(");
        session.tables()
                .executeSql("EXECUTE PLAN '%s'".formatted(file))
                .await(60, TimeUnit.SECONDS);
    }

    @Test
    void letsTheUsersMiniBatchSettingsRule() throws Exception {
        final CompiledStatement statement = CompiledStatement.JOIN;
        final Session session =
                statement
                        .session()
                        .set("table.exec.mini-batch.enabled", "true")
                        .set("table.exec.mini-batch.size", "77")
                        .set("table.exec.mini-batch.allow-latency", "2 s");
        final String text = CompiledPlans.run(session, statement.insert());

        final Session other = Session.accelerated();
        assertThat(read(other, text).explain()).contains("bundle=[size 77, latency 2000 ms,");
        assertThat(TranslatedOperators.valuesOf(BundleSettings.class, other, text))
                .containsExactly(
                        new BundleSettings(77, 2000, MemorySize.ofMebiBytes(16), false, true));
    }

    /** Of the join's inputs and the aggregate, as Flink writes it for each. */
    @Test
    void hasTimesToLiveThatUsersEdit() throws Exception {
        final CompiledStatement statement = CompiledStatement.JOIN_AGGREGATE;
        final Session session = statement.session().set("table.exec.state.ttl", "7 d");
        final String text = session.tables().compilePlanSql(statement.insert()).asJsonString();
        assertThat(timesToLive(text)).containsExactly(DAY * 7, DAY * 7, DAY * 7);

        final String edited =
                text.replaceFirst(
                        "(\"index\" : 1,\\s+\"ttl\" : )\"7 d\"(,\\s+\"name\" :"
                                + " \"rightState\")",
                        "$1\"8 d\"$2");
        assertThat(timesToLive(edited)).containsExactly(DAY * 7, DAY * 8, DAY * 7);
        assertThat(
                        timesToLive(
                                edited.replaceFirst(
                                        "\"7 d\"(,\\s+\"name\" : \"groupAggregateState\")",
                                        "\"0 ms\"$1")))
                .containsExactly(DAY * 7, DAY * 8, 0L);
        assertThat(timesToLive(compiledText(CompiledStatement.JOIN_WITH_TTL)))
                .containsExactly(DAY / 24, DAY * 2);
    }

    /**
     * By its rows, or by how many of them are ranked, it tells what changes are, and users may edit
     * for how long it has them.
     */
    @ParameterizedTest
    @EnumSource(names = {"JOIN_THAT_NORMALIZES", "RANK_UP_TO_COLUMN"})
    void runsNoCompiledPlanWhoseRowsExpire(CompiledStatement statement) {
        final Session session = statement.session();
        final String text = session.tables().compilePlanSql(statement.insert()).asJsonString();
        assertThat(text).contains("\"ttl\" : \"0 ms\"");
        assertThatThrownBy(
                        () ->
                                session.tables()
                                        .loadPlan(
                                                PlanReference.fromJsonString(
                                                        text.replace("\"0 ms\"", "\"1 d\"")))
                                        .execute())
                .hasStackTraceContaining("cannot have a state TTL");
    }

    /** Of each node that Flink lets users edit it for. */
    @ParameterizedTest
    @EnumSource(
            names = {
                "JOIN",
                "JOIN_AGGREGATE",
                "JOIN_LOCAL_AGGREGATE",
                "JOIN_RANK",
                "GROUP_AGGREGATE",
                "RANK",
                "SORT_LIMIT",
                "LIMIT",
                "DEDUPLICATE",
                "CHANGELOG_NORMALIZE",
                "SINK",
                "SINK_THAT_WAITS_FOR_WATERMARKS"
            })
    void hasOneTimeToLivePerState(CompiledStatement statement) throws Exception {
        final Session session = statement.session().set("table.exec.state.ttl", "7 d");
        final String text = session.tables().compilePlanSql(statement.insert()).asJsonString();

        final List<Long> before = timesToLive(text);
        assertThat(before).isNotEmpty().containsOnly(DAY * 7);
        assertThat(timesToLive(text.replace("\"ttl\" : \"7 d\"", "\"ttl\" : \"9 d\"")))
                .hasSameSizeAs(before)
                .containsOnly(DAY * 9);
    }

    /** In a session that has none. */
    private static List<Long> timesToLive(String text) throws Exception {
        return TranslatedOperators.valuesOf(TimeToLive.class, Session.accelerated(), text).stream()
                .map(ttl -> ttl.isForever() ? 0 : ttl.millis())
                .toList();
    }

    private static String compiledText(CompiledStatement statement) {
        return statement.session().tables().compilePlanSql(statement.insert()).asJsonString();
    }

    private static CompiledPlan read(Session session, String text) {
        return session.tables().loadPlan(PlanReference.fromJsonString(text));
    }
}
