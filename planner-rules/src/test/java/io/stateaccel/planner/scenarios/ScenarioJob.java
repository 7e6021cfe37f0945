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
package io.stateaccel.planner.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.StateAccel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.assertj.core.api.SoftAssertions;

/** One job for some scenarios: starting a job costs more than a query of a few rows. */
final class ScenarioJob {

    /** Works because the mini cluster lives in the test's own JVM. */
    private static final Map<String, Queue<Row>> RESULTS = new ConcurrentHashMap<>();

    private final List<Scenario> scenarios;
    private final StreamExecutionEnvironment environment;

    /**
     * @param options of the session; installed is the acceleration in any case
     */
    ScenarioJob(List<Scenario> scenarios, String backend, Map<String, String> options) {
        this.scenarios = scenarios;
        Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, backend);
        environment = StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(1);
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        StateAccel.install(tables);
        options.forEach((key, value) -> tables.getConfig().set(key, value));
        ScenarioTables.create(environment, tables);
        scenarios.forEach(scenario -> collect(scenario, tables));
    }

    private static void collect(Scenario scenario, StreamTableEnvironment tables) {
        String name = scenario.name();
        RESULTS.put(name, new ConcurrentLinkedQueue<>());
        tables.toChangelogStream(tables.sqlQuery(scenario.sql()))
                .map(
                        row -> {
                            RESULTS.get(name).add(row);
                            return 0;
                        })
                .returns(Types.INT)
                .sinkTo(new DiscardingSink<>());
    }

    /** The operators as Flink shows them, each after a colon. */
    String plan() {
        return environment.getExecutionPlan();
    }

    /** Runs the job, and fails for every scenario whose result is another. */
    void assertResults() throws Exception {
        environment.execute();
        SoftAssertions softly = new SoftAssertions();
        for (Scenario scenario : scenarios) {
            softly.assertThat(live(RESULTS.remove(scenario.name())))
                    .as(scenario.name())
                    .containsExactlyInAnyOrderElementsOf(scenario.rows());
        }
        softly.assertAll();
    }

    private static List<String> live(Queue<Row> changes) {
        List<String> live = new ArrayList<>();
        for (Row change : changes) {
            String row = text(change);
            if (change.getKind() == RowKind.INSERT || change.getKind() == RowKind.UPDATE_AFTER) {
                live.add(row);
            } else {
                assertThat(live.remove(row)).as("what is taken back was there: %s", row).isTrue();
            }
        }
        return live;
    }

    private static String text(Row row) {
        List<String> columns = new ArrayList<>();
        for (int i = 0; i < row.getArity(); i++) {
            columns.add(String.valueOf(row.getField(i)));
        }
        return String.join(",", columns);
    }
}
