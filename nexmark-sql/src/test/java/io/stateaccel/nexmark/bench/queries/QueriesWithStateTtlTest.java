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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** State TTL does not change what is accelerated, in any query. */
class QueriesWithStateTtlTest {

    private static final Map<String, String> TTL = Map.of("table.exec.state.ttl", "1 d");

    static Stream<String> queries() {
        return Query.runnable().stream().map(Query::name);
    }

    @ParameterizedTest
    @MethodSource("queries")
    void hasTheSamePlan(String name) {
        assertThat(plan(name, TTL)).isEqualTo(plan(name, Map.of()));
    }

    /** Those that are measured with state TTL. */
    @ParameterizedTest
    @CsvSource({
        "q4, MiniBatchJoinAggregate",
        "q9, MiniBatchJoinRank",
        "q9-by-price, MiniBatchJoinRank",
        "q15, CachedGroupAggregate",
        "q16, CachedGroupAggregate",
        "q17, CachedGroupAggregate",
        "q18, MiniBatchRank",
        "q19, MiniBatchRank",
        "q20, MiniBatchJoin",
        "left-updates, MiniBatchJoin",
        "anti, MiniBatchJoin",
        "temporal-join, MiniBatchTemporalJoin",
    })
    void isAccelerated(String name, String node) {
        assertThat(plan(name, TTL)).contains(node + "(");
    }

    private static String plan(String name, Map<String, String> more) {
        Map<String, String> settings = new HashMap<>(Variant.named("accel").settings());
        settings.putAll(more);
        StreamTableEnvironment tables = NexmarkCluster.tables(settings);
        StateAccel.install(tables);
        List<String> statements = Query.named(name).statements(1000);
        int last = statements.size() - 1;
        statements.subList(0, last).forEach(tables::executeSql);
        return tables.explainSql(statements.get(last));
    }
}
