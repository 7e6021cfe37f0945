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
package io.stateaccel.tests.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The messages in {@code docs/troubleshooting.md}. */
public final class TroubleshootingTable {

    private static final Path PAGE = Path.of("..", "docs", "troubleshooting.md");

    private static final Pattern ROW =
            Pattern.compile("^\\| `([^`]+)` \\| `?(\\w+)`? \\| (.+) \\|$", Pattern.MULTILINE);

    private TroubleshootingTable() {}

    /**
     * A row.
     *
     * @param message in which … stands for what differs from case to case
     * @param from the class that says it, or {@code Flink}
     */
    record Row(String message, String from) {

        /** What the message has in every case, in order, sentence by sentence. */
        List<String> parts() {
            return Arrays.stream(message.split("…|(?<=[.?]) "))
                    .map(String::trim)
                    .filter(part -> !part.isEmpty())
                    .toList();
        }

        private boolean explains(String said) {
            String inOrder =
                    parts().stream().map(Pattern::quote).collect(Collectors.joining(".*?"));
            return Pattern.compile(inOrder, Pattern.DOTALL).matcher(said).find();
        }
    }

    static List<Row> rows() {
        Matcher rows = ROW.matcher(page());
        return rows.results().map(row -> new Row(row.group(1), row.group(2))).toList();
    }

    static String page() {
        try {
            return Files.readString(PAGE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * The messages of the table that are in what was said.
     *
     * @param said a message, a log or a stack trace
     */
    public static List<String> explanationsOf(String said) {
        return rows().stream().filter(row -> row.explains(said)).map(Row::message).toList();
    }
}
