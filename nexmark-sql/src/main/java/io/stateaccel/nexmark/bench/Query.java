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

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;

/**
 * A benchmark query: a resource file that also runs unchanged in {@code sql-client.sh}.
 *
 * @param name the file's name without its ending
 */
record Query(String name) {

    /** The queries there are, in the order in which they are listed to the user. */
    static final List<String> KNOWN = List.of("q0", "q4");

    /** Returns the query of this name, or throws a {@link UserError} that lists the known ones. */
    static Query named(String name) {
        if (!KNOWN.contains(name)) {
            throw new UserError(
                    "unknown query '" + name + "'; known are " + String.join(", ", KNOWN));
        }
        return new Query(name);
    }

    /**
     * The whole script: tables, number of events, the query's own statements.
     *
     * @param events number of events the stream has
     */
    String script(long events) {
        return resource("ddl")
                + "\nALTER TABLE datagen SET ('events.num' = '"
                + events
                + "');\n\n"
                + resource(name);
    }

    /** The statements of {@link #script}, without comments; the last one is the INSERT. */
    List<String> statements(long events) {
        String withoutComments = script(events).replaceAll("(?m)^\\s*--.*$", "");
        return Arrays.stream(withoutComments.split(";\\s*(\n|$)"))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty())
                .toList();
    }

    private static String resource(String name) {
        String path = "/queries/" + name + ".sql";
        try (InputStream in = Query.class.getResourceAsStream(path)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot read " + path, e);
        }
    }
}
