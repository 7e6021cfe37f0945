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
import io.stateaccel.flink.testing.PlanFacts;
import io.stateaccel.planner.StateAccel;
import io.stateaccel.tests.differential.QueryGenerator.Shape;
import io.stateaccel.tests.differential.Variant.Phase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.annotation.Nullable;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.transformations.SourceTransformation;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.TableConfig;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.api.config.OptimizerConfigOptions;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.utils.DataTypeUtils;
import org.apache.flink.types.Row;

/**
 * Plans the cases of a job.
 *
 * @param idsOfOurs whether operators get ids that do not depend on what is chained to them
 * @param playback plays their tables
 * @param compiled compiles accelerated cases before they are executed; null if that is not to be
 */
record CasePlanner(
        Variant variant,
        Phase phase,
        boolean idsOfOurs,
        Playback playback,
        @Nullable CompiledCases compiled) {

    /**
     * Nothing expires while a case runs, nor in a savepoint that is kept for years; what expires
     * when is up to the operators' own tests.
     */
    private static final Duration LONG_TTL = Duration.ofDays(36_500);

    /** What the planner, which throws many kinds of errors, does not do. */
    static final class CannotPlanException extends IllegalArgumentException {

        private static final long serialVersionUID = 1L;

        CannotPlanException(DifferentialCase testCase, Throwable cause) {
            super("Cannot plan " + testCase, cause);
        }
    }

    /** The part of a job that computes one case. */
    record Pipeline(
            DifferentialCase testCase,
            List<String> operators,
            Set<String> sources,
            List<String> stockNodes,
            MaterializeOperator result) {

        /** Whether it reads rows that are part of the plan, as Flink makes some for a constant. */
        boolean hasRowsOfItsOwn() {
            return operators.stream().anyMatch(operator -> operator.startsWith("Values["));
        }
    }

    /**
     * Adds a case to a job.
     *
     * <p>Sources and results are always tasks of their own. Were they chained where the operators
     * between them have their parallelism of one, rows in flight to them would be lost in a rescale
     * to it, without a word from Flink.
     */
    Pipeline plan(StreamExecutionEnvironment environment, DifferentialCase testCase) {
        if (compiled != null && variant.accelerated()) {
            return planFromText(environment, testCase);
        }
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        configure(tables.getConfig(), testCase);
        if (variant.accelerated()) {
            StateAccel.install(tables);
        }
        for (TestTable table : testCase.tables()) {
            register(environment, tables, testCase, table);
        }
        Table table = testCase.query().in(tables);
        List<String> sinkKey = testCase.query().upsertKey();
        try {
            DataStream<Row> changes;
            List<String> stockNodes;
            try (StockNodes said = new StockNodes()) {
                changes = changes(tables, table, testCase);
                stockNodes = said.lines();
            }
            // Plans once more, and what has been said of a node is not said again.
            List<String> upsertKey = sinkKey.isEmpty() ? UpsertKeys.of(tables, table) : sinkKey;
            MaterializeOperator result = new MaterializeOperator(upsertKey, sinkKey.isEmpty());
            DataStreamSink<Row> sink =
                    changes.transform("result", TypeInformation.of(Row.class), result)
                            .setParallelism(1)
                            .startNewChain()
                            .sinkTo(new DiscardingSink<>())
                            .setParallelism(1);
            if (idsOfOurs) {
                setIds(sink.getTransformation(), testCase);
            }
            return new Pipeline(
                    testCase,
                    operators(changes.getTransformation()),
                    sourcesOf(changes.getTransformation()),
                    stockNodes,
                    result);
        } catch (RuntimeException | AssertionError e) {
            throw new CannotPlanException(testCase, e);
        }
    }

    /** Executed in a session that has the acceleration switched off: it is in the plan. */
    private Pipeline planFromText(
            StreamExecutionEnvironment environment, DifferentialCase testCase) {
        StreamTableEnvironment compiler = session(environment, testCase);
        StreamTableEnvironment executor = session(environment, testCase);
        executor.getConfig().set(StateAccelOptions.ENABLED, false);
        String name = testCase.seed() + "-result";
        Table table = testCase.query().in(compiler);
        List<String> sinkKey = testCase.query().upsertKey();
        List<String> upsertKey = sinkKey.isEmpty() ? UpsertKeys.of(compiler, table) : sinkKey;
        MaterializeOperator result = new MaterializeOperator(upsertKey, sinkKey.isEmpty());
        CaseTables.collect(
                name,
                sinkKey.isEmpty() ? null : PlanFacts.upsert(testCase.settings().keyOnlyDeletes()),
                result);
        Schema.Builder schema = Schema.newBuilder();
        for (Column column : table.getResolvedSchema().getColumns()) {
            // Times are not written as attributes.
            schema.column(
                    column.getName(), DataTypeUtils.removeTimeAttribute(column.getDataType()));
        }
        if (!sinkKey.isEmpty()) {
            schema.primaryKey(sinkKey);
        }
        for (StreamTableEnvironment session : List.of(compiler, executor)) {
            session.createTable(CaseTables.RESULT, CaseTables.result(name, schema.build()));
        }
        List<Transformation<?>> sinks = compiled.plan(testCase, executor, table);
        sinks.forEach(environment::addOperator);
        environment.configure(executor.getConfig().getConfiguration());
        Transformation<?> last = sinks.get(0);
        return new Pipeline(testCase, operators(last), sourcesOf(last), List.of(), result);
    }

    private StreamTableEnvironment session(
            StreamExecutionEnvironment environment, DifferentialCase testCase) {
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        configure(tables.getConfig(), testCase);
        StateAccel.install(tables);
        for (TestTable table : testCase.tables()) {
            String name = sourceName(testCase, table);
            tables.createTable(
                    table.name(),
                    CaseTables.played(
                            name,
                            table,
                            new ChangelogSource(name, table, playback, holds(table, variant))));
        }
        return tables;
    }

    private void register(
            StreamExecutionEnvironment environment,
            StreamTableEnvironment tables,
            DifferentialCase testCase,
            TestTable table) {
        String name = sourceName(testCase, table);
        DataStream<Row> changes =
                environment
                        .fromSource(
                                new ChangelogSource(name, table, playback, holds(table, variant)),
                                WatermarkStrategy.noWatermarks(),
                                name,
                                table.typeInformation())
                        .setParallelism(1)
                        .disableChaining();
        tables.createTemporaryView(
                table.name(),
                tables.fromChangelogStream(changes, table.schema(), table.changes().mode()));
    }

    private static DataStream<Row> changes(
            StreamTableEnvironment tables, Table table, DifferentialCase testCase) {
        List<String> upsertKey = testCase.query().upsertKey();
        Schema.Builder schema = Schema.newBuilder();
        if (testCase.settings().splitDistinct()) {
            // The parts of a split aggregate come one after the other, so a column that is not null
            // is, for a moment: stock Flink fails then, or loses that change.
            for (Column column : table.getResolvedSchema().getColumns()) {
                String name = column.getName();
                DataType type = column.getDataType();
                schema.column(name, upsertKey.contains(name) ? type : type.nullable());
            }
        }
        if (upsertKey.isEmpty()) {
            return tables.toChangelogStream(table, schema.build());
        }
        return tables.toChangelogStream(
                table,
                schema.primaryKey(upsertKey).build(),
                PlanFacts.upsert(testCase.settings().keyOnlyDeletes()));
    }

    /** Sets every option in every case: the cases of a job share what they are set to. */
    private void configure(TableConfig config, DifferentialCase testCase) {
        DifferentialCase.Settings settings = testCase.settings();
        config.set(StateAccelOptions.ENABLED, variant.accelerated());
        config.set(StateAccelOptions.MINI_BATCH_SIZE, settings.bundleSize());
        config.set(StateAccelOptions.MINI_BATCH_ALLOW_LATENCY, settings.latency());
        config.set(StateAccelOptions.MINI_BATCH_FOLLOW_LOAD, settings.followLoad());
        config.set(StateAccelOptions.AGGREGATE_CACHE_SIZE, settings.aggregateCache());
        config.set(
                StateAccelOptions.AGGREGATE_BEFORE_JOIN_ENABLED,
                testCase.shape() == Shape.JOIN_AGGREGATED_PER_ROW);
        config.set(StateAccelOptions.JOIN_LOCAL_AGGREGATE_ENABLED, settings.localAggregate());
        config.set(StateAccelOptions.JOIN_INPUT_PROJECTION_ENABLED, settings.joinInputProjection());
        config.set(StateAccelOptions.JOIN_NORMALIZE_FUSION_ENABLED, settings.joinNormalizeFusion());
        // The oracle is Flink at its plainest: what the query means does not hang on these.
        boolean asTheUserWants = variant != Variant.ORACLE;
        config.set(
                ExecutionConfigOptions.IDLE_STATE_RETENTION,
                asTheUserWants && settings.ttl() ? LONG_TTL : Duration.ZERO);
        config.set(
                ExecutionConfigOptions.TABLE_EXEC_SOURCE_IDLE_TIMEOUT,
                settings.idleSources() ? Duration.ofMillis(1) : Duration.ZERO);
        config.set(
                ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ENABLED,
                asTheUserWants && settings.userMiniBatch());
        config.set(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_SIZE, (long) settings.bundleSize());
        config.set(ExecutionConfigOptions.TABLE_EXEC_MINIBATCH_ALLOW_LATENCY, settings.latency());
        config.set(
                OptimizerConfigOptions.TABLE_OPTIMIZER_AGG_PHASE_STRATEGY,
                settings.aggregatePhases());
        config.set(
                OptimizerConfigOptions.TABLE_OPTIMIZER_DISTINCT_AGG_SPLIT_ENABLED,
                asTheUserWants && settings.splitDistinct());
        // By its key: only Flink 2.3 and later ask what to do about rows in conflict.
        config.set("table.exec.sink.require-on-conflict", "false");
        // By its key: only Flink 2.1 and later have the option.
        config.set(
                "table.optimizer.multi-join.enabled",
                String.valueOf(asTheUserWants && settings.multiJoin()));
        phase.options().forEach(config.getConfiguration()::setString);
    }

    /** The name of the source of a table. */
    static String sourceName(DifferentialCase testCase, TestTable table) {
        return testCase.seed() + "-" + table.name();
    }

    private static void setIds(Transformation<?> last, DifferentialCase testCase) {
        int id = 0;
        for (Transformation<?> operator : last.getTransitivePredecessors()) {
            operator.setUid(testCase.seed() + "-" + id++);
        }
    }

    private static List<String> operators(Transformation<?> last) {
        return last.getTransitivePredecessors().stream()
                .map(operator -> operator.getName() + " " + operator.getDescription())
                .collect(Collectors.toList());
    }

    private static Set<String> sourcesOf(Transformation<?> last) {
        return last.getTransitivePredecessors().stream()
                .filter(SourceTransformation.class::isInstance)
                .map(Transformation::getName)
                .collect(Collectors.toSet());
    }

    /** Spread over the changelog, none at its very beginning. */
    static int[] holds(TestTable table, Variant variant) {
        int[] holds = new int[variant.holds()];
        for (int hold = 0; hold < holds.length; hold++) {
            holds[hold] = (int) ((hold + 0.7) / (holds.length + 0.4) * table.changelog().size());
        }
        return holds;
    }
}
