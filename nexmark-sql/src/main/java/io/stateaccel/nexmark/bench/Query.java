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
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A benchmark query: a resource file that also runs unchanged in {@code sql-client.sh}.
 *
 * @param name the file's name without its ending
 * @param deterministic whether the result depends on nothing but the events; results are compared
 *     only then
 * @param whyNot why Flink cannot run it, if it cannot
 */
record Query(String name, boolean deterministic, Optional<String> whyNot) {

    /** The queries there are, in the order in which they are listed to the user. */
    static final List<Query> ALL =
            List.of(
                    query("q0"),
                    query("q1"),
                    query("q2"),
                    query("q3"),
                    query("q4"),
                    query("q5"),
                    notRunnable(
                            "q6",
                            "it takes an OVER window of ten rows over winning bids, which change;"
                                    + " Flink SQL has such windows for rows that never change"),
                    query("q7"),
                    query("q8"),
                    query("q9"),
                    query("q10"),
                    query("q11"),
                    new Query("q12", false, Optional.empty()),
                    query("q14"),
                    query("q15"),
                    query("q16"),
                    query("q17"),
                    query("q18"),
                    query("q19"),
                    query("q20"),
                    query("q21"),
                    query("q22"),
                    query("q23"),
                    query("left-updates"),
                    query("anti"));

    /** The first line of a query's file, up to the full stop: {@code -- q4: average price.}. */
    private static final Pattern TITLE = Pattern.compile("-- [^:]+: ([^.]+)\\.");

    /** The queries that Flink runs. */
    static List<Query> runnable() {
        return ALL.stream().filter(query -> query.whyNot.isEmpty()).toList();
    }

    /**
     * Returns the query of this name.
     *
     * @throws UserError if there is none, with the known ones, or if Flink cannot run it
     */
    static Query named(String name) {
        Query found =
                ALL.stream()
                        .filter(query -> query.name.equals(name))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new UserError(
                                                "unknown query '"
                                                        + name
                                                        + "'; known are "
                                                        + String.join(
                                                                ", ",
                                                                ALL.stream()
                                                                        .map(Query::name)
                                                                        .toList())));
        if (found.whyNot.isPresent()) {
            throw new UserError(name + " cannot run: " + found.whyNot.get());
        }
        return found;
    }

    /** What the query is, in a few words. */
    String title() {
        Matcher title = TITLE.matcher(resource(name).lines().findFirst().orElse(""));
        return title.find() ? title.group(1) : "";
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

    private static Query query(String name) {
        return new Query(name, true, Optional.empty());
    }

    private static Query notRunnable(String name, String reason) {
        return new Query(name, true, Optional.of(reason));
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
