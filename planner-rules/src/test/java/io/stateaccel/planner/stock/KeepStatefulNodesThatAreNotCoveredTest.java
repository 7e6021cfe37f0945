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
package io.stateaccel.planner.stock;

import static org.apache.flink.table.api.Expressions.$;
import static org.apache.flink.table.api.Expressions.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.GroupedTable;
import org.apache.flink.table.functions.python.PythonAggregateFunction;
import org.apache.flink.table.functions.python.PythonEnv;
import org.apache.flink.table.functions.python.PythonFunctionKind;
import org.apache.flink.table.functions.python.PythonTableAggregateFunction;
import org.apache.flink.table.types.DataType;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KeepStatefulNodesThatAreNotCoveredTest {

    private static final PythonEnv PYTHON = new PythonEnv(PythonEnv.ExecType.PROCESS);

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Match|PATTERN_MATCH|SELECT * FROM A MATCH_RECOGNIZE (PARTITION BY id ORDER BY ts"
                        + " MEASURES X.v AS x PATTERN (X Y) DEFINE Y AS Y.v > X.v)",
                "Sort|SORT_AT_THE_END|SELECT * FROM A ORDER BY v",
                "LookupJoin|LOOKUP_MATERIALIZER|SELECT R.id, L.x FROM (SELECT *, PROCTIME() AS p FROM"
                        + " R) R JOIN L FOR SYSTEM_TIME AS OF R.p ON R.id = L.id",
            })
    void saysSoOncePerNode(String node, Reason reason, String query) {
        if (query.contains("(TABLE A")) {
            Lines.assumeAtLeast("2.0", "Functions of tables without a TABLE() around them");
        }
        final Session session =
                Session.accelerated()
                        .set("table.optimizer.non-deterministic-update.strategy", "TRY_RESOLVE")
                        .set("__table.exec.sort.non-temporal.enabled__", "true");
        createLookedUp(session);
        try (CapturedLog log = new CapturedLog()) {
            final String plan = session.physicalPlan(query);
            session.physicalPlan(query);

            assertThat(plan).contains(node + "(");
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: "))
                    .isNotEmpty()
                    .doesNotHaveDuplicates()
                    .anyMatch(
                            line -> line.contains(node + "(") && line.contains(reason.toString()));
        }
    }

    /** Not planned further than that without Flink's Python. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PythonGroupAggregate|GENERAL|PYTHON_AGGREGATE|SELECT py(v) FROM A GROUP BY id",
                "PythonGroupWindowAggregate|GENERAL|PYTHON_AGGREGATE|SELECT py(v) FROM A"
                        + " GROUP BY id, TUMBLE(ts, INTERVAL '1' HOUR)",
                "PythonOverAggregate|PANDAS|PYTHON_OVER|SELECT py(v) OVER (PARTITION BY id ORDER BY ts"
                        + " ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM A",
            })
    void saysSoOfAggregatesInPython(
            String node, PythonFunctionKind kind, Reason reason, String query) {
        final Session session = Session.accelerated();
        session.tables()
                .createTemporaryFunction(
                        "py",
                        new PythonAggregateFunction(
                                "py",
                                new byte[0],
                                new DataType[] {DataTypes.BIGINT()},
                                DataTypes.BIGINT(),
                                DataTypes.ROW(DataTypes.BIGINT()),
                                kind,
                                true,
                                false,
                                PYTHON));
        assertStays(node, reason, () -> session.explain(query));
    }

    @Test
    void saysSoOfTableAggregatesInPython() {
        final Session session = Session.accelerated();
        final GroupedTable groups = session.tables().from("A").groupBy($("id"));
        session.tables()
                .createTemporaryFunction(
                        "py",
                        new PythonTableAggregateFunction(
                                "py",
                                new byte[0],
                                new DataType[] {DataTypes.BIGINT()},
                                DataTypes.BIGINT(),
                                DataTypes.ROW(DataTypes.BIGINT()),
                                PythonFunctionKind.GENERAL,
                                true,
                                false,
                                PYTHON));

        assertStays(
                "PythonGroupTableAggregate",
                Reason.PYTHON_AGGREGATE,
                () ->
                        groups.flatAggregate(call("py", $("v")).as("x"))
                                .select($("id"), $("x"))
                                .explain());
    }

    /**
     * @param planning may fail once it is planned
     */
    private static void assertStays(String node, Reason reason, ThrowingCallable planning) {
        try (CapturedLog log = new CapturedLog()) {
            final Throwable failure = catchThrowable(planning);
            assertThat(log.lines())
                    .as("where planning ends with %s", failure)
                    .filteredOn(line -> line.contains("Stays stock: " + node + "("))
                    .singleElement()
                    .asString()
                    .contains(reason.toString());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "false, GlobalGroupAggregate",
        "true, GlobalGroupAggregate",
        "true, IncrementalGroupAggregate",
    })
    void keepsTwoPhaseAggregates(String splitDistinct, String node) {
        final Session session =
                Session.accelerated()
                        .set("table.exec.mini-batch.enabled", "true")
                        .set("table.exec.mini-batch.size", "500")
                        .set("table.exec.mini-batch.allow-latency", "2 s")
                        .set("table.optimizer.distinct-agg.split.enabled", splitDistinct);
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan("SELECT id, COUNT(DISTINCT v) FROM A GROUP BY id"))
                    .contains(node + "(");
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: " + node + "("))
                    .singleElement()
                    .asString()
                    .contains(Reason.BUNDLED_BY_FLINK.toString());
        }
    }

    @Test
    void keepsMultiJoinsAndSaysWhatToDo() {
        Lines.assumeAtLeast("2.1", "Multi-joins");
        final Session session =
                Session.accelerated().set("table.optimizer.multi-join.enabled", "true");
        final String query =
                "SELECT A.v, B.w, K.k FROM A JOIN B ON A.id = B.id JOIN K ON A.id = K.id";
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan(query)).contains("MultiJoin(");
            session.physicalPlan(query);

            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: MultiJoin("))
                    .singleElement()
                    .asString()
                    .startsWith("INFO [state-accel] ")
                    .contains(Reason.MULTI_JOIN.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT v + 1 FROM A WHERE v > 2",
                "INSERT INTO sink_of_pairs SELECT v, id FROM A",
                "SELECT id, window_start FROM TUMBLE(TABLE A, DESCRIPTOR(ts), INTERVAL '1' HOUR)",
                "SELECT A.id, L.x FROM (SELECT *, PROCTIME() AS p FROM A) A JOIN L FOR SYSTEM_TIME AS"
                        + " OF A.p ON A.id = L.id",
                "SELECT R.id, L.x FROM (SELECT *, PROCTIME() AS p FROM R) R JOIN L FOR SYSTEM_TIME AS"
                        + " OF R.p ON R.id = L.id",
            })
    void saysNothingOfStatelessNodes(String query) {
        if (query.contains("(TABLE A")) {
            Lines.assumeAtLeast("2.0", "Functions of tables without a TABLE() around them");
        }
        final Session session = Session.accelerated();
        createLookedUp(session);
        try (CapturedLog log = new CapturedLog()) {
            session.physicalPlan(query);
            assertThat(log.lines()).noneMatch(line -> line.contains("Stays stock"));
        }
    }

    private static void createLookedUp(Session session) {
        session.tables()
                .executeSql(
                        "CREATE TABLE L (id BIGINT, x BIGINT) WITH ('connector' = 'in-memory')");
    }
}
