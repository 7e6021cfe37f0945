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
package io.stateaccel.nexmark.bench.queries;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.nexmark.NexmarkCluster;
import io.stateaccel.nexmark.bench.variants.Variant;
import io.stateaccel.planner.StateAccel;
import java.util.List;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.api.Test;

/** The queries of {@code ./bench latency} have the plans that they are chosen for. */
class LatencyQueriesTest {

    @Test
    void q4IsAJoinFusedWithAnAggregate() {
        assertThat(plan(LatencyQuery.Q4, "accel"))
                .containsSubsequence(
                        "CachedGroupAggregate(",
                        "Exchange(",
                        "MiniBatchJoinAggregate(",
                        "Exchange(");
    }

    @Test
    void noneIsFusedInJoinAggregateAndTopN() {
        assertThat(plan(LatencyQuery.TOP_N, "accel"))
                .containsSubsequence(
                        "MiniBatchRank(",
                        "Exchange(",
                        "CachedGroupAggregate(",
                        "Exchange(",
                        "MiniBatchJoin(",
                        "Exchange(");
    }

    @Test
    void theLeftJoinHasUpdatesOnBothSides() {
        assertThat(plan(LatencyQuery.LEFT_UPDATES, "accel"))
                .containsSubsequence(
                        "MiniBatchJoin(",
                        "LeftOuterJoin",
                        "MiniBatchRank(",
                        "CachedGroupAggregate(");
    }

    @Test
    void idleHasTwentyAggregates() {
        assertThat(plan(LatencyQuery.IDLE, "accel").split("CachedGroupAggregate\\(")).hasSize(21);
    }

    @Test
    void newKeysAreJoinedAboveTheirAggregate() {
        assertThat(plan(LatencyQuery.NEW_KEYS, "accel"))
                .containsSubsequence("MiniBatchJoin(", "InnerJoin", "CachedGroupAggregate(")
                .doesNotContain("MiniBatchJoinAggregate(");
    }

    private static String plan(LatencyQuery query, String variant) {
        StreamTableEnvironment tables = NexmarkCluster.tables(Variant.named(variant).settings());
        StateAccel.install(tables);
        List<String> statements = query.statements();
        int last = statements.size() - 1;
        statements.subList(0, last).forEach(tables::executeSql);
        String plan = tables.explainSql(statements.get(last));
        return plan.substring(plan.indexOf("== Optimized Execution Plan =="));
    }
}
