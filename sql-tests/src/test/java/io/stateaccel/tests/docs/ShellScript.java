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

import java.util.ArrayList;
import java.util.List;

/** The commands in a block, word by word, as far as documentation needs the shell's language. */
final class ShellScript {

    private final String text;
    private final List<List<String>> commands = new ArrayList<>();
    private List<String> words = new ArrayList<>();
    private StringBuilder word;
    private int at;

    private ShellScript(String text) {
        this.text = text;
    }

    /**
     * Commands end with their line, {@code ;}, {@code &} or {@code &&}. Quotes group, a backslash
     * joins lines, {@code #} begins a comment; variables stay as they are written.
     */
    static List<List<String>> commands(String text) {
        return new ShellScript(text).read();
    }

    private List<List<String>> read() {
        for (; at < text.length(); at++) {
            char next = text.charAt(at);
            if (next == '\'' || next == '"') {
                quoted(next);
            } else if (next == '\\' && at + 1 < text.length()) {
                at++;
                if (text.charAt(at) != '\n') {
                    append(text.charAt(at));
                }
            } else if (next == '#' && word == null) {
                skipComment();
            } else if (next == '\n' || next == ';' || next == '&') {
                endCommand();
            } else if (Character.isWhitespace(next)) {
                endWord();
            } else {
                append(next);
            }
        }
        endCommand();
        return commands;
    }

    /** Up to the end of the line, which ends the command as well. */
    private void skipComment() {
        int end = text.indexOf('\n', at);
        at = (end < 0 ? text.length() : end) - 1;
    }

    private void quoted(char quote) {
        int end = text.indexOf(quote, at + 1);
        if (end < 0) {
            throw new IllegalArgumentException("A quote without end in " + text);
        }
        if (word == null) {
            word = new StringBuilder();
        }
        // A backslash joins lines within double quotes, too.
        word.append(text.substring(at + 1, end).replaceAll("\\\\\n", ""));
        at = end;
    }

    private void append(char next) {
        if (word == null) {
            word = new StringBuilder();
        }
        word.append(next);
    }

    private void endWord() {
        if (word != null) {
            words.add(word.toString());
            word = null;
        }
    }

    private void endCommand() {
        endWord();
        if (!words.isEmpty()) {
            commands.add(words);
            words = new ArrayList<>();
        }
    }
}
