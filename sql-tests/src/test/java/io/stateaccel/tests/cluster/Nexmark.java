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
package io.stateaccel.tests.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;

/** Statements of the Nexmark workload for the SQL client. */
public final class Nexmark {

    private Nexmark() {}

    /** The source table and its views, with that many events in them. */
    static String tables(int events) throws IOException {
        return tables(Map.of("events.num", String.valueOf(events)));
    }

    /**
     * The source table and its views.
     *
     * @param options of the source, those that its definition has and others
     */
    public static String tables(Map<String, String> options) throws IOException {
        String ddl = resource("ddl.sql");
        for (Map.Entry<String, String> option : options.entrySet()) {
            ddl =
                    ddl.replaceFirst("'" + Pattern.quote(option.getKey()) + "' = '[^']*',?\\s*", "")
                            .replaceFirst(
                                    "'connector' = 'nexmark'",
                                    "$0, '%s' = '%s'"
                                            .formatted(option.getKey(), option.getValue()));
        }
        return ddl;
    }

    /** The query alone, without the sink it is published with. */
    static String q4() throws IOException {
        String sql = resource("q4.sql");
        String insert = "INSERT INTO nexmark_q4";
        int end = sql.indexOf(insert);
        if (end < 0) {
            throw new IllegalStateException("q4.sql has no " + insert);
        }
        return sql.substring(end + insert.length()).strip().replaceAll(";$", "");
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Nexmark.class.getResourceAsStream("/queries/" + name)) {
            if (in == null) {
                throw new IllegalStateException("nexmark-sql has no queries/" + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
