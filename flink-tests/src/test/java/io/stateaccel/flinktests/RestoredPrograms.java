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
package io.stateaccel.flinktests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.stateaccel.flinktests.Mode.Bundles;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.groups.OperatorMetricGroup;
import org.apache.flink.runtime.executiongraph.AccessExecutionJobVertex;
import org.apache.flink.runtime.jobgraph.SavepointRestoreSettings;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.testutils.CommonTestUtils;
import org.apache.flink.runtime.testutils.InMemoryReporter;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.StatementSet;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.api.config.ExecutionConfigOptions;
import org.apache.flink.table.planner.factories.TestValuesTableFactory;
import org.apache.flink.table.planner.plan.nodes.exec.testutils.RestoreTestBase;
import org.apache.flink.table.test.program.SinkTestStep;
import org.apache.flink.table.test.program.SourceTestStep;
import org.apache.flink.table.test.program.SqlTestStep;
import org.apache.flink.table.test.program.StatementSetTestStep;
import org.apache.flink.table.test.program.TableTestProgram;
import org.apache.flink.table.test.program.TestStep;
import org.apache.flink.test.junit5.InjectMiniCluster;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.opentest4j.TestAbortedException;

/**
 * The programs of Flink's restore tests, stopped with a savepoint and restored, on our plans.
 *
 * <p>Flink's tests restore plans that stock Flink has compiled, with stock nodes; here the plan is
 * made from the SQL, before and after. What comes out is compared with what stock makes of the
 * same: with bundles of one row every change, where that does not depend on which of two tables is
 * read first; elsewhere the table. Jobs have a parallelism of one, since which rows are late
 * depends on how sub-tasks overtake each other; for the same reason programs of several tables have
 * no watermark before the end of their rows. Programs on processing time or with a state TTL of
 * seconds are left out: what stock makes of them depends on how fast the machine is. So are those
 * that stock fails in, as it does in one OVER aggregate on the heap.
 */
class RestoredPrograms {

    private static final long SECONDS = 60;

    private static final String EMITTED = "numRecordsOut";

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(RestoredPrograms::cluster);

    /** Of the cluster: one that a cluster has closed is none for the next. */
    private static InMemoryReporter metrics;

    @TempDir private Path savepoints;

    private static MiniClusterResourceConfiguration cluster() {
        metrics = InMemoryReporter.createWithRetainedMetrics();
        return new MiniClusterResourceConfiguration.Builder()
                .setNumberTaskManagers(1)
                .setNumberSlotsPerTaskManager(1)
                .setConfiguration(metrics.addToConfiguration(new Configuration()))
                .build();
    }

    static Stream<Arguments> programs() {
        return FlinkTestClasses.all().stream()
                .filter(RestoreTestBase.class::isAssignableFrom)
                .flatMap(
                        testClass ->
                                programsOf(testClass).stream()
                                        .map(
                                                program ->
                                                        Arguments.of(
                                                                testClass.getSimpleName(),
                                                                program)));
    }

