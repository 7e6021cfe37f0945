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

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What Prometheus reads of a process, in its text format.
 *
 * @param names of metrics, as they are announced
 * @param series by the name that queries use, the labels of each
 */
record Scrape(Set<String> names, Map<String, List<Map<String, String>>> series) {

    private static final Pattern TYPE = Pattern.compile("# TYPE (\\S+) \\S+");
    private static final Pattern SAMPLE = Pattern.compile("([a-zA-Z_:][\\w:]*)(?:\\{(.*)})? \\S+");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

    static Scrape parse(String text) {
        Scrape scrape = new Scrape(new TreeSet<>(), new HashMap<>());
        for (String line : text.split("\n")) {
            Matcher type = TYPE.matcher(line);
            if (type.matches()) {
                scrape.names.add(type.group(1));
                continue;
            }
            Matcher sample = SAMPLE.matcher(line);
            if (sample.matches()) {
                Map<String, String> labels = new HashMap<>();
                Matcher label = LABEL.matcher(sample.group(2) == null ? "" : sample.group(2));
                while (label.find()) {
                    labels.put(label.group(1), label.group(2));
                }
                scrape.series
                        .computeIfAbsent(sample.group(1), name -> new ArrayList<>())
                        .add(labels);
            }
        }
        return scrape;
    }
}
