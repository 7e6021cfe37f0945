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

import io.stateaccel.pipelines.broker.Filler;
import io.stateaccel.pipelines.broker.KafkaBroker;
import io.stateaccel.pipelines.broker.Topics;
import io.stateaccel.pipelines.orders.OrderEvents;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The other side of {@code ./bench cdc}, in a process with Kafka on its class path: starts a
 * broker, fills the topics of the orders pipeline and then answers, line by line, on standard
 * output what it is asked on standard input, until that ends.
 *
 * <ul>
 *   <li>{@code script TOPIC}: makes the topic; answers the pipeline's SQL with its results going
 *       there, as Base64
 *   <li>{@code result TOPIC}: answers how many records are committed there, and the digest of the
 *       table they make
 * </ul>
 *
 * An answer begins with {@code ok} or with {@code failed} and the reason. The first one tells that
 * the topics are full.
 */
public final class PipelineServer {

    /** As many as sub-tasks can read at once on most machines. */
    private static final int PARTITIONS = 8;

    private static final long SEED = 1;

    private final KafkaBroker broker;
    private final Topics topics;

    private PipelineServer(KafkaBroker broker) {
        this.broker = broker;
        this.topics = new Topics(broker.bootstrapServers());
    }

    /**
     * Runs.
     *
     * @param args the folder for the broker's data, and the number of events
     */
    public static void main(String[] args) throws Exception {
        PrintStream answers = System.out;
        // Standard output is for answers; whatever else prints must not end up between them.
        System.setOut(System.err);
        try (KafkaBroker broker = KafkaBroker.start(Path.of(args[0]))) {
            PipelineServer server = new PipelineServer(broker);
            server.fill(Long.parseLong(args[1]));
            answers.println("ok");
            BufferedReader requests =
                    new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = requests.readLine(); line != null; line = requests.readLine()) {
                answers.println(server.answer(line.split(" ")));
            }
        } catch (IOException e) {
            String cause = e.getCause() == null ? "" : ": " + e.getCause();
            answers.println("failed: " + (e.getMessage() + cause).lines().findFirst().orElse(""));
        }
    }

    private void fill(long events) throws IOException, InterruptedException {
        topics.create(PARTITIONS, OrderEvents.topics());
        try (Filler filler = new Filler(broker.bootstrapServers())) {
            new OrderEvents(SEED, events).forEach(filler);
            filler.flush();
        }
    }

    private String answer(String[] request) throws IOException, InterruptedException {
        return switch (request[0]) {
            case "script" -> "ok " + script(request[1]);
            case "result" -> "ok " + result(request[1]);
            default -> "failed unknown request " + request[0];
        };
    }

    private String script(String topic) throws IOException, InterruptedException {
        topics.create(PARTITIONS, List.of(topic));
        String script =
                PipelineSql.tables("orders", broker.bootstrapServers())
                                .bounded()
                                .into("largest_orders", topic)
                        + PipelineSql.file("orders/query.sql");
        return Base64.getEncoder().encodeToString(script.getBytes(StandardCharsets.UTF_8));
    }

    private String result(String topic) throws IOException {
        // Of millions of records only the table fits on the heap.
        Map<String, String> table = new TreeMap<>();
        AtomicLong committed = new AtomicLong();
        topics.read(
                topic,
                message -> {
                    committed.incrementAndGet();
                    message.applyTo(table);
                });
        MessageDigest digest = sha256();
        table.forEach(
                (key, value) ->
                        digest.update((key + value + '\n').getBytes(StandardCharsets.UTF_8)));
        String hash = HexFormat.of().formatHex(digest.digest(), 0, 16);
        return "%d %d rows %s".formatted(committed.get(), table.size(), hash);
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has it", e);
        }
    }
}
