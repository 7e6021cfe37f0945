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
package io.stateaccel.tests.monitoring;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The metrics that {@code docs/metrics.md} lists. */
final class MetricsDocument {

    /** The group that the rows of the next tables belong to. */
    private static final Pattern GROUP = Pattern.compile("`(state-accel\\.[\\w.]+?)\\.?`");

    private static final Pattern ROW = Pattern.compile("\\| (`.*?`) \\|.*");

    /** What stands for the value of a variable. */
    private static final Pattern VALUE = Pattern.compile("\\.\\*[^*]+\\*\\.");

    private MetricsDocument() {}

    /** Groups and names, divided by dots, without the values of variables. */
    static Set<String> metrics(Path page) throws IOException {
        Set<String> metrics = new TreeSet<>();
        String group = null;
        for (String line : Files.readAllLines(page)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                String name = VALUE.matcher(row.group(1).replace("`", "")).replaceAll(".");
                metrics.add(group + "." + name);
                continue;
            }
            Matcher named = GROUP.matcher(line);
            if (named.find()) {
                group = named.group(1);
            }
        }
        return metrics;
    }
}
