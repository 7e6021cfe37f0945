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
package io.stateaccel.rocksdb.disk;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One line of {@code /proc/self/mountinfo}, see {@code proc(5)}.
 *
 * @param device major and minor number, as {@code 254:0}
 * @param path where it is mounted
 * @param fileSystem its type
 * @param source what is mounted
 */
record MountPoint(String device, Path path, String fileSystem, String source) {

    private static final int DEVICE = 2;
    private static final int PATH = 4;
    private static final int FIRST_OPTIONAL = 6;
    private static final String END_OF_OPTIONAL = "-";

    /** Blanks and the like are written as three octal digits. */
    private static final Pattern ESCAPED = Pattern.compile("\\\\([0-7]{3})");

    /** Empty for a line of another form. */
    static Optional<MountPoint> parse(String line) {
        List<String> fields = Arrays.asList(line.split(" "));
        if (fields.size() <= FIRST_OPTIONAL) {
            return Optional.empty();
        }
        int end =
                FIRST_OPTIONAL
                        + fields.subList(FIRST_OPTIONAL, fields.size()).indexOf(END_OF_OPTIONAL);
        if (end < FIRST_OPTIONAL || end + 2 >= fields.size()) {
            return Optional.empty();
        }
        return Optional.of(
                new MountPoint(
                        fields.get(DEVICE),
                        Path.of(unescape(fields.get(PATH))),
                        fields.get(end + 1),
                        unescape(fields.get(end + 2))));
    }

    private static String unescape(String field) {
        return ESCAPED.matcher(field)
                .replaceAll(
                        match ->
                                Matcher.quoteReplacement(
                                        String.valueOf(
                                                (char) Integer.parseInt(match.group(1), 8))));
    }
}
