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

import io.stateaccel.nexmark.bench.common.EventCount;
import io.stateaccel.nexmark.bench.queries.Query;
import io.stateaccel.nexmark.bench.run.RunResult;
import io.stateaccel.nexmark.bench.variants.Variant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All runs of one query.
 *
 * @param query name of the query
 * @param about what it is, in a few words
 * @param events number of events
 * @param results whether the variants agree on the query's result
 * @param runs runs that ended well, of variants all of whose runs did
 * @param failures by variant, why it did not end well
 * @param summary the runs side by side
 */
public record QueryReport(
        String query,
        String about,
        long events,
        Results results,
        List<RunResult> runs,
        Map<String, String> failures,
        List<Comparison.Row> summary) {

    /** What a comparison of results says. */
    public enum Results {
        EQUAL,
        DIFFERENT,

        /** The query's result is another one in every run. */
        NOT_COMPARABLE,

        /** No run ended well. */
        NONE
    }

    /**
     * Compares.
     *
     * @param reference the variant that the others are compared with
     */
    public static QueryReport of(
            Query query,
            long events,
            List<RunResult> allRuns,
            Map<String, String> failures,
            String reference) {
        // What a variant did before it failed has no counterpart in the other variants.
        List<RunResult> runs =
                allRuns.stream().filter(run -> !failures.containsKey(run.variant())).toList();
        List<String> checksums = withResults(runs).map(RunResult::checksum).distinct().toList();
        Results results;
        if (checksums.isEmpty()) {
            results = Results.NONE;
        } else if (!query.deterministic()) {
            results = Results.NOT_COMPARABLE;
        } else {
            results = checksums.size() == 1 ? Results.EQUAL : Results.DIFFERENT;
        }
        return new QueryReport(
                query.name(),
                query.about(),
                events,
                results,
                runs,
                failures,
                Comparison.of(runs, reference).rows());
    }

    /** Its name, with the number of events. */
    public String label() {
        return query + " " + EventCount.text(events);
    }

    /** Whether the query's ceiling was run as well. */
    public boolean hasCeiling() {
        return summary.stream().anyMatch(row -> row.ofCeiling() != null);
    }

    /** The figures of a variant, if it ended well. */
    public Optional<Comparison.Row> row(String variant) {
        return summary.stream().filter(row -> row.variant().equals(variant)).findFirst();
    }

    /** The runs of a variant. */
    List<RunResult> runsOf(String variant) {
        return runs.stream().filter(run -> run.variant().equals(variant)).toList();
    }

    /** The different results that a variant had, one if all is well. */
    public Set<String> checksums(String variant) {
        return runsOf(variant).stream().map(RunResult::checksum).collect(Collectors.toSet());
    }

    /** Whether every run ended well and no results differ. */
    public boolean isGood() {
        return failures.isEmpty() && results != Results.DIFFERENT;
    }

    /** The query's block for the terminal. */
    public String block() {
        StringBuilder block = new StringBuilder(new Comparison(summary).table());
        failures.forEach(
                (variant, reason) ->
                        block.append(String.format("FAILED: %s: %s%n", variant, reason)));
        switch (results) {
            case EQUAL ->
                    block.append(
                            String.format(
                                    "results equal: %s%n",
                                    withResults(runs).findFirst().orElseThrow().checksum()));
            case NOT_COMPARABLE ->
                    block.append(
                            String.format(
                                    "results not comparable: %s gives another one in every run%n",
                                    query));
            case DIFFERENT -> {
                block.append(String.format("RESULTS DIFFER:%n"));
                variantsByChecksum()
                        .forEach(
                                (checksum, variants) ->
                                        block.append(
                                                String.format("  %s  %s%n", checksum, variants)));
            }
            case NONE -> block.append(String.format("no results%n"));
        }
        return block.toString();
    }

    private Map<String, Set<String>> variantsByChecksum() {
        Map<String, Set<String>> variants = new LinkedHashMap<>();
        withResults(runs)
                .forEach(
                        run ->
                                variants.computeIfAbsent(
                                                run.checksum(), checksum -> new LinkedHashSet<>())
                                        .add(run.variant()));
        return variants;
    }

    private static Stream<RunResult> withResults(List<RunResult> runs) {
        return runs.stream().filter(run -> !Variant.isCeiling(run.variant()));
    }
}
