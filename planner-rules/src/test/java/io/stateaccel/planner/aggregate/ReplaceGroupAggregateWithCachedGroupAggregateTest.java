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
package io.stateaccel.planner.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.operators.aggregate.CachedGroupAggregateOperator;
import io.stateaccel.operators.aggregate.CachedGroupAggregateSpec;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinAggregateOperator;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinAggregateSpec;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.views.time.TimeToLive;
import java.lang.reflect.Field;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceGroupAggregateWithCachedGroupAggregateTest {

    private static final String COUNT = "SELECT id, COUNT(*) AS n FROM A GROUP BY id";

    @Test
    void replacesAnAggregateAndKeepsAllThatStockExplains() {
        assertThat(Session.installed().physicalPlan(COUNT))
                .contains("\nGroupAggregate(groupBy=[id], select=[id, COUNT(*) AS n])");
        assertThat(Session.accelerated().physicalPlan(COUNT))
                .contains(
                        "\nCachedGroupAggregate(groupBy=[id], select=[id, COUNT(*) AS n],"
                                + " bundle=[size 20000, latency 1000 ms, max 16 mb], cache=[16 mb])");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT COUNT(*) FROM A",
                "SELECT DISTINCT id FROM A",
                "SELECT id, COUNT(DISTINCT v) FROM A GROUP BY id",
                "SELECT id, MAX(r), MIN(r) FROM R GROUP BY id",
                "SELECT id, MAX(u) FROM U GROUP BY id",
                "SELECT id, COUNT(*) FROM A GROUP BY ROLLUP (id)",
                "SELECT n, COUNT(*) FROM (SELECT id, COUNT(*) AS n FROM A GROUP BY id) GROUP BY n",
            })
    void replacesWhateverTheFunctions(String query) {
        assertThat(Session.accelerated().physicalPlan(query))
                .contains("CachedGroupAggregate(")
                .doesNotContain(" GroupAggregate(")
                .doesNotContain("\nGroupAggregate(");
    }

    @Test
    void takesBundleAndCacheFromOurOptions() {
        assertThat(
                        Session.accelerated()
                                .set("table.exec.state-accel.mini-batch.size", "7")
                                .set("table.exec.state-accel.mini-batch.max-bytes", "5 mb")
                                .set("table.exec.state-accel.aggregate-cache.size", "3 mb")
                                .physicalPlan(COUNT))
                .contains("bundle=[size 7, latency 1000 ms, max 5 mb], cache=[3 mb]");
    }

    @Test
    void letsTheUsersMiniBatchSettingsRule() {
        assertThat(
                        Session.accelerated()
                                .set("table.exec.mini-batch.enabled", "true")
                                .set("table.exec.mini-batch.size", "500")
                                .set("table.exec.mini-batch.allow-latency", "2 s")
                                .set("table.optimizer.agg-phase-strategy", "ONE_PHASE")
                                .physicalPlan(COUNT))
                .contains("CachedGroupAggregate(")
                .contains("bundle=[size 500, latency 2000 ms, max 16 mb]")
                .contains("MiniBatchAssigner(");
    }

    @Test
    void replacesAggregatesWithStateTtl() {
        assertThat(Session.accelerated().set("table.exec.state.ttl", "1 h").physicalPlan(COUNT))
                .contains("CachedGroupAggregate(");
    }

    /** What the operator is told, of which EXPLAIN says nothing. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "0 s | '' | 0",
                "1 h | '' | 3600000",
                "0 s | /*+ STATE_TTL('A' = '2h') */ | 7200000",
                "1 h | /*+ STATE_TTL('A' = '2h') */ | 7200000",
                "1 h | /*+ STATE_TTL('A' = '0s') */ | 0"
            })
    void hintsRuleOverTheSession(String session, String hint, long millis) throws Exception {
        assertThat(ttlOfAggregate(session, "SELECT " + hint + " id, COUNT(*) FROM A GROUP BY id"))
                .isEqualTo(TimeToLive.ofMillis(millis));
    }

    /** The hints of the join are about its sides. */
    @Test
    void aFusedAggregateHasItsOwnTtl() throws Exception {
        String join =
                "(SELECT /*+ STATE_TTL('A' = '3h', 'B' = '4h') */ A.id AS id"
                        + " FROM A JOIN B ON A.id = B.id)";
        assertThat(ttlOfAggregate("1 h", "SELECT id, COUNT(*) FROM " + join + " GROUP BY id"))
                .isEqualTo(TimeToLive.ofMillis(3_600_000));
    }

    private static TimeToLive ttlOfAggregate(String ttlOfSession, String query) throws Exception {
        Session session = Session.accelerated().set("table.exec.state.ttl", ttlOfSession);
        session.tables().toChangelogStream(session.tables().sqlQuery(query)).print();
        for (StreamNode node : session.environment().getStreamGraph().getStreamNodes()) {
            if (node.getOperatorFactory() instanceof SimpleOperatorFactory<?> factory) {
                if (factory.getOperator() instanceof CachedGroupAggregateOperator aggregate) {
                    return ((CachedGroupAggregateSpec) field(aggregate, "spec")).ttl();
                }
                if (factory.getOperator() instanceof MiniBatchJoinAggregateOperator join) {
                    return ((MiniBatchJoinAggregateSpec) field(field(join, "results"), "spec"))
                            .ttl();
                }
            }
        }
        throw new AssertionError("No aggregate in the job");
    }

    private static Object field(Object object, String name) throws Exception {
        for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
            for (Field field : type.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field.get(object);
                }
            }
        }
        throw new AssertionError("No field " + name + " in " + object);
    }

    @Test
    void keepsAggregatesOnAsynchronousState() {
        Lines.assumeAtLeast("2.0", "Asynchronous state");
        assertStays(
                Session.accelerated().set("table.exec.async-state.enabled", "true"),
                COUNT,
                Reason.ASYNC_STATE);
    }

    private static void assertStays(Session session, String query, Reason reason) {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(session.physicalPlan(query))
                    .contains("\nGroupAggregate(")
                    .doesNotContain("CachedGroupAggregate");
            session.physicalPlan(query);
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: GroupAggregate("))
                    .singleElement()
                    .asString()
                    .startsWith("INFO [state-accel] ")
                    .contains(reason.toString());
        }
    }
}
