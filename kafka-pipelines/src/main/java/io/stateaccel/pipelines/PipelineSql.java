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

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/**
 * The SQL of the pipelines as a user would write it, and what a run of it changes: where the broker
 * is, where inputs end, which topic gets the results. Immutable.
 */
public final class PipelineSql {

    private static final Pattern TABLE = Pattern.compile("CREATE TABLE (\\w+)");
    private static final String BROKER = "localhost:9092";

    private final String text;

    private PipelineSql(String text) {
        this.text = text;
    }

    /**
     * The text of a file among the resources.
     *
     * @param name such as {@code orders/tables.sql}
     */
    public static String file(String name) {
        try (InputStream in = PipelineSql.class.getResourceAsStream("/" + name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The tables of a pipeline, such as {@code orders}, on a broker. */
    public static PipelineSql tables(String pipeline, String bootstrapServers) {
        return new PipelineSql(
                file(pipeline + "/tables.sql")
                        .replace('\'' + BROKER + '\'', '\'' + bootstrapServers + '\''));
    }

    /** These tables, with inputs that end with what is there when a job starts. */
    public PipelineSql bounded() {
        StringBuilder bounded = new StringBuilder(text);
        TABLE.matcher(text)
                .results()
                .map(table -> table.group(1))
                .filter(this::isInput)
                .forEach(
                        table ->
                                bounded.append(
                                        setting(table, "scan.bounded.mode", "latest-offset")));
        return new PipelineSql(bounded.toString());
    }

    /**
     * These tables, of which one has another topic, with transactions of its own.
     *
     * @param topic also the name of the transactions
     */
    public PipelineSql into(String table, String topic) {
        return new PipelineSql(
                text
                        + setting(table, "topic", topic)
                        + setting(table, "sink.transactional-id-prefix", topic));
    }

    /** Sets another option of a table. */
    public PipelineSql with(String table, String option, String value) {
        return new PipelineSql(text + setting(table, option, value));
    }

    /** The statements. */
    @Override
    public String toString() {
        return text;
    }

    private boolean isInput(String table) {
        String definition = text.substring(text.indexOf("CREATE TABLE " + table + " "));
        return !definition.substring(0, definition.indexOf(");\n")).contains("'sink.");
    }

    private static String setting(String table, String option, String value) {
        return "\nALTER TABLE %s SET ('%s' = '%s');\n".formatted(table, option, value);
    }
}
