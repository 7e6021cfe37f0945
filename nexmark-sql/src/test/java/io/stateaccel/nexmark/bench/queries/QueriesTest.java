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
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.stateaccel.nexmark.NexmarkCluster;
import io.stateaccel.nexmark.bench.variants.Variant;
import io.stateaccel.nexmark.checksum.Checksum;
import io.stateaccel.planner.StateAccel;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.table.api.CompiledPlan;
import org.apache.flink.table.api.PlanReference;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Every query runs, and gives the same result with and without acceleration. */
class QueriesTest {

    private static final long EVENTS = 5_000;

    /** In EXPLAIN: what bundles have, and what windows have. */
    private static final Pattern OUR_NODE = Pattern.compile("bundle=\\[|heap=\\[");

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER = NexmarkCluster.extension();

    static List<String> runnable() {
        return Stream.of(
                        Query.runnable(),
                        Query.OPERATORS,
                        Query.BY_TIME,
                        Query.group("cache-only").orElseThrow())
                .flatMap(List::stream)
                .map(Query::name)
                .toList();
    }

    /** Flink has no plan as JSON for what SQL has no words for. */
    static List<String> compiled() {
        return runnable().stream().filter(name -> Query.named(name).view().isEmpty()).toList();
    }

    @ParameterizedTest
    @MethodSource("runnable")
    void stockAndAcceleratedAgree(String name) throws Exception {
        Query query = Query.named(name);
        Checksum stock = run(query, Variant.named(Variant.REFERENCE));
        Checksum accelerated = run(query, Variant.named("accel"));
        if (query.deterministic()) {
            assertThat(accelerated.digest()).isEqualTo(stock.digest());
            assertThat(stock.rows()).as("a comparison of nothing proves nothing").isPositive();
        }
    }

    /** And read as it was written, with the same operators. */
    @ParameterizedTest
    @MethodSource("compiled")
    void isCompiledIntoAPlanOfOurNodes(String name) {
        Query query = Query.named(name);
        Map<String, String> settings = new HashMap<>(query.settings());
        settings.putAll(Variant.named("accel").settings());
        StreamTableEnvironment tables = NexmarkCluster.tables(settings);
        StateAccel.install(tables);
        CompiledPlan plan = tables.compilePlanSql(query.prepare(tables, query.statements(EVENTS)));
        String text = plan.asJsonString();
        String explained = plan.explain();
        assertThat(text.contains("\"state-accel-")).isEqualTo(OUR_NODE.matcher(explained).find());
        CompiledPlan read = tables.loadPlan(PlanReference.fromJsonString(text));
        assertThat(read.asJsonString()).isEqualTo(text);
        assertThat(read.explain()).isEqualTo(explained);
    }

    @Test
    void flinkStillRefusesQ6() {
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        // Not by Query#named, which refuses it too.
        List<String> statements = Query.query("q6").statements(EVENTS);
        assertThatThrownBy(() -> NexmarkCluster.run(tables, statements))
                .hasStackTraceContaining("OVER");
    }

    @ParameterizedTest
    @CsvSource({
        "normalize-1, ChangelogNormalize(",
        "normalize-100, ChangelogNormalize(",
        "upsert-sink-1, upsertMaterialize=[true]",
        "upsert-sink-100, upsertMaterialize=[true]",
        "upsert-sink-rows, upsertMaterialize=[true]"
    })
    void anOperatorAloneIsTheOnlyOneWithState(String name, String operator) {
        Query query = Query.named(name);
        StreamTableEnvironment tables = NexmarkCluster.tables(query.settings());
        String plan = tables.explainSql(query.prepare(tables, query.statements(EVENTS)));
        assertThat(plan).contains(operator).doesNotContain("Join", "Aggregate", "Rank");
    }

    /** And nothing else is accelerated, so that what is measured is Flink's operator. */
    @ParameterizedTest
    @CsvSource({
        "lookup-updates, LookupJoin(",
        "process-table-function, ProcessTableFunction(",
        "match-recognize, Match("
    })
    void staysFlinks(String name, String operator) {
        assumeThat(runnable()).contains(name);
        Query query = Query.named(name);
        Map<String, String> settings = new HashMap<>(query.settings());
        settings.putAll(Variant.named("accel").settings());
        StreamTableEnvironment tables = NexmarkCluster.tables(settings);
        StateAccel.install(tables);
        String plan = tables.explainSql(query.prepare(tables, query.statements(EVENTS)));
        assertThat(plan).contains(operator).doesNotContainPattern(OUR_NODE);
    }

    /** Only then it has state. */
    @Test
    void lookupsOfUpdatesAreKept() {
        Query query = Query.named("lookup-updates");
        StreamTableEnvironment tables = NexmarkCluster.tables(Map.of());
        String insert = query.prepare(tables, query.statements(EVENTS));
        assertThat(tables.compilePlanSql(insert).asJsonString())
                .contains("\"requireUpsertMaterialize\" : true");
    }

    @ParameterizedTest
    @MethodSource("runnable")
    void everyQueryHasATitle(String name) {
        assertThat(Query.named(name).about()).isNotBlank();
    }

    private static Checksum run(Query query, Variant variant) throws Exception {
        Map<String, String> settings = new HashMap<>(query.settings());
        settings.putAll(variant.settings());
        StreamTableEnvironment tables = NexmarkCluster.tables(settings);
        if (variant.isAccelerated()) {
            StateAccel.install(tables);
        }
        String insert = query.prepare(tables, query.statements(EVENTS));
        return NexmarkCluster.run(tables, List.of(insert));
    }
}
