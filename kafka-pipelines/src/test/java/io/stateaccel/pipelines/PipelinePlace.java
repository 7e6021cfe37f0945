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
package io.stateaccel.pipelines;

import static io.stateaccel.tests.cluster.FlinkDistribution.builtJar;

import io.stateaccel.pipelines.broker.Filler;
import io.stateaccel.pipelines.broker.KafkaBroker;
import io.stateaccel.pipelines.broker.Topics;
import io.stateaccel.pipelines.orders.OrderEvent;
import io.stateaccel.tests.cluster.Command;
import io.stateaccel.tests.cluster.FlinkDistribution;
import io.stateaccel.tests.cluster.StandaloneCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A broker, and a standalone cluster with our jar, the Kafka connector and the Avro format. */
final class PipelinePlace implements AutoCloseable {

    static final int PARTITIONS = 3;

    /** Processes that live for a minute: what they run is not worth optimising. */
    private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

    /** What Flink's own distribution has. */
    private static final Pattern IN_DISTRIBUTION =
            Pattern.compile("flink-(json|connector-base)-.*");

    private final KafkaBroker broker;
    private final StandaloneCluster cluster;

    private PipelinePlace(KafkaBroker broker, StandaloneCluster cluster) {
        this.broker = broker;
        this.cluster = cluster;
    }

    /**
     * Starts both.
     *
     * @param name of the folder of the test
     * @param settings of the cluster
     */
    static PipelinePlace start(String name, Map<String, String> settings)
            throws IOException, InterruptedException {
        FlinkDistribution distribution = FlinkDistribution.create(name);
        distribution.install(builtJar("flink-sql-state-accel"));
        for (Path jar : connectors()) {
            distribution.install(jar);
        }
        Map<String, String> all = new LinkedHashMap<>();
        for (String process : List.of("client", "jobmanager", "taskmanager")) {
            all.put("env.java.opts." + process, SHORT_LIVED);
        }
        all.putAll(settings);
        KafkaBroker broker = KafkaBroker.start(distribution.runFolder().resolve("kafka"));
        try {
            return new PipelinePlace(broker, StandaloneCluster.start(distribution, all));
        } catch (IOException | InterruptedException | RuntimeException e) {
            broker.close();
            throw e;
        }
    }

    private static List<Path> connectors() throws IOException {
        Path folder =
                Path.of(System.getProperty("stateaccel.build-folder", "target"), "connectors");
        try (Stream<Path> jars = Files.list(folder)) {
            return jars.filter(
                            jar -> !IN_DISTRIBUTION.matcher(jar.getFileName().toString()).matches())
                    .toList();
        }
    }

    KafkaBroker broker() {
        return broker;
    }

    StandaloneCluster cluster() {
        return cluster;
    }

    Topics topics() {
        return new Topics(broker.bootstrapServers());
    }

    PipelineSql tables(String pipeline) {
        return PipelineSql.tables(pipeline, broker.bootstrapServers());
    }

    /** Makes topics and fills them. */
    void fill(List<String> topics, Consumer<Consumer<OrderEvent>> events)
            throws IOException, InterruptedException {
        topics().create(PARTITIONS, topics);
        try (Filler filler = new Filler(broker.bootstrapServers())) {
            events.accept(filler);
            filler.flush();
        }
    }

    /** Runs statements to their end. */
    String run(String statements) throws IOException, InterruptedException {
        Command.Result result =
                cluster.distribution().runSql("SET 'table.dml-sync' = 'true';\n" + statements);
        if (result.exitCode() != 0 || result.output().contains("[ERROR]")) {
            throw new IOException(
                    result.output() + cluster.distribution().logs("standalonesession"));
        }
        return result.output();
    }

    @Override
    public void close() throws IOException, InterruptedException {
        try {
            cluster.close();
        } finally {
            broker.close();
        }
    }
}
