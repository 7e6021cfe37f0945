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
package io.stateaccel.nexmark.bench;

import io.stateaccel.nexmark.bench.common.UserError;
import io.stateaccel.nexmark.bench.report.Comparison;
import io.stateaccel.nexmark.bench.report.QueryReport;
import io.stateaccel.nexmark.bench.report.Report;
import io.stateaccel.nexmark.bench.report.Summary;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code ./bench compare a.json b.json}: what has changed from one report to another. */
@Command(
        name = "compare",
        description = {
            "Compares two reports: what both ran, with the same number of events.",
            "Exit code 1 if a result differs."
        })
final class CompareCommand implements Callable<Integer> {

    @Parameters(paramLabel = "BEFORE", description = "JSON of an earlier benchmark.")
    private Path before;

    @Parameters(paramLabel = "AFTER", description = "JSON of a later one.")
    private Path after;

    @Spec private CommandSpec command;

    @Override
    public Integer call() {
        Report a = Report.read(before);
        Report b = Report.read(after);
        PrintWriter out = command.commandLine().getOut();
        differences(a, b).forEach(difference -> out.println("NOT ALIKE: " + difference));
        out.printf(
                "%-22s %-18s %12s %12s %8s %9s %9s  %s%n",
                "query", "variant", "ev/core-s", "then", "change", "ratio", "then", "results");
        boolean common = false;
        boolean equal = true;
        for (QueryReport part : a.queries()) {
            Optional<QueryReport> other = b.about(part.query(), part.events());
            if (other.isEmpty()) {
                continue;
            }
            for (Comparison.Row row : part.summary()) {
                Optional<Comparison.Row> then = other.get().row(row.variant());
                if (then.isEmpty()) {
                    continue;
                }
                common = true;
                String results = results(part, other.get(), row.variant());
                equal &= !results.equals("DIFFER");
                out.printf(
                        "%-22s %-18s %,12.0f %,12.0f %+7.1f%% %9s %9s  %s%s%n",
                        part.label(),
                        row.variant(),
                        row.eventsPerCoreSecond(),
                        then.get().eventsPerCoreSecond(),
                        (then.get().eventsPerCoreSecond() / row.eventsPerCoreSecond() - 1) * 100,
                        Summary.ratio(row.ratio()),
                        Summary.ratio(then.get().ratio()),
                        results,
                        row.isNoisy() || then.get().isNoisy() ? ", noisy" : "");
            }
        }
        if (!common) {
            throw new UserError(
                    before + " and " + after + " have no query, event count and variant in common");
        }
        out.flush();
        return equal ? Bench.OK : Bench.FAILED;
    }

    /** What makes figures of two reports hard to compare. */
    private static List<String> differences(Report a, Report b) {
        List<String> differences = new ArrayList<>();
        note(differences, "machine", a.machine(), b.machine());
        note(differences, "cluster", a.cluster(), b.cluster());
        note(differences, "parallelism", a.parallelism(), b.parallelism());
        note(differences, "settings", a.settings(), b.settings());
        return differences;
    }

    private static void note(List<String> differences, String what, Object a, Object b) {
        if (!Objects.equals(a, b)) {
            differences.add(what + ": " + a + ", then " + b);
        }
    }

    private static String results(QueryReport a, QueryReport b, String variant) {
        if (a.results() == QueryReport.Results.NOT_COMPARABLE) {
            return "not comparable";
        }
        return a.checksums(variant).equals(b.checksums(variant)) ? "equal" : "DIFFER";
    }
}
