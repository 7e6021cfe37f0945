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
package io.stateaccel.nexmark.bench.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Several queries in all variants: one ratio each.
 *
 * @param reference the variant that the others are compared with
 * @param geometricMeans by variant, of its ratios over the queries it has one for
 */
public record Summary(String reference, Map<String, Double> geometricMeans) {

    public static Summary of(List<QueryReport> queries, List<String> variants, String reference) {
        Map<String, Double> means = new LinkedHashMap<>();
        for (String variant : variants) {
            queries.stream()
                    .map(query -> ratioOf(query, variant))
                    .filter(Objects::nonNull)
                    .mapToDouble(Math::log)
                    .average()
                    .ifPresent(log -> means.put(variant, Math.exp(log)));
        }
        return new Summary(reference, means);
    }

    /** The table for the terminal: queries down, variants across. */
    public String table(List<QueryReport> queries, List<String> variants) {
        StringBuilder table = new StringBuilder();
        table.append(String.format("events per core-second, as a multiple of %s's:%n", reference));
        boolean sweep = queries.stream().mapToLong(QueryReport::events).distinct().count() > 1;
        table.append(String.format("%-22s", "query"));
        variants.forEach(variant -> table.append(String.format(" %18s", variant)));
        table.append(String.format("   %s%n", "results"));
        for (QueryReport query : queries) {
            table.append(String.format("%-22s", sweep ? query.label() : query.query()));
            for (String variant : variants) {
                table.append(
                        String.format(
                                " %18s",
                                query.failures().containsKey(variant)
                                        ? "failed"
                                        : ratio(ratioOf(query, variant)) + noise(query, variant)));
            }
            table.append(
                    String.format(
                            "   %s%n",
                            query.results().name().toLowerCase(Locale.ROOT).replace('_', ' ')));
        }
        table.append(String.format("%-22s", "geometric mean"));
        variants.forEach(
                variant ->
                        table.append(String.format(" %18s", ratio(geometricMeans.get(variant)))));
        table.append(String.format("%n"));
        if (table.indexOf("~") >= 0) {
            table.append(
                    String.format(
                            "~ CPU seconds of the runs spread over more than %.0f%%%n",
                            Comparison.WIDEST_SPREAD * 100));
        }
        return table.toString();
    }

    /** A ratio as text; null is none. */
    public static String ratio(Double ratio) {
        return ratio == null ? "-" : String.format("%.2fx", ratio);
    }

    private static String noise(QueryReport query, String variant) {
        return query.row(variant).map(row -> row.isNoisy() ? "~" : "").orElse("");
    }

    private static Double ratioOf(QueryReport query, String variant) {
        return query.row(variant).map(Comparison.Row::ratio).orElse(null);
    }
}
