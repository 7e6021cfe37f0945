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

import io.stateaccel.nexmark.bench.measure.CheckpointStats;
import io.stateaccel.nexmark.bench.measure.CheckpointTimes;
import io.stateaccel.nexmark.bench.measure.CpuProfile;
import io.stateaccel.nexmark.bench.measure.Footprint;
import io.stateaccel.nexmark.bench.measure.LatencyStats;
import io.stateaccel.nexmark.bench.measure.Machine;
import io.stateaccel.nexmark.bench.measure.ResourceUse;
import io.stateaccel.nexmark.bench.measure.RocksDbUse;
import io.stateaccel.nexmark.bench.measure.Sample;
import io.stateaccel.nexmark.bench.queries.LatencyQuery;
import io.stateaccel.nexmark.bench.queries.Query;
import io.stateaccel.nexmark.bench.run.LoadResult;
import io.stateaccel.nexmark.bench.run.RunResult;
import io.stateaccel.nexmark.bench.variants.Variant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Made-up reports. */
public final class Reports {

    private Reports() {}

    /**
     * Two queries, one of them with a ceiling, the other one with a failure, noise, checkpoints, a
     * recovery and curves.
     */
    public static Report full(String command) {
        Map<String, Double> costs = new LinkedHashMap<>();
        costs.put("stock", 10.0);
        costs.put("accel", 5.0);
        List<RunResult> runs = new ArrayList<>(part("q12", 1_000_000, costs).runs());
        costs.put(Variant.CEILING.name(), 2.5);
        QueryReport first = part("q4", 1_000_000, costs);
        runs.add(run("accel", 2, 1_000_000, 9));
        QueryReport second =
                QueryReport.of(
                        Query.named("wide-interval-join"),
                        1_000_000,
                        runs,
                        Map.of("forst", "out of memory"),
                        "stock");
        return report(command, List.of(first, second));
    }

    public static Report report(String command, List<QueryReport> parts) {
        List<String> variants =
                parts.stream()
                        .flatMap(part -> part.summary().stream())
                        .map(Comparison.Row::variant)
                        .distinct()
                        .toList();
        return new Report(
                command,
                "0",
                "2026-01-02T03:04:05Z",
                new Machine("Linux", "A processor", 2, 8L << 30, "JDK 17", "2.3.0"),
                "embedded",
                2,
                1,
                Map.of("a", "b"),
                variants.stream().map(Reports::variant).toList(),
                parts,
                Summary.of(parts, variants, "stock"),
                List.of());
    }

    private static Variant variant(String name) {
        return Variant.isCeiling(name) ? Variant.CEILING : Variant.named(name);
    }

    /**
     * Latencies at two rates, with a failure, checkpoints behind a slow sink, and state that
     * expires.
     */
    public static Report underLoads(String command) {
        List<LoadReport> loads = new ArrayList<>();
        Map<String, String> failures = Map.of("hashmap", "no heap");
        for (Map.Entry<String, Long> rate :
                List.of(
                        Map.entry("10 rows/s", 10L),
                        Map.entry("90% of the highest rate", 54_321L))) {
            loads.add(
                    LoadReport.ofLatency(LatencyQuery.Q4, rate.getKey(), rate.getValue())
                            .with(
                                    List.of(
                                            load("stock", 1, 20),
                                            load("accel", 1, 0.5),
                                            load("accel", 2, 1.5)),
                                    failures));
        }
        for (String way : List.of("aligned", "unaligned")) {
            loads.add(
                    LoadReport.ofSlowSink(LatencyQuery.LEFT_UPDATES, way, 2_000)
                            .with(List.of(load("stock", 1, 2), load("accel", 1, 4)), Map.of()));
        }
        loads.add(
                LoadReport.ofPlateau(LatencyQuery.NEW_KEYS, "TTL 60 s", 20_000)
                        .with(List.of(load("stock", 1, 4), load("accel", 1, 5)), Map.of()));
        return new Report(
                command,
                "0",
                "2026-01-02T03:04:05Z",
                new Machine("Linux", "A processor", 2, 8L << 30, "JDK 17", "2.3.0"),
                Report.EMBEDDED,
                2,
                0,
                Map.of("a", "b"),
                List.of(Variant.named("stock"), Variant.named("accel")),
                List.of(),
                Summary.of(List.of(), List.of("stock", "accel"), "stock"),
                loads);
    }

    private static LoadResult load(String variant, int run, double times) {
        return new LoadResult(
                variant,
                run,
                1_000.0,
                3.5,
                new LatencyStats(
                        new LatencyStats.Percentiles(
                                4_000, 10 * times, 30 * times, 70 * times, 90 * times),
                        new LatencyStats.Percentiles(400, times, 3 * times, 7 * times, 9 * times)),
                new CheckpointTimes(5, 1, 1_200 * times, 4_500 * times, null),
                List.of(
                        new Footprint(-10, 1_000_000, 10, 5_000_000),
                        new Footprint(0, (long) (2_000_000 * times), 20, 6_000_000),
                        new Footprint(10, (long) (4_000_000 * times), 30, 7_000_000),
                        new Footprint(20, (long) (3_000_000 * times), 40, 8_000_000)));
    }

    /**
     * Runs of a query.
     *
     * @param cpuSeconds by variant
     */
    public static QueryReport part(String query, long events, Map<String, Double> cpuSeconds) {
        List<RunResult> runs = new ArrayList<>();
        cpuSeconds.forEach((variant, seconds) -> runs.add(run(variant, 1, events, seconds)));
        return QueryReport.of(Query.named(query), events, runs, Map.of(), "stock");
    }

    private static RunResult run(String variant, int number, long events, double cpuSeconds) {
        CheckpointStats.Distribution distribution =
                new CheckpointStats.Distribution(10e6, 20e6, 40e6, 50e6, 60e6);
        CheckpointStats.Distribution millis =
                new CheckpointStats.Distribution(120, 150, 400, 420, 430);
        Map<String, Double> threads = new LinkedHashMap<>();
        threads.put("Source: datagen[1] -> Calc[2]", cpuSeconds * 0.3);
        threads.put("Join[7] -> Calc[8]", cpuSeconds * 0.4);
        threads.put("RocksDB flush and compaction", cpuSeconds * 0.2);
        threads.put("JIT compiler", cpuSeconds * 0.1);
        List<Sample> samples = new ArrayList<>();
        for (int second = 1; second <= 10; second++) {
            samples.add(
                    new Sample(
                            second * cpuSeconds / 20, events * second / 10, second * 3_000_000L));
        }
        return new RunResult(
                variant,
                number,
                events,
                cpuSeconds / 2,
                cpuSeconds,
                "5 rows",
                7,
                new CheckpointStats(6, 0, millis, distribution, distribution),
                new ResourceUse(
                        1_500_000_000L,
                        300L,
                        30_000_000L,
                        100 * events,
                        50 * events,
                        events / 100,
                        events / 200,
                        0L,
                        new RocksDbUse(4, 40_000_000, 2, 60_000_000, 50_000_000, 0.5),
                        threads,
                        Map.of(
                                CpuProfile.OPERATORS,
                                cpuSeconds * 0.5,
                                CpuProfile.ROCKSDB_CALLS,
                                cpuSeconds * 0.4)),
                2.5,
                samples);
    }
}
