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

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The statements of a SQL file. Flink's own splitter belongs to the SQL client, which is in no
 * distribution's {@code lib}.
 */
public final class SqlScript {

    private static final Pattern BEGIN =
            Pattern.compile("BEGIN\\s+STATEMENT\\s+SET", Pattern.CASE_INSENSITIVE);

    private static final Pattern EXECUTE =
            Pattern.compile(
                    "EXECUTE\\s+STATEMENT\\s+SET\\s+BEGIN\\s.*",
                    Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    private SqlScript() {}

    /**
     * Statements without comments, which hints are not. A statement set, in either form of the SQL
     * client, is one statement: {@code EXECUTE STATEMENT SET BEGIN ...; ...; END}.
     */
    public static List<String> statements(String script) {
        List<String> statements = new ArrayList<>();
        StringBuilder set = new StringBuilder();
        for (String piece : pieces(script)) {
            if (BEGIN.matcher(piece).matches()) {
                set.append("EXECUTE STATEMENT SET BEGIN\n");
            } else if (set.isEmpty() && !EXECUTE.matcher(piece).matches()) {
                statements.add(piece);
            } else if (piece.equalsIgnoreCase("END")) {
                statements.add(set.append("END").toString());
                set.setLength(0);
            } else {
                set.append(piece).append(";\n");
            }
        }
        if (!set.isEmpty()) {
            // Flink says what is wrong with a set that does not end.
            statements.add(set.toString());
        }
        return statements;
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
