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

import io.stateaccel.nexmark.bench.common.Json;
import io.stateaccel.nexmark.bench.common.UserError;
import io.stateaccel.nexmark.bench.measure.Machine;
import io.stateaccel.nexmark.bench.variants.Variant;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything of a benchmark; what {@code --json} writes and the other actions read.
 *
 * @param command the command that the user gave
 * @param version version of this project
 * @param startedAt when, ISO-8601
 * @param machine where
 * @param cluster "embedded", "standalone" or the address of a remote cluster
 * @param parallelism sub-tasks per operator
 * @param warmup runs per variant that did not count
 * @param settings Flink configuration that all variants shared
 * @param variants the variants
 * @param queries a part per query, and per number of events in a sweep
 * @param summary all of them in one ratio per variant
 * @param loads a part per load that queries were run under; none in most benchmarks
 */
public record Report(
        String command,
        String version,
        String startedAt,
        Machine machine,
        String cluster,
        int parallelism,
        int warmup,
        Map<String, String> settings,
        List<Variant> variants,
        List<QueryReport> queries,
        Summary summary,
        List<LoadReport> loads) {

    /** As {@code cluster}: one in the JVM of each run. */
    public static final String EMBEDDED = "embedded";

    public Report {
        // Figures that were written before there were loads do not say so.
        loads = loads == null ? List.of() : loads;
    }

    /**
     * Reads what {@code --json} wrote.
     *
     * @throws UserError if the file is no such thing
     */
    public static Report read(Path file) {
        try {
            Report report = Json.MAPPER.readValue(file.toFile(), Report.class);
            if (report == null || report.queries == null || report.summary == null) {
                throw new UserError(file + " is no report of ./bench");
            }
            return report;
        } catch (IOException e) {
            File asFile = file.toFile();
            throw new UserError(
                    asFile.canRead() && asFile.isFile()
                            ? file + " is no report of ./bench"
                            : "cannot read " + file);
        }
    }

    /** Writes it as JSON. */
    public void write(Path file) throws IOException {
        Replacement.write(
                file, Json.MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(this));
    }

    /** Finds the part about a query. */
    public Optional<QueryReport> about(String query, long events) {
        return queries.stream()
                .filter(part -> part.query().equals(query) && part.events() == events)
                .findFirst();
    }

    public List<String> variantNames() {
        return variants.stream().map(Variant::name).toList();
    }
}
