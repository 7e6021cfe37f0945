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

import io.stateaccel.nexmark.bench.queries.LatencyQuery;
import io.stateaccel.nexmark.bench.queries.Query;
import io.stateaccel.nexmark.bench.variants.Variant;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ./bench list}. */
@Command(name = "list", description = "Prints the queries and variants there are.")
final class ListCommand implements Runnable {

    @Spec private CommandSpec command;

    @Override
    public void run() {
        PrintWriter out = command.commandLine().getOut();
        print(out, "queries (all):", Query.NEXMARK);
        print(out, "workloads of others (peers):", Query.PEERS);
        print(out, "operators alone (normalize, upsert-sink):", Query.OPERATORS);
        print(out, "operators that stay Flink's (cache-only):", Query.CACHE_ONLY);
        print(out, "by time, besides Nexmark's (by-time):", Query.BY_TIME);
        print(out, "on a broker:", Query.PIPELINES);
        out.println("under a load (latency):");
        for (LatencyQuery query : LatencyQuery.values()) {
            out.printf("  %-22s %s%n", query.title(), query.about());
        }
        out.println("variants:");
        for (Variant variant : Variant.KNOWN) {
            out.printf("  %-22s %s%n", variant.name(), variant.about());
        }
        out.flush();
    }

    private static void print(PrintWriter out, String heading, List<Query> queries) {
        out.println(heading);
        for (Query query : queries) {
            String note =
                    query.whyNot()
                            .map(reason -> " (cannot run: " + reason + ")")
                            .orElse(query.deterministic() ? "" : " (results not comparable)");
            out.printf("  %-22s %s%s%n", query.name(), query.about(), note);
        }
    }
}