    @AfterEach
    void clear() {
        TestValuesTableFactory.clearAllData();
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("programs")
    void restores(
            String testClass, TableTestProgram program, @InjectMiniCluster MiniCluster cluster)
            throws Exception {
        final Mode mode = Mode.current();
        assumeThat(program.id).doesNotContain("proc-time", "state-ttl");
        assumeThat(isAccelerated(program)).isTrue();
        try {
            Mode.set(new Mode(Bundles.STOCK, mode.backend()));
            final Map<String, Long> rows;
            final Map<String, List<String>> stock;
            try {
                rows = rowsBeforeSavepoint(program, cluster);
                stock = run(program, "stock", mode, rows, cluster);
            } catch (ExecutionException e) {
                throw new TestAbortedException("Stock Flink fails", e);
            }
            Mode.set(mode);
            assertThat(run(program, "accelerated", mode, rows, cluster)).isEqualTo(stock);
        } finally {
            Mode.set(mode);
        }
    }

    /**
     * Runs a program until all rows before the savepoint have been read, and from there to its end.
     *
     * @param mode says whether changes or tables are to be compared
     * @param rows how many rows its tables have before the savepoint
     * @return what is in its sinks, without an order: sub-tasks write side by side
     */
    private Map<String, List<String>> run(
            TableTestProgram program,
            String name,
            Mode mode,
            Map<String, Long> rows,
            MiniCluster cluster)
            throws Exception {
        TestValuesTableFactory.clearAllData();
        final JobClient job =
                start(
                        prepared(
                                program,
                                EnvironmentSettings.inStreamingMode(),
                                Rows.BEFORE_SAVEPOINT),
                        program);
        final String savepoint;
        try {
            CommonTestUtils.waitForAllTaskRunning(cluster, job.getJobID(), false);
            waitUntilRead(job.getJobID(), rows);
            savepoint =
                    job.stopWithSavepoint(
                                    false,
                                    savepoints.resolve(name).toString(),
                                    SavepointFormatType.DEFAULT)
                            .get(SECONDS, TimeUnit.SECONDS);
        } catch (Throwable e) {
            // It would keep the slots.
            job.cancel().get();
            throw e;
        }
        CommonTestUtils.waitForJobStatus(job, List.of(JobStatus.FINISHED));

        TestValuesTableFactory.clearAllData();
        final EnvironmentSettings restored = EnvironmentSettings.inStreamingMode();
        SavepointRestoreSettings.toConfiguration(
                SavepointRestoreSettings.forPath(savepoint, false), restored.getConfiguration());
        start(prepared(program, restored, Rows.AFTER_SAVEPOINT), program)
                .getJobExecutionResult()
                .get(SECONDS, TimeUnit.SECONDS);

        // Which changes a join of two tables emits depends on which is read first.
        final boolean compareChanges =
                mode.bundles() == Bundles.OF_ONE_ROW
                        && program.getSetupSourceTestSteps().size() == 1;
        final Map<String, List<String>> results = new TreeMap<>();
        for (SinkTestStep sink : program.getSetupSinkTestSteps()) {
            results.put(
                    sink.name,
                    (compareChanges
                                    ? TestValuesTableFactory.getRawResultsAsStrings(sink.name)
                                    : TestValuesTableFactory.getResultsAsStrings(sink.name))
                            .stream().sorted().toList());
        }
        return results;
    }

    /**
     * Of each table that is read, what a job that comes to an end reads of it: filters may be
     * pushed into it.
     */
    private static Map<String, Long> rowsBeforeSavepoint(
            TableTestProgram program, MiniCluster cluster) throws Exception {
        TestValuesTableFactory.clearAllData();
        final JobClient job =
                start(
                        prepared(
                                program,
                                EnvironmentSettings.inStreamingMode(),
                                Rows.BEFORE_SAVEPOINT_TO_AN_END),
                        program);
        job.getJobExecutionResult().get(SECONDS, TimeUnit.SECONDS);
        final Map<String, Long> rows = new TreeMap<>();
        final List<String> tasks =
                cluster
                        .getArchivedExecutionGraph(job.getJobID())
                        .get()
                        .getAllVertices()
                        .values()
                        .stream()
                        .map(AccessExecutionJobVertex::getName)
                        .toList();
        for (SourceTestStep source : program.getSetupSourceTestSteps()) {
            if (tasks.stream().noneMatch(task -> task.matches(operatorOf(source.name)))) {
                continue;
            }
            // A job may have come to its end before the reporter is told of its metrics.
            waitUntil(
                    source.name + " is known to the reporter",
                    () -> !operatorsOf(job.getJobID(), source.name).isEmpty());
            rows.put(source.name, emitted(job.getJobID(), source.name));
        }
        return rows;
    }

    /** What the operators behind have not emitted yet they do before the savepoint's barrier. */
    private static void waitUntilRead(JobID job, Map<String, Long> rows) throws Exception {
        for (Map.Entry<String, Long> table : rows.entrySet()) {
            waitUntil(
                    table + " rows are read",
                    () -> emitted(job, table.getKey()) >= table.getValue());
        }
    }

    private static void waitUntil(String what, BooleanSupplier condition) throws Exception {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("time until which " + what).isLessThan(deadline);
            Thread.sleep(10);
        }
    }

    private static long emitted(JobID job, String table) {
        return operatorsOf(job, table).stream().mapToLong(RestoredPrograms::emitted).sum();
    }

    private static String operatorOf(String table) {
        return ".*\\b" + table + "\\[\\d+].*";
    }

