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

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.CompiledPlans;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceWindowAggregateWithHeapWindowAggregateTest {

    private static final String STOCK = "[\\s+-](Global)?WindowAggregate\\(";
    private static final String TUMBLE = "TUMBLE(TABLE A, DESCRIPTOR(ts), INTERVAL '1' HOUR)";

    @ParameterizedTest
    @ValueSource(
            strings = {
                TUMBLE,
                "HOP(TABLE A, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '1' HOUR)",
                "CUMULATE(TABLE A, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '1' HOUR)"
            })
    void replacesItInOnePhaseAndInTwo(String window) {
        for (String functions : new String[] {"COUNT(*), MAX(v)", "COUNT(DISTINCT v)"}) {
            final String query = query(functions, window);
            assertThat(onePhase(Session.accelerated()).physicalPlan(query))
                    .contains("- HeapWindowAggregate(groupBy=[id], window=[")
                    .contains("heap=[shared]")
                    .doesNotContainPattern(STOCK);
            assertThat(Session.accelerated().physicalPlan(query))
                    .contains("- HeapGlobalWindowAggregate(groupBy=[id], window=[")
                    .contains("heap=[shared]")
                    .contains("- LocalWindowAggregate(")
                    .doesNotContainPattern(STOCK);
        }
    }

    @Test
    void showsAllThatStockExplains() {
        final String query = query("COUNT(*)", TUMBLE);
        assertThat(
                        Session.accelerated()
                                .set("table.exec.state-accel.window.heap-size", "1 mb")
                                .physicalPlan(query)
                                .replace("HeapGlobal", "Global")
                                .replace(", heap=[1 mb]", ""))
                .isEqualTo(Session.installed().physicalPlan(query));
    }

    @Test
    void replacesThatOfProcessingTime() {
        final Session session = Session.accelerated();
        session.tables().executeSql("CREATE TEMPORARY VIEW P AS SELECT *, PROCTIME() AS p FROM A");
        assertThat(
                        session.physicalPlan(
                                "SELECT COUNT(*) FROM TABLE(TUMBLE(TABLE P, DESCRIPTOR(p), INTERVAL"
                                        + " '1' HOUR)) GROUP BY window_start, window_end"))
                .contains("- HeapWindowAggregate(window=[");
    }

    /** Of these Flink has no aggregate in two phases, nor one on asynchronous state. */
    @ParameterizedTest
    @ValueSource(strings = {"ts", "p"})
    void replacesThatOfSessions(String time) {
        Lines.assumeAtLeast("2.0", "Session windows of functions of tables");
        final Session session = Session.accelerated().set("table.exec.async-state.enabled", "true");
        session.tables().executeSql("CREATE TEMPORARY VIEW P AS SELECT *, PROCTIME() AS p FROM A");
        assertThat(
                        session.physicalPlan(
                                query(
                                        "COUNT(*)",
                                        "SESSION(TABLE P PARTITION BY id, DESCRIPTOR(%s), INTERVAL '1' HOUR)"
                                                .formatted(time))))
                .contains("- HeapWindowAggregate(groupBy=[id], window=[SESSION(")
                .contains("heap=[shared]")
                .doesNotContainPattern(STOCK);
    }

    @Test
    void leavesAsynchronousStateAsItIs() {
        Lines.assumeAtLeast("2.0", "Asynchronous state");
        try (CapturedLog log = new CapturedLog()) {
            assertThat(
                            onePhase(Session.accelerated())
                                    .set("table.exec.async-state.enabled", "true")
                                    .physicalPlan(query("COUNT(*)", TUMBLE)))
                    .containsPattern(STOCK);
            assertThat(log.lines()).anyMatch(line -> line.contains(Reason.ASYNC_STATE.toString()));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void leavesItWhereTimersMayBeInterrupted(boolean inOnePhase) {
        final Session session =
                Session.accelerated()
                        .set(
                                "execution.checkpointing.unaligned.interruptible-timers.enabled",
                                "true");
        try (CapturedLog log = new CapturedLog()) {
            assertThat(
                            (inOnePhase ? onePhase(session) : session)
                                    .physicalPlan(query("COUNT(*)", TUMBLE)))
                    .containsPattern(STOCK);
            assertThat(log.lines())
                    .anyMatch(line -> line.contains(Reason.INTERRUPTED_TIMERS.toString()));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isPartOfACompiledPlan(boolean inOnePhase) throws Exception {
        final String insert = "INSERT INTO sink_of_pairs " + query("COUNT(*)", TUMBLE);
        final Session session = Session.accelerated();
        if (inOnePhase) {
            onePhase(session);
        }

        assertThat(CompiledPlans.types(CompiledPlans.run(session, insert)))
                .contains(
                        "state-accel-%swindow-aggregate_1".formatted(inOnePhase ? "" : "global-"));
        session.tables().executeSql(insert).await(60, TimeUnit.SECONDS);
    }

    private static Session onePhase(Session session) {
        return session.set("table.optimizer.agg-phase-strategy", "ONE_PHASE");
    }

    private static String query(String functions, String window) {
        return "SELECT id, %s FROM TABLE(%s) GROUP BY id, window_start, window_end"
                .formatted(functions, window);
    }
}
