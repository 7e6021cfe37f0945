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
package io.stateaccel.command.job;

import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Reads from the REST API of a Flink cluster. Used by one thread. */
final class RestApi {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int OK = 200;

    private final HttpClient client = HttpClient.newBuilder().connectTimeout(PATIENCE).build();
    private final String root;

    /**
     * @param address of the cluster, such as {@code http://localhost:8081}
     */
    RestApi(URI address) {
        String text = address.toString();
        this.root = text.endsWith("/") ? text : text + "/";
    }

    /**
     * @param path below the address, with what needs it escaped
     * @throws IOException with one line to tell the user
     */
    JsonElement get(String path) throws IOException, InterruptedException {
        URI uri = URI.create(root + path);
        HttpRequest request = HttpRequest.newBuilder(uri).timeout(PATIENCE).build();
        HttpResponse<String> response;
        try {
            response = client.send(request, BodyHandlers.ofString());
        } catch (ConnectException e) {
            throw new IOException("nobody answers at " + root, e);
        }
        if (response.statusCode() != OK) {
            throw new IOException(uri + " answers " + response.statusCode());
        }
        try {
            return JsonParser.parseString(response.body());
        } catch (JsonParseException e) {
            throw new IOException(uri + " is no REST API of Flink", e);
        }
    }
}
