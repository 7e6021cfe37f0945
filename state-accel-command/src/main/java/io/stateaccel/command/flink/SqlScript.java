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
package io.stateaccel.command.flink;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;
import org.apache.flink.table.api.SqlParserEOFException;

/**
 * The statements of a SQL file, as {@code sql-client.sh -f} finds them: what ends at a semicolon is
 * a statement if Flink's parser can read it, and goes on behind the semicolon if the parser says
 * that something is missing at the end. Flink's own splitter belongs to the SQL client, which is in
 * no distribution's {@code lib}.
 */
public final class SqlScript {

    private final Deque<String> pieces;
    private String text = "";

    /**
     * @param script any number of statements
     */
    public SqlScript(String script) {
        pieces = new ArrayDeque<>(pieces(script));
    }

    /** Whether there is one more statement. */
    public boolean hasNext() {
        return !pieces.isEmpty();
    }

    /**
     * Goes on to the next statement.
     *
     * @param parser throws {@link SqlParserEOFException} for what is not complete; otherwise what
     *     it throws is thrown from here
     * @return what the parser makes of the statement
     */
    public <T> T next(Function<String, T> parser) {
        text = pieces.remove();
        while (true) {
            try {
                return parser.apply(text);
            } catch (SqlParserEOFException e) {
                if (pieces.isEmpty()) {
                    throw e;
                }
                text += ";\n" + pieces.remove();
            }
        }
    }

    /**
     * The statement that {@link #next} is at, or failed at, without comments, which hints are not.
     */
    public String text() {
        return text;
    }

    /** What is between semicolons, outside of quotes and comments. */
    private static List<String> pieces(String script) {
        List<String> pieces = new ArrayList<>();
        StringBuilder piece = new StringBuilder();
        int at = 0;
        while (at < script.length()) {
            int end = endOfToken(script, at);
            if (isComment(script, at)) {
                piece.append(' ');
            } else if (script.charAt(at) == ';') {
                pieces.add(piece.toString().strip());
                piece.setLength(0);
            } else {
                piece.append(script, at, end);
            }
            at = end;
        }
        pieces.add(piece.toString().strip());
        pieces.removeIf(String::isEmpty);
        return pieces;
    }

    private static boolean isComment(String script, int at) {
        return script.startsWith("--", at)
                || script.startsWith("/*", at) && !script.startsWith("/*+", at);
    }

    /** A quoted text, a comment or a single character; a doubled quote begins another text. */
    private static int endOfToken(String script, int at) {
        char first = script.charAt(at);
        if (first == '\'' || first == '`' || first == '"') {
            return endAfter(script, String.valueOf(first), at + 1);
        }
        if (script.startsWith("--", at)) {
            return endAfter(script, "\n", at);
        }
        if (script.startsWith("/*", at)) {
            return endAfter(script, "*/", at + 2);
        }
        return at + 1;
    }

    private static int endAfter(String script, String mark, int from) {
        int found = script.indexOf(mark, from);
        return found < 0 ? script.length() : found + mark.length();
    }
}
