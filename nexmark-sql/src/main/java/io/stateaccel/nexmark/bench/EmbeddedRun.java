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
package io.stateaccel.nexmark.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.management.OperatingSystemMXBean;
import io.stateaccel.nexmark.checksum.Checksum;
import io.stateaccel.planner.StateAccel;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.JobExecutionResult;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.JobListener;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/**
 * Entry point of the JVM that does one embedded run, so that no run profits from what another one
 * compiled or cached, and the CPU time of the process is that of the job.
 *
 * <p>It takes what to do ({@code explain} or {@code run}) and a {@link RunSpec} as JSON, and
 * answers on standard output with one JSON object per line, see {@link Message}.
 */
final class EmbeddedRun {

    /**
     * A line of the answer. Exactly one field is set.
     *
     * @param events events read so far
     * @param plan the EXPLAIN
     * @param result the end of a run
     * @param error the end of a run that failed, one line
     */
    record Message(Long events, String plan, RunResult result, String error) {}

    private final RunSpec spec;
    private final PrintStream out;

    private EmbeddedRun(RunSpec spec, PrintStream out) {
        this.spec = spec;
        this.out = out;
    }

    public static void main(String[] args) throws IOException {
        PrintStream out = System.out;
        // Standard output is for messages; whatever else prints must not end up between them.
        System.setOut(System.err);
        EmbeddedRun run = new EmbeddedRun(Json.MAPPER.readValue(args[1], RunSpec.class), out);
        try {
            if (args[0].equals("explain")) {
                run.explain();
            } else {
                run.run();
            }
        } catch (Exception e) {
            e.printStackTrace();
            run.say(new Message(null, null, null, oneLine(e)));
            // Threads of a half-started cluster must not keep the process.
            Runtime.getRuntime().halt(1);
        }
        System.exit(0);
    }

    private void explain() throws IOException {
        TableEnvironment tables =
                TableEnvironment.create(
                        EnvironmentSettings.newInstance()
                                .inStreamingMode()
                                .withConfiguration(configuration())
                                .build());
        say(new Message(null, tables.explainSql(prepare(tables)), null, null));
    }

    private void run() throws Exception {
        Configuration configuration = configuration();
        MiniClusterConfiguration cluster =
                new MiniClusterConfiguration.Builder()
                        .setConfiguration(configuration)
                        .setNumTaskManagers(1)
                        .setNumSlotsPerTaskManager(spec.parallelism())
                        .withRandomPorts()
                        .build();
        try (MiniCluster miniCluster = new MiniCluster(cluster)) {
            miniCluster.start();
            say(new Message(null, null, run(configuration, miniCluster), null));
        }
    }

    private RunResult run(Configuration configuration, MiniCluster miniCluster) throws Exception {
        URI rest = miniCluster.getRestAddress().get();
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.createRemoteEnvironment(
                        rest.getHost(), rest.getPort(), configuration);
        StreamTableEnvironment tables = StreamTableEnvironment.create(environment);
        String insert = prepare(tables);
        CpuAtSubmission cpuAtSubmission = new CpuAtSubmission();
        environment.registerJobListener(cpuAtSubmission);
        JobClient job = tables.executeSql(insert).getJobClient().orElseThrow();
        JobMonitor monitor = new JobMonitor(rest.resolve("/"), job.getJobID().toHexString());
        JsonNode details = monitor.await(events -> say(new Message(events, null, null, null)));
        double cpuSeconds = (cpuNanos() - cpuAtSubmission.cpuNanos) / 1e9;
        Checksum checksum = monitor.checksum();
        return new RunResult(
                spec.variant(),
                0,
                spec.events(),
                details.path("duration").asLong() / 1e3,
                cpuSeconds,
                monitor.checkpoints(),
                checksum.digest(),
                checksum.changes());
    }

    /** Creates the tables and returns the INSERT. */
    private String prepare(TableEnvironment tables) {
        if (Variant.isAccelerated(spec.settings())) {
            StateAccel.install(tables);
        }
        List<String> statements = Query.named(spec.query()).statements(spec.events());
        statements.subList(0, statements.size() - 1).forEach(tables::executeSql);
        return statements.get(statements.size() - 1);
    }

    private Configuration configuration() {
        Configuration configuration = new Configuration();
        for (Map.Entry<String, String> setting : spec.settings().entrySet()) {
            configuration.setString(setting.getKey(), setting.getValue());
        }
        configuration.set(CoreOptions.DEFAULT_PARALLELISM, spec.parallelism());
        return configuration;
    }

    private void say(Message message) {
        try {
            out.println(Json.MAPPER.writeValueAsString(message));
            out.flush();
        } catch (IOException e) {
            throw new IllegalStateException("Cannot write " + message, e);
        }
    }

    private static long cpuNanos() {
        return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
                .getProcessCpuTime();
    }

    private static String oneLine(Throwable e) {
        Throwable cause = e;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = cause.getMessage() == null ? cause.toString() : cause.getMessage();
        return message.lines().findFirst().orElse(message);
    }

    /** Notes the CPU time when the plan is made and the job begins. */
    private static final class CpuAtSubmission implements JobListener {

        private volatile long cpuNanos;

        @Override
        public void onJobSubmitted(JobClient job, Throwable failure) {
            cpuNanos = EmbeddedRun.cpuNanos();
        }

        @Override
        public void onJobExecuted(JobExecutionResult result, Throwable failure) {}
    }
}
