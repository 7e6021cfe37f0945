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
package io.stateaccel.tests.docs;

import io.stateaccel.command.flink.SqlScript;
import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.planner.StateAccel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.TableResult;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.api.internal.TableEnvironmentInternal;
import org.apache.flink.table.operations.ExplainOperation;
import org.apache.flink.table.operations.Operation;
import org.apache.flink.table.operations.command.ResetOperation;
import org.apache.flink.table.operations.command.SetOperation;

/**
 * A session of the SQL client, as far as documentation needs one: it has {@code SET} and {@code
 * RESET}, which a table environment has not, and runs each query on the cluster of the test.
 */
final class SqlSession {

    private static final int SECONDS_PER_JOB = 60;

    private final StreamTableEnvironment tables;
    private final List<String> plans = new ArrayList<>();
    private int jobs;

    /**
     * A session with the acceleration on.
     *
     * @param configuration of its jobs
     */
    SqlSession(Configuration configuration) {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(1);
        tables = StreamTableEnvironment.create(environment);
        StateAccel.install(tables);
        tables.getConfig().set(StateAccelOptions.ENABLED, true);
    }

    /** Plans of the EXPLAIN statements that were run. */
    List<String> plans() {
        return plans;
    }

    /** How many queries were run. */
    int jobs() {
        return jobs;
    }

    /**
     * Runs statements, queries to their end.
     *
     * @throws Exception when a statement is not sound, a job fails, or one does not end
     */
    void run(String block) throws Exception {
        SqlScript script = new SqlScript(block);
        while (script.hasNext()) {
            Operation operation =
                    script.next(
                            statement ->
                                    ((TableEnvironmentInternal) tables)
                                            .getParser()
                                            .parse(statement)
                                            .get(0));
            if (operation instanceof SetOperation set) {
                tables.getConfig().set(set.getKey().orElseThrow(), set.getValue().orElseThrow());
                // What is set is looked at when something is planned.
                tables.explainSql("SELECT 1");
            } else if (operation instanceof ResetOperation reset) {
                tables.getConfig().getConfiguration().removeKey(reset.getKey().orElseThrow());
            } else {
                TableResult result = tables.executeSql(script.text());
                if (operation instanceof ExplainOperation) {
                    result.collect().forEachRemaining(row -> plans.add(row.getFieldAs(0)));
                }
                if (result.getJobClient().isPresent()) {
                    jobs++;
                    // Of a SELECT the rows, of an INSERT nothing but a number.
                    result.collect().forEachRemaining(row -> {});
                    // A query without a row has no first one to wait for, as the result would.
                    result.getJobClient()
                            .get()
                            .getJobExecutionResult()
                            .get(SECONDS_PER_JOB, TimeUnit.SECONDS);
                }
            }
        }
    }
}
