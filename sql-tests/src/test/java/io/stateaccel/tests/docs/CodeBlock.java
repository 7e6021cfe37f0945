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

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A fenced code block of a page.
 *
 * @param where page and line
 * @param language the first word behind the fence, empty if there is none
 * @param title what readers see above it, empty if there is none
 */
record CodeBlock(String where, String language, String title, String text) {

    /** What the title of a block that no test checks begins with; the reason follows. */
    private static final String NOT_RUN = "Not run by a test: ";

    private static final Pattern INFO = Pattern.compile("(\\w*)(?: title=\"([^\"]+)\")?");

    static CodeBlock of(String where, String info, String text) {
        Matcher parts = INFO.matcher(info);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    where + ": write a language, and title=\"...\" behind it, not " + info);
        }
        return new CodeBlock(
                where, parts.group(1), Optional.ofNullable(parts.group(2)).orElse(""), text);
    }

    /** Whether it says for which reason no test checks it. */
    boolean isExempt() {
        return title.startsWith(NOT_RUN) && title.length() > NOT_RUN.length();
    }

    @Override
    public String toString() {
        return where;
    }
}
