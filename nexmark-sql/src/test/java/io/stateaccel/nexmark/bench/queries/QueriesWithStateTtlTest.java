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
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** State TTL does not change what is accelerated. */
class QueriesWithStateTtlTest {

    @ParameterizedTest
    @CsvSource({
        "q9, MiniBatchJoinRank",
        "q18, MiniBatchRank",
        "q19, MiniBatchRank",
    })
    void hasTheSamePlan(String name, String node) {
        String plan = plan(name, Map.of());
        assertThat(plan).contains(node + "(");
        assertThat(plan(name, Map.of("table.exec.state.ttl", "1 d"))).isEqualTo(plan);
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
