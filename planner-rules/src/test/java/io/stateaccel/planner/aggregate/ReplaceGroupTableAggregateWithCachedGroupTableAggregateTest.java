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

import static org.apache.flink.table.api.Expressions.$;
import static org.apache.flink.table.api.Expressions.call;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.SumAndNext;
import io.stateaccel.planner.reasons.Reason;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.functions.TableAggregateFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceGroupTableAggregateWithCachedGroupTableAggregateTest {

    private static final String STOCK = "[\\s+-]GroupTableAggregate\\(";

    private static final String BUNDLE =
            ", bundle=[size 20000, latency 1000 ms, max 16 mb], cache=[16 mb]";

    @ParameterizedTest
    @ValueSource(strings = {"A", "RK", "UK", "D"})
    void replacesItOverAllChanges(String input) {
        assertThat(plans(Session.accelerated(), input))
                .contains("CachedGroupTableAggregate(groupBy=[id]")
                .contains(BUNDLE)
                .doesNotContainPattern(STOCK);
    }

    @Test
    void showsAllThatStockExplains() {
        assertThat(
                        plans(Session.accelerated(), "A")
                                .replace("CachedGroupTable", "GroupTable")
                                .replace(BUNDLE, ""))
                .containsPattern(STOCK)
                .isEqualTo(plans(Session.installed(), "A"));
    }

    @Test
    void replacesThoseWithStateTtl() {
        assertThat(plans(Session.accelerated().set("table.exec.state.ttl", "1 h"), "A"))
                .contains("CachedGroupTableAggregate(")
                .doesNotContainPattern(STOCK);
    }

    /** Without a sink Flink explains a query as for somebody who reads no retractions. */
    @Test
    void leavesThoseThatTakeNothingBack() {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(sums(Session.accelerated(), "A").explain()).containsPattern(STOCK);
            assertThat(log.lines())
                    .anyMatch(
                            line ->
                                    line.contains(
                                            Reason.TABLE_AGGREGATE_TAKES_NOTHING_BACK.toString()));
        }
    }

    @Test
    void leavesThoseThatEmitUpdates() {
        try (CapturedLog log = new CapturedLog()) {
            final Session session = Session.accelerated();
            final Table latest =
                    session.tables()
                            .from("A")
                            .groupBy($("id"))
                            .flatAggregate(call(Latest.class, $("v")).as("x"))
                            .select($("id"), $("x"));
            assertThat(plans(session, latest)).containsPattern(STOCK);
            assertThat(log.lines())
                    .anyMatch(
                            line -> line.contains(Reason.TABLE_AGGREGATE_EMITS_UPDATES.toString()));
        }
    }

    private static String plans(Session session, String input) {
        return plans(session, sums(session, input));
    }

    /** Of a statement with a sink that wants all changes. */
    private static String plans(Session session, Table results) {
        session.tables()
                .executeSql("CREATE TABLE S (id BIGINT, x BIGINT) WITH ('connector' = 'print')");
        return results.insertInto("S").explain();
    }

    private static Table sums(Session session, String input) {
        final Table rows = session.tables().from(input);
        final String value = rows.getResolvedSchema().getColumnNames().get(1);
        return rows.groupBy($("id"))
                .flatAggregate(call(SumAndNext.class, $(value)).as("x"))
                .select($("id"), $("x"));
    }

    /** Says itself what is not so any more. */
    public static final class Latest extends TableAggregateFunction<Long, SumAndNext.Sum> {

        private static final long serialVersionUID = 1L;

        @Override
        public SumAndNext.Sum createAccumulator() {
            return new SumAndNext.Sum();
        }

        public void accumulate(SumAndNext.Sum latest, Long value) {
            latest.value = value;
        }

        public void emitUpdateWithRetract(SumAndNext.Sum latest, RetractableCollector<Long> out) {
            out.retract(latest.value);
            out.collect(latest.value);
        }
    }
}
