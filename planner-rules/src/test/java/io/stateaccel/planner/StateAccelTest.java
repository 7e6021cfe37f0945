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

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.program.StateAccelProgram;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.runtime.jobgraph.JobVertexID;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.PlannerConfig;
import org.apache.flink.table.api.TableConfig;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.planner.calcite.CalciteConfig;
import org.apache.flink.table.planner.calcite.CalciteConfig$;
import org.apache.flink.table.planner.plan.optimize.program.FlinkChainedProgram;
import org.apache.flink.table.planner.plan.optimize.program.FlinkStreamProgram;
import org.apache.flink.table.planner.plan.optimize.program.StreamOptimizeContext;
import org.apache.flink.table.planner.utils.TableConfigUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class StateAccelTest {

    private static final String ENABLED = "table.exec.state-accel.enabled";

    private static final String QUERY =
            "SELECT v, COUNT(*) AS n FROM A"
                    + " JOIN (SELECT w, MAX(id) AS m FROM B GROUP BY w) C"
                    + " ON A.id = C.w AND A.v > C.m GROUP BY v";

    private static final String INTERVAL_QUERY =
            "SELECT v, w FROM A JOIN B ON A.id = B.id AND A.ts BETWEEN B.ts AND B.ts + INTERVAL"
                    + " '1' HOUR";

    @Test
    void offIsTheStockPlan() {
        assertThat(Session.installed().explain(QUERY)).isEqualTo(Session.stock().explain(QUERY));
    }

    @ParameterizedTest
    @EnumSource(ExplainDetail.class)
    void offIsTheStockPlanInEveryDetail(ExplainDetail detail) {
        assertThat(withoutIds(Session.installed().explain(QUERY, detail)))
                .isEqualTo(withoutIds(Session.stock().explain(QUERY, detail)));
    }

    @Test
    void offWithTheUsersMiniBatchIsTheStockPlan() {
        assertThat(withMiniBatch(Session.installed()).explain(QUERY))
                .isEqualTo(withMiniBatch(Session.stock()).explain(QUERY));
    }

    @ParameterizedTest
    @EnumSource(ExplainDetail.class)
    void onExplainsEveryDetail(ExplainDetail detail) {
        assertThat(Session.accelerated().explain(QUERY, detail))
                .contains("MiniBatchJoin(")
                .contains("CachedGroupAggregate(");
    }

    @Test
    void theSwitchIsReadPerStatement() {
        final Session session = Session.installed();
        final String off = session.explain(QUERY);

        final String on = session.set(ENABLED, "true").explain(QUERY);
        final String offAgain = session.set(ENABLED, "false").explain(QUERY);

        assertThat(on).contains("MiniBatchJoin(");
        assertThat(offAgain).isEqualTo(off);
        assertThat(session.set(ENABLED, "true").explain(QUERY)).isEqualTo(on);
    }

    @Test
    void optionsOfTheOptimizerAreReadPerStatement() {
        Lines.assumeAtLeast("2.1", "Multi-joins");
        final Session session = Session.accelerated();
        session.explain(QUERY);
        final String threeWay = "SELECT 1 FROM A, B, K WHERE A.id = B.id AND B.w = K.k";

        assertThat(session.set("table.optimizer.multi-join.enabled", "true").explain(threeWay))
                .contains("MultiJoin(");
    }

    @ParameterizedTest
    @ValueSource(strings = {QUERY, INTERVAL_QUERY})
    void operatorIdsAreThoseOfTheStockJob(String query) {
        final List<JobVertexID> stock = jobVertices(Session.installed(), query);
        final List<JobVertexID> accelerated = jobVertices(Session.accelerated(), query);

        assertThat(accelerated).isEqualTo(stock);
    }

    @Test
    void batchIsLeftAlone() {
        final TableEnvironment batch = TableEnvironment.create(EnvironmentSettings.inBatchMode());
        batch.executeSql(
                "CREATE TABLE A (id BIGINT, v BIGINT)"
                        + " WITH ('connector' = 'datagen', 'number-of-rows' = '10')");
        final String query = "SELECT l.id, COUNT(*) FROM A l JOIN A r ON l.id = r.v GROUP BY l.id";
        final String stock = batch.explainSql(query);

        StateAccel.install(batch);
        batch.getConfig().set(ENABLED, "true");
        batch.getConfig().set("state.backend.type", "rocksdb");

        assertThat(batch.explainSql(query)).isEqualTo(stock);
        assertThat(batch.getConfig().toMap()).containsEntry("state.backend.type", "rocksdb");
    }

    @Test
    void installingTwiceIsHarmless() {
        final Session session = Session.accelerated();
        final PlannerConfig first = session.tables().getConfig().getPlannerConfig();

        StateAccel.install(session.tables());

        assertThat(session.tables().getConfig().getPlannerConfig()).isSameAs(first);
    }

    @Test
    void theUsersProgramIsKeptAndNotChanged() {
        final Session session = Session.stock();
        final TableConfig config = session.tables().getConfig();
        final FlinkChainedProgram<StreamOptimizeContext> users =
                FlinkStreamProgram.buildProgram(config);
        users.addLast("users", (root, context) -> root);
        final List<String> names = users.getProgramNames();
        config.setPlannerConfig(
                CalciteConfig$.MODULE$.createBuilder().replaceStreamProgram(users).build());
        StateAccel.install(session.tables());

        assertThat(session.explain(QUERY)).doesNotContain("MiniBatchJoin(");
        session.set(ENABLED, "true");
        assertThat(session.explain(QUERY)).contains("MiniBatchJoin(");

        assertThat(users.getProgramNames()).isEqualTo(names);
        assertThat(streamProgram(config).getProgramNames())
                .containsAll(names)
                .endsWith("users", StateAccelProgram.NAME);
    }

    @Test
    void aProgramCopiedFromOursIsNotExtendedTwiceAndStillObeysTheSwitch() {
        final Session session = Session.accelerated();
        final TableConfig config = session.tables().getConfig();
        final CalciteConfig copy =
                CalciteConfig$.MODULE$
                        .createBuilder(TableConfigUtils.getCalciteConfig(config))
                        .build();
        config.setPlannerConfig(copy);
        StateAccel.install(session.tables());

        assertThat(streamProgram(config).getProgramNames())
                .containsOnlyOnce(StateAccelProgram.NAME);
        assertThat(session.explain(QUERY)).contains("MiniBatchJoin(");
        assertThat(session.set(ENABLED, "false").explain(QUERY))
                .isEqualTo(Session.stock().explain(QUERY));
    }

    @Test
    void otherPlannerConfigurationsOfTheUserAreFound() {
        final Session session = Session.stock();
        final UsersConfig users = new UsersConfig();
        session.tables().getConfig().setPlannerConfig(users);
        StateAccel.install(session.tables());

        assertThat(session.tables().getConfig().getPlannerConfig().unwrap(UsersConfig.class))
                .containsSame(users);
        assertThat(session.set(ENABLED, "true").explain(QUERY)).contains("MiniBatchJoin(");
    }

    @Test
    void aWrongOptionFailsTheStatement() {
        final Session session = Session.accelerated();
        session.set("table.exec.state-accel.mini-batch.size", "-1");

        assertThatThrownBy(() -> session.explain(QUERY))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("'table.exec.state-accel.mini-batch.size'")
                .hasMessageContaining("'-1'");
    }

    @Test
    void aSwitchThatIsNoBooleanFailsTheStatement() {
        final Session session = Session.installed().set(ENABLED, "ja");

        assertThatThrownBy(() -> session.explain(QUERY))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("'" + ENABLED + "'")
                .hasMessageContaining("'ja'");
    }

    @Test
    void anUnknownKeyOfTheClustersConfigurationFailsTheStatement() {
        final org.apache.flink.configuration.Configuration root =
                new org.apache.flink.configuration.Configuration();
        root.setString("table.exec.state-accel.mini-batch.sise", "10");
        final Session session = Session.installed(root).set(ENABLED, "true");

        assertThatThrownBy(() -> session.explain(QUERY))
                .isInstanceOf(ValidationException.class)
                .hasMessageContaining("Did you mean 'table.exec.state-accel.mini-batch.size'?");
    }

    @Test
    void aMisspeltSwitchIsWarnedOfOnceAndPlansStock() {
        final Session session = Session.installed().set("table.exec.state-accel.enable", "true");
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.explain(QUERY)).isEqualTo(Session.stock().explain(QUERY));
            session.explain(QUERY);
            assertThat(log.lines())
                    .singleElement()
                    .asString()
                    .startsWith("WARN [state-accel] Unknown option 'table.exec.state-accel.enable'")
                    .contains("Did you mean '" + ENABLED + "'?");
        }
    }

    @Test
    void anotherVersionOfFlinkFailsTheStatementOnlyWhileOn() {
        final Session session = Session.stock();
        final TableConfig config = session.tables().getConfig();
        config.setPlannerConfig(
                new StateAccelCalciteConfig(
                        config, config.getPlannerConfig(), Optional.of("Flink 9.9")));

        assertThat(session.explain(QUERY)).isEqualTo(Session.stock().explain(QUERY));
        session.set(ENABLED, "true");
        assertThatThrownBy(() -> session.explain(QUERY))
                .isInstanceOf(ValidationException.class)
                .hasMessage("Flink 9.9");
    }

    private static final class UsersConfig implements PlannerConfig {}

    private static Session withMiniBatch(Session session) {
        return session.set("table.exec.mini-batch.enabled", "true")
                .set("table.exec.mini-batch.size", "500")
                .set("table.exec.mini-batch.allow-latency", "2 s");
    }

    private static FlinkChainedProgram<StreamOptimizeContext> streamProgram(TableConfig config) {
        return TableConfigUtils.getCalciteConfig(config).getStreamProgram().get();
    }

    private static List<JobVertexID> jobVertices(Session session, String query) {
        session.tables().toChangelogStream(session.tables().sqlQuery(query)).print();
        return StreamSupport.stream(
                        session.environment()
                                .getStreamGraph()
                                .getJobGraph()
                                .getVertices()
                                .spliterator(),
                        false)
                .map(JobVertex::getID)
                .toList();
    }

    /** Ids count up over the life of the JVM. */
    private static String withoutIds(String plan) {
        return plan.replaceAll("\\[\\d+\\]", "[]").replaceAll("\"id\" : \\d+", "\"id\" : 0");
    }
}
