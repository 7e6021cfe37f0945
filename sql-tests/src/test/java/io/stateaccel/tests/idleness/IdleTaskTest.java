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
package io.stateaccel.tests.idleness;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.planner.StateAccel;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.legacy.SourceFunction;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Rows that nothing comes after, in a job whose bundles are otherwise as good as endless. The next
 * row is sent when the last one's result is there.
 */
class IdleTaskTest {

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(2)
                            .build());

    private static final TypeInformation<Row> ROW =
            Types.ROW_NAMED(new String[] {"k", "v"}, Types.INT, Types.INT);

    private static final int ROWS = 30;

    /** A join, an aggregate and a top-N, each by another key. */
    private static final String THREE_OPERATORS =
            "SELECT r, s FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY MOD(r, 1) ORDER BY s DESC)"
                    + " AS n FROM (SELECT r, SUM(l) AS s FROM (SELECT L.v AS l, R.v AS r FROM L"
                    + " JOIN R ON L.k = R.k) GROUP BY r)) WHERE n <= 1";

    private static final String OUTER_JOIN =
            "SELECT L.k, L.v + COALESCE(R.v, 0) FROM L LEFT JOIN R ON L.k = R.k";

    /** Works because the mini cluster lives in the test's own JVM. */
    private static final Map<String, Job> JOBS = new ConcurrentHashMap<>();

    @ParameterizedTest
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    @CsvSource({
        "three operators, rocksdb, 1, 3",
        "three operators, hashmap, 2, 3",
        "outer join, rocksdb, 2, 1"
    })
    void rowsWaitForNothing(String what, String backend, int parallelism, int operators)
            throws Exception {
        String sql = what.equals("outer join") ? OUTER_JOIN : THREE_OPERATORS;
        String id = "job-" + JOBS.size();
        Job job = new Job();
        JOBS.put(id, job);
        Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, backend);
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(parallelism);
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        StateAccel.install(tables);
        tables.getConfig().set(StateAccelOptions.ENABLED, true);
        tables.getConfig().set(StateAccelOptions.MINI_BATCH_ALLOW_LATENCY, Duration.ofDays(1));
        for (String side : List.of("L", "R")) {
            tables.createTemporaryView(
                    side,
                    environment.addSource(new Source(id, side), side, ROW),
                    Schema.newBuilder()
                            .column("k", DataTypes.INT())
                            .column("v", DataTypes.INT())
                            .build());
        }
        assertThat(tables.explainSql(sql).split("bundle=\\[", -1)).hasSize(2 * operators + 1);
        tables.toChangelogStream(tables.sqlQuery(sql))
                .map(
                        row -> {
                            if (row.getKind() != RowKind.UPDATE_BEFORE
                                    && row.getKind() != RowKind.DELETE) {
                                JOBS.get(id).results.add(row.getField(1));
                            }
                            return 0;
                        })
                .returns(Types.INT)
                .sinkTo(new DiscardingSink<>());
        JobClient client = environment.executeAsync();
        try {
            send(job, "R", 1, 0);
            int expected = 0;
            int last;
            for (int row = 1; row <= ROWS; row++) {
                send(job, "L", 1, row);
                last = expected;
                // A sum, or the row itself.
                expected = sql.equals(OUTER_JOIN) ? row : expected + row;
                awaitResult(job, last, expected, client);
            }
        } finally {
            // Flink takes the interrupt of these sources for a failure.
            client.cancel().exceptionally(failure -> null).get();
        }
    }

    private static void send(Job job, String side, int key, int value) {
        job.rows.get(side).add(Row.of(key, value));
    }

    /** A row that has come before its match is a result twice. */
    private static void awaitResult(Job job, int last, int expected, JobClient client)
            throws Exception {
        Object result = null;
        while (result == null || result.equals(last)) {
            result = job.results.poll(1, TimeUnit.SECONDS);
            if (client.getJobExecutionResult().isDone()) {
                client.getJobExecutionResult().get();
            }
        }
        assertThat(result).isEqualTo(expected);
    }

    /** What a job and this class tell each other. */
    private static final class Job {
        final Map<String, BlockingQueue<Row>> rows =
                Map.of("L", new LinkedBlockingQueue<>(), "R", new LinkedBlockingQueue<>());
        final BlockingQueue<Object> results = new LinkedBlockingQueue<>();
    }

    /** Sends what the test gives it. */
    private static final class Source implements SourceFunction<Row> {

        private static final long serialVersionUID = 1L;

        private final String job;
        private final String side;

        private volatile Thread runner;

        Source(String job, String side) {
            this.job = job;
            this.side = side;
        }

        @Override
        public void run(SourceContext<Row> context) throws Exception {
            runner = Thread.currentThread();
            try {
                while (true) {
                    context.collect(JOBS.get(job).rows.get(side).take());
                }
            } catch (InterruptedException e) {
                runner.interrupt();
            }
        }

        @Override
        public void cancel() {
            runner.interrupt();
        }
    }
}
