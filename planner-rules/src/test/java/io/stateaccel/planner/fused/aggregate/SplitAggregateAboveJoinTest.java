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
package io.stateaccel.planner.fused.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.CompiledPlans;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import org.apache.flink.table.functions.AggregateFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SplitAggregateAboveJoinTest {

    private static final String COUNT_PER_VALUE =
            "SELECT A.v, COUNT(*) AS n FROM A JOIN B ON A.id = B.id GROUP BY A.v";

    @Test
    void showsBothPhases() {
        final String plans = session().explain(COUNT_PER_VALUE);
        assertThat(plans)
                .contains("\nMiniBatchJoinTwoPhaseAggregate(join=[MiniBatchJoin(joinType=[Inner")
                .contains("calc=[Calc(select=[v])]")
                .contains("aggregate=[GroupAggregate(groupBy=[v], select=[v, COUNT(*) AS n])]")
                .contains("exchange=[Exchange(distribution=[hash[v]])]")
                .contains("MiniBatchJoinLocalAggregate(join=[")
                .contains("\n+- Exchange(distribution=[hash[v]])")
                .doesNotContain("CachedGroupAggregate");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT COUNT(*), MAX(A.v) FROM A JOIN B ON A.id = B.id",
                "SELECT B.id, COUNT(*) FROM A LEFT JOIN B ON A.id = B.id GROUP BY B.id",
                "SELECT A.v, AVG(B.w) FILTER (WHERE B.w > 3) FROM A FULL JOIN B ON A.id = B.id"
                        + " GROUP BY A.v HAVING COUNT(*) > 2",
                "SELECT v, COUNT(*) FROM A WHERE id IN (SELECT id FROM B) GROUP BY v",
                // What fusion leaves, as its values would be those of several groups.
                "SELECT A.id, A.v, COUNT(DISTINCT B.w) FROM A JOIN B ON A.id = B.id"
                        + " GROUP BY A.id, A.v",
                "SELECT A.v, MAX(R.r), MIN(R.r) FROM A JOIN R ON A.id = R.id GROUP BY A.v",
                "SELECT A.id, COUNT(*) FROM A JOIN B ON A.v < B.w GROUP BY A.id",
            })
    void splitsWhateverTheJoinAndTheFunctions(String query) {
        assertThat(session().physicalPlan(query)).contains("MiniBatchJoinTwoPhaseAggregate(");
    }

    @Test
    void isOnlyForWhatIsNotFused() {
        assertThat(
                        session()
                                .physicalPlan(
                                        "SELECT A.id, COUNT(*) FROM A JOIN B ON A.id = B.id"
                                                + " GROUP BY A.id"))
                .contains("MiniBatchJoinAggregate(");
    }

    @Test
    void isOffByDefaultAndThenSaysNothing() {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(Session.accelerated().physicalPlan(COUNT_PER_VALUE))
                    .contains("CachedGroupAggregate(")
                    .contains("\n   +- Calc(select=[v])");
            assertThat(log.lines()).noneMatch(line -> line.contains("No local aggregate"));
        }
    }

    @Test
    void saysWhyNot() {
        final Session session = session();
        session.tables().createTemporaryFunction("last_of", LastOf.class);
        final String query = "SELECT A.v, last_of(B.w) FROM A JOIN B ON A.id = B.id GROUP BY A.v";
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan(query)).contains("CachedGroupAggregate(");
            session.physicalPlan(query);
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("No local aggregate in the join below it: "))
                    .singleElement()
                    .asString()
                    .startsWith("INFO [state-accel] ")
                    .contains(Reason.NO_MERGE.toString());
        }
    }

    @Test
    void isPartOfACompiledPlan() throws Exception {
        final Session session = session();
        session.tables()
                .executeSql(
                        "CREATE TABLE sink_of_values (v BIGINT, n BIGINT, PRIMARY KEY (v) NOT"
                                + " ENFORCED) WITH ('connector' = 'blackhole')");
        assertThat(
                        CompiledPlans.types(
                                CompiledPlans.run(
                                        session, "INSERT INTO sink_of_values " + COUNT_PER_VALUE)))
                .containsSequence(
                        "state-accel-join-local-aggregate_1",
                        "stream-exec-exchange_1",
                        "state-accel-group-aggregate-of-partials_1");
    }

    private static Session session() {
        return Session.accelerated()
                .set("table.exec.state-accel.join-local-aggregate.enabled", "true");
    }

    /** What cannot be merged. */
    public static final class LastOf extends AggregateFunction<Long, LastOf.Last> {

        /** The last value. */
        public static final class Last {
            public Long value;
        }

        @Override
        public Last createAccumulator() {
            return new Last();
        }

        public void accumulate(Last last, Long value) {
            last.value = value;
        }

        @Override
        public Long getValue(Last last) {
            return last.value;
        }
    }
}
