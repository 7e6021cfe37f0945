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
 * What a query of the dashboard asks Prometheus for.
 *
 * @param text the query
 * @param selectors the metrics
 * @param groupedBy labels that results are grouped by
 * @param otherWords functions and the like
 */
record PrometheusQuery(
        String text, List<Selector> selectors, Set<String> groupedBy, Set<String> otherWords) {

    /**
     * A metric.
     *
     * @param equal labels and the values that they must have
     * @param others labels with other conditions
     */
    record Selector(String metric, Map<String, String> equal, Set<String> others) {}

    private static final Pattern METRIC = Pattern.compile("(flink_\\w+)(?:\\{([^}]*)})?");
    private static final Pattern CONDITION =
            Pattern.compile("(\\w+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");
    private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on)\\s*\\(([^)]*)\\)");
    private static final Pattern RANGE = Pattern.compile("\\[[^]]*]");
    private static final Pattern WORD = Pattern.compile("[a-zA-Z_]\\w*");

    static PrometheusQuery parse(String text) {
        List<Selector> selectors = new ArrayList<>();
        Matcher metric = METRIC.matcher(text);
        while (metric.find()) {
            Map<String, String> equal = new HashMap<>();
            Set<String> others = new TreeSet<>();
            Matcher condition = CONDITION.matcher(metric.group(2) == null ? "" : metric.group(2));
            while (condition.find()) {
                if (condition.group(2).equals("=")) {
                    equal.put(condition.group(1), condition.group(3));
                } else {
                    others.add(condition.group(1));
                }
            }
            selectors.add(new Selector(metric.group(1), equal, others));
        }
        String rest = RANGE.matcher(METRIC.matcher(text).replaceAll("")).replaceAll("");
        Set<String> groupedBy = new TreeSet<>();
        Matcher grouping = GROUPING.matcher(rest);
        while (grouping.find()) {
            groupedBy.addAll(words(grouping.group(1)));
        }
        return new PrometheusQuery(
                text, selectors, groupedBy, words(GROUPING.matcher(rest).replaceAll("")));
    }

    private static Set<String> words(String text) {
        Set<String> words = new TreeSet<>();
        WORD.matcher(text).results().forEach(word -> words.add(word.group()));
        return words;
    }
}
