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
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateBackendOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.streaming.api.functions.source.legacy.SourceFunction;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.apache.flink.types.Row;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Sources that go idle with rows in bundles, and another one whose watermark closes the window that
 * these rows belong to. Nothing but the idleness ends the bundles before that.
 */
class IdleSourceTest {

    @RegisterExtension static final MiniClusterExtension CLUSTER = new MiniClusterExtension();

    private static final TypeInformation<Row> ROW =
            Types.ROW_NAMED(new String[] {"k", "v"}, Types.STRING, Types.INT);

    private static final String WINDOWS =
            "SELECT TUMBLE_START(ts, INTERVAL '10' SECOND), COUNT(*), SUM(v) FROM (%s"
                    + " UNION ALL SELECT ts, v FROM going_on)"
                    + " GROUP BY TUMBLE(ts, INTERVAL '10' SECOND)";

    private static final String INTERVAL_JOIN =
            "SELECT L.ts, L.v + R.v AS v FROM L JOIN R ON L.k = R.k AND"
                    + " L.ts BETWEEN R.ts - INTERVAL '2' SECOND AND R.ts + INTERVAL '2' SECOND";

    private static final String FIRST_ROWS =
            "SELECT ts, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY p) AS n"
                    + " FROM (SELECT *, PROCTIME() AS p FROM L)) WHERE n = 1";

    /** Works because the mini cluster lives in the test's own JVM. */
    private static final Map<String, Job> JOBS = new ConcurrentHashMap<>();

    @ParameterizedTest
    @CsvSource({"interval join, rocksdb", "interval join, hashmap", "first rows, rocksdb"})
    void rowsAreNotLateForTheWindow(String what, String backend) throws Exception {
        String sql = WINDOWS.formatted(what.equals("first rows") ? FIRST_ROWS : INTERVAL_JOIN);
        List<String> stock = results(sql, false, backend);
        List<String> ours = results(sql, true, backend);

        assertThat(stock).hasSize(2);
        assertThat(ours).containsExactlyInAnyOrderElementsOf(stock);
    }

    private static List<String> results(String sql, boolean accelerated, String backend)
            throws Exception {
        String job = "job-" + JOBS.size();
        JOBS.put(job, new Job());
        Configuration configuration = new Configuration();
        configuration.set(StateBackendOptions.STATE_BACKEND, backend);
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment(configuration);
        environment.setParallelism(1);
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        StateAccel.install(tables);
        tables.getConfig().set(StateAccelOptions.ENABLED, accelerated);
        tables.getConfig().set(StateAccelOptions.MINI_BATCH_ALLOW_LATENCY, Duration.ofDays(1));
        tables.getConfig().set(StateAccelOptions.MINI_BATCH_FOLLOW_LOAD, false);
        create("L", new Source(job, true, 1_000, 3_000), environment, tables);
        create("R", new Source(job, true, 2_000, 4_000), environment, tables);
        create("going_on", new Source(job, false, 1_500, 30_000), environment, tables);
        assertThat(tables.explainSql(sql).contains("MiniBatch")).isEqualTo(accelerated);
        tables.toDataStream(tables.sqlQuery(sql))
                .map(
                        row -> {
                            JOBS.get(job).results.add(row.toString());
                            JOBS.get(job).firstResult.countDown();
                            return 0;
                        })
                .returns(Types.INT)
                .sinkTo(new DiscardingSink<>());
        environment.execute();
        return List.copyOf(JOBS.get(job).results);
    }

    private static void create(
            String name,
            Source source,
            StreamExecutionEnvironment environment,
            StreamTableEnvironment tables) {
        tables.createTemporaryView(
                name,
                environment.addSource(source, name, ROW),
                Schema.newBuilder()
                        .column("k", DataTypes.STRING())
                        .column("v", DataTypes.INT())
                        .columnByMetadata("ts", DataTypes.TIMESTAMP_LTZ(3), "rowtime")
                        .watermark("ts", "SOURCE_WATERMARK()")
                        .build());
    }

    /** What a job and this class tell each other. */
    private static final class Job {
        final Queue<String> results = new ConcurrentLinkedQueue<>();
        final CountDownLatch firstResult = new CountDownLatch(1);
    }

    /** Two rows of one key; then idle until a window has closed, or a watermark that closes it. */
    private static final class Source implements SourceFunction<Row> {

        private static final long serialVersionUID = 1L;

        private final String job;
        private final boolean goesIdle;
        private final long[] times;

        private volatile Thread runner;

        Source(String job, boolean goesIdle, long... times) {
            this.job = job;
            this.goesIdle = goesIdle;
            this.times = times;
        }

        @Override
        public void run(SourceContext<Row> context) throws Exception {
            runner = Thread.currentThread();
            for (long time : times) {
                context.collectWithTimestamp(Row.of("a", (int) time), time);
            }
            if (goesIdle) {
                context.markAsTemporarilyIdle();
                JOBS.get(job).firstResult.await();
            } else {
                context.emitWatermark(new Watermark(times[times.length - 1]));
            }
        }

        @Override
        public void cancel() {
            runner.interrupt();
        }
    }
}
