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
package io.stateaccel.tests.differential;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.planner.StateAccel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.ExecutionOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.types.Row;

/** Runs a case through SQL on the mini cluster of the calling test. */
final class CaseRunner {

    static final int PARALLELISM = 2;

    private final Path checkpoints;

    CaseRunner(Path checkpoints) {
        this.checkpoints = checkpoints;
    }

    /**
     * What one run gave.
     *
     * @param rows how often each row is in the final result; a negative count means that a row was
     *     taken back more often than it was sent
     */
    record Outcome(String plan, Map<String, Integer> rows) {}

    Outcome run(DifferentialCase testCase, Variant variant) throws Exception {
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(
                        configuration(testCase, variant));
        environment.setParallelism(PARALLELISM);
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        if (variant.accelerated()) {
            StateAccel.install(tables);
            tables.getConfig().set(StateAccelOptions.ENABLED, true);
            tables.getConfig()
                    .set(StateAccelOptions.MINI_BATCH_SIZE, testCase.settings().bundleSize());
            tables.getConfig()
                    .set(StateAccelOptions.MINI_BATCH_ALLOW_LATENCY, testCase.settings().latency());
            tables.getConfig()
                    .set(
                            StateAccelOptions.AGGREGATE_CACHE_SIZE,
                            testCase.settings().aggregateCache());
        }
        Restart restart = variant.restarts() ? new Restart() : null;
        boolean failing = true;
        for (TestTable table : testCase.inputs()) {
            register(environment, tables, table, restart, testCase.restartAt(), failing);
            failing = false;
        }
        String plan = tables.explainSql(testCase.sql(), ExplainDetail.CHANGELOG_MODE);
        MaterializeOperator result = new MaterializeOperator();
        tables.toChangelogStream(tables.sqlQuery(testCase.sql()))
                .transform("result", TypeInformation.of(Row.class), result)
                .setParallelism(1)
                .sinkTo(new DiscardingSink<>());
        environment.execute(testCase.shape() + " " + variant);
        if (restart != null) {
            verifyRestored(restart, testCase.inputs());
        }
        return new Outcome(plan, result.takeResult());
    }

    private Configuration configuration(DifferentialCase testCase, Variant variant) {
        Configuration configuration = new Configuration();
        configuration.set(ExecutionOptions.RUNTIME_MODE, RuntimeExecutionMode.STREAMING);
        configuration.set(StateBackendOptions.STATE_BACKEND, variant.backend());
        configuration.set(
                CheckpointingOptions.CHECKPOINTS_DIRECTORY, checkpoints.toUri().toString());
        configuration.set(CheckpointingOptions.CHECKPOINTING_INTERVAL, Duration.ofMillis(20));
        configuration.set(CheckpointingOptions.INCREMENTAL_CHECKPOINTS, true);
        configuration.set(CheckpointingOptions.ENABLE_UNALIGNED, testCase.settings().unaligned());
        configuration.set(PipelineOptions.OBJECT_REUSE, testCase.settings().objectReuse());
        // One provoked failure; a second one is a bug that must end the job.
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY, "fixed-delay");
        configuration.set(RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_ATTEMPTS, 1);
        configuration.set(
                RestartStrategyOptions.RESTART_STRATEGY_FIXED_DELAY_DELAY, Duration.ofMillis(1));
        return configuration;
    }

    private static void register(
            StreamExecutionEnvironment environment,
            StreamTableEnvironment tables,
            TestTable table,
            Restart restart,
            double restartAt,
            boolean failing) {
        int size = table.changelog().size();
        int pauseAt = Math.max(1, (int) (restartAt * size));
        // Halfway between the checkpoint and the end, so that some work is thrown away.
        int failAt = failing ? pauseAt + (size - pauseAt) / 2 : -1;
        DataStream<Row> changes =
                environment
                        .fromSource(
                                new ChangelogSource(table.changelog(), restart, pauseAt, failAt),
                                WatermarkStrategy.noWatermarks(),
                                table.name(),
                                table.typeInformation())
                        .setParallelism(1);
        tables.createTemporaryView(
                table.name(),
                tables.fromChangelogStream(changes, table.schema(), table.kind().mode()));
    }

    private static void verifyRestored(Restart restart, List<TestTable> tables) {
        int restored = restart.restoredReaders();
        restart.forget();
        if (restored == 0) {
            throw new IllegalStateException(
                    "The job was to restore a checkpoint with rows of " + tables + " but did not");
        }
    }
}