    private static List<OperatorMetricGroup> operatorsOf(JobID job, String table) {
        return metrics.findOperatorMetricGroups(job, operatorOf(table)).stream()
                .filter(operator -> metrics.getMetricsByGroup(operator).containsKey(EMITTED))
                .toList();
    }

    private static long emitted(OperatorMetricGroup operator) {
        return ((Counter) metrics.getMetricsByGroup(operator).get(EMITTED)).getCount();
    }

    /** Which rows the tables of a program have. */
    private enum Rows {
        BEFORE_SAVEPOINT,
        BEFORE_SAVEPOINT_TO_AN_END,
        AFTER_SAVEPOINT
    }

    /**
     * Whether our operators take part. They cannot where the SQL no longer has a plan: what Flink
     * restores are plans of older versions. Models are not set up; what asks one has no plan here,
     * and would have no operator of ours.
     */
    private static boolean isAccelerated(TableTestProgram program) {
        final TableEnvironment tables =
                prepared(program, EnvironmentSettings.inStreamingMode(), Rows.BEFORE_SAVEPOINT);
        final int before = AcceleratingPlanner.translated();
        try {
            if (run(program) instanceof SqlTestStep sql) {
                tables.explainSql(sql.sql);
            } else {
                statements(program, tables).explain();
            }
        } catch (ValidationException e) {
            return false;
        }
        return AcceleratingPlanner.translated() > before;
    }

    private static JobClient start(TableEnvironment tables, TableTestProgram program) {
        return (run(program) instanceof SqlTestStep sql
                        ? tables.executeSql(sql.sql)
                        : statements(program, tables).execute())
                .getJobClient()
                .orElseThrow();
    }

    private static StatementSet statements(TableTestProgram program, TableEnvironment tables) {
        final StatementSet set = tables.createStatementSet();
        ((StatementSetTestStep) run(program)).statements.forEach(set::addInsertSql);
        return set;
    }

    private static TestStep run(TableTestProgram program) {
        return program.runSteps.get(0);
    }

    private static TableEnvironment prepared(
            TableTestProgram program, EnvironmentSettings settings, Rows rows) {
        final TableEnvironment tables = TableEnvironment.create(settings);
        tables.getConfig().set(ExecutionConfigOptions.TABLE_EXEC_RESOURCE_DEFAULT_PARALLELISM, 1);
        program.getSetupConfigOptionTestSteps().forEach(step -> step.apply(tables));
        final boolean hasOneTable = program.getSetupSourceTestSteps().size() == 1;
        if (!hasOneTable) {
            tables.getConfig().set(PipelineOptions.AUTO_WATERMARK_INTERVAL, Duration.ofDays(1));
        }
        for (SourceTestStep source : program.getSetupSourceTestSteps()) {
            final Map<String, String> options = new HashMap<>();
            options.put("connector", "values");
            options.put(
                    "data-id",
                    TestValuesTableFactory.registerData(
                            rows == Rows.AFTER_SAVEPOINT
                                    ? source.dataAfterRestore
                                    : source.dataBeforeRestore));
            options.put("terminating", Boolean.toString(rows != Rows.BEFORE_SAVEPOINT));
            options.put("runtime-source", "NewSource");
            if (source.schemaComponents.stream().anyMatch(c -> c.startsWith("WATERMARK FOR"))) {
                options.put("disable-lookup", "true");
                options.put("enable-watermark-push-down", "true");
                options.put(
                        "scan.watermark.emit.strategy", hasOneTable ? "on-event" : "on-periodic");
            }
            source.apply(tables, options);
        }
        for (SinkTestStep sink : program.getSetupSinkTestSteps()) {
            sink.apply(tables, Map.of("connector", "values", "sink-insert-only", "false"));
        }
        program.getSetupFunctionTestSteps().forEach(step -> step.apply(tables));
        program.getSetupTemporalFunctionTestSteps().forEach(step -> step.apply(tables));
        return tables;
    }

    private static List<TableTestProgram> programsOf(Class<?> testClass) {
        try {
            final Constructor<?> constructor = testClass.getDeclaredConstructor();
            constructor.setAccessible(true);
            return ((RestoreTestBase) constructor.newInstance()).supportedPrograms();
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(testClass + " cannot be asked for its programs", e);
        }
    }
}
