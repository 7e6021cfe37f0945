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
package io.stateaccel.tests.monitoring;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;

/** A Prometheus of its own for a test, as a process. */
final class PrometheusServer implements AutoCloseable {

    private final Process process;
    private final int port;
    private final HttpClient http = HttpClient.newHttpClient();

    private PrometheusServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * @param program that is to be run
     * @param configuration the text of its {@code prometheus.yml}
     * @param directory for its files; may be deleted after {@link #close}
     */
    static PrometheusServer start(String program, String configuration, int port, Path directory)
            throws IOException {
        Path file = Files.writeString(directory.resolve("prometheus.yml"), configuration);
        Process process =
                new ProcessBuilder(
                                List.of(
                                        program,
                                        "--config.file=" + file,
                                        "--storage.tsdb.path=" + directory.resolve("data"),
                                        "--web.listen-address=localhost:" + port))
                        .redirectErrorStream(true)
                        .redirectOutput(directory.resolve("prometheus.log").toFile())
                        .start();
        return new PrometheusServer(process, port);
    }

    /**
     * What a query finds now, an array of series; empty as well as long as the server is not up.
     *
     * @throws IllegalStateException when the server refuses the query, with what it says
     */
    JsonNode query(String query) throws InterruptedException {
        URI uri =
                URI.create(
                        "http://localhost:%d/api/v1/query?query=%s"
                                .formatted(port, URLEncoder.encode(query, StandardCharsets.UTF_8)));
        try {
            String body =
                    http.send(
                                    HttpRequest.newBuilder(uri).build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .body();
            if (body.contains("\"status\":\"error\"")) {
                throw new IllegalStateException(query + ": " + body);
            }
            return new ObjectMapper().readTree(body).at("/data/result");
        } catch (IOException e) {
            return new ObjectMapper().createArrayNode();
        }
    }

    @Override
    public void close() {
        process.destroy();
        process.onExit().join();
    }
}
