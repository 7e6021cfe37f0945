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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withPrecision;
import static org.assertj.core.api.Assertions.within;

import io.stateaccel.nexmark.bench.common.Json;
import io.stateaccel.nexmark.bench.measure.CpuProfile;
import io.stateaccel.nexmark.bench.queries.Query;
import io.stateaccel.nexmark.bench.report.Comparison;
import io.stateaccel.nexmark.bench.report.QueryReport;
import io.stateaccel.nexmark.bench.report.Report;
import io.stateaccel.nexmark.bench.report.Reports;
import io.stateaccel.nexmark.bench.report.Summary;
import io.stateaccel.nexmark.bench.run.RunResult;
import io.stateaccel.nexmark.bench.variants.Variant;
import io.stateaccel.nexmark.bench.variants.VariantFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The command as the user meets it. */
class BenchTest {

    @TempDir private Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "q99 | unknown query 'q99'; known are q0, q1,",
                "q4 --variants stock,fast | unknown variant 'fast'; known are stock,",
                "q4 --events many | 'many' is not a number of events such as 5000000 or 5M",
                "q4 --events -5 | '-5' is not a number of events",
                "q4 --runs 0 | --runs must be at least 1 but is 0",
                "q4 --runs few | 'few' is not an int",
                "q4 --parallelism 0 | --parallelism must be at least 1 but is 0",
                "q4 --managed-memory lots | 'lots' is not a size such as 512m",
                "q4 --json /no/such/place.json | the directory of /no/such/place.json does not",
                "q4 --state-dir /proc/none | cannot write to /proc/none",
                "q4 --set nothing | should be in KEY=VALUE format",
                "q4 --speed 9 | Unknown option",
                "q6 | q6 cannot run: it takes an OVER window of ten rows over winning bids",
                "list q4 | Unmatched argument at index 1: 'q4'",
                "q4 all | all takes no further queries",
                "q4 --warmup -1 | --warmup must be at least 0 but is -1",
                "q4 --cap-minutes 0 | --cap-minutes must be at least 1 but is 0",
                "q4 --sweep 1M,2M | '1M,2M' is not a sweep such as events=1M,5M,20M",
                "q4 --sweep events=1M,many | 'many' is not a number of events",
                "q4 --report /proc/none | --report: cannot create /proc/none",
                "q4 --markdown /no/such/a.md | --markdown: the directory of /no/such/a.md does",
                "q4 --rest nowhere | --rest: 'nowhere' is not like http://host:8081",
                "q4 --rest http://localhost:1 | no cluster with a task manager answers at",
                "q4 --flink 2.2 | needs ./bench",
                "q4 --rest http://localhost:1 --flink-home x | exclude each other",
                "q4 --flink-home x --profile y | --profile works on the embedded cluster only",
                "q4 --against-ceiling --flink-home x | --against-ceiling works on the embedded",
                "cdc --against-ceiling | --against-ceiling: cdc has no ceiling",
                "sample-join --against-ceiling | --against-ceiling: sample-join has no ceiling",
                "peers q4 | peers takes no further queries",
                "render /no/such.json --report x | cannot read /no/such.json",
                "render x.json | say what to write: --report, --markdown or --scaling",
                "compare /no/such.json b.json | cannot read /no/such.json",
                "compare a.json | Missing required parameter",
                "latency q5 | unknown query 'q5'; known are q4, top-n, left-updates",
                "latency --rates 10,fast | 'fast' is not a number of rows per second",
                "latency --rates 120% | '120%' is not a number of rows per second",
                "latency --rates 10M | '10M' is not a number of rows per second below 10M",
                "latency --rates 0 | '0' is not a number of",
                "latency --highest 20M | --highest must be below 10M but is 20000000",
                "latency --seconds 0 | --seconds must be at least 1 but is 0",
                "latency --warm-up-seconds -1 | --warm-up-seconds must be at least 0 but is -1",
                "latency --variants stock,fast | unknown variant 'fast'; known are stock,",
                "latency --runs 0 | --runs must be at least 1 but is 0",
                "latency --cap-minutes 0 | --cap-minutes must be at least 1 but is 0",
                "latency --rest http://localhost:1 | Unknown option",
                "slow-sink --interval-seconds 0 | --interval-seconds must be at least 1 but is 0",
                "latency --scaling x.md | --scaling needs queries that are run without a load",
                "plateau --rows-per-second 10M | --rows-per-second must be below 10M but is",
                "plateau --ttl-seconds 0 | --ttl-seconds must be at least 1 but is 0",
                "plateau --interval-seconds 0 | --interval-seconds must be at least 1 but is 0",
                "plateau --seconds 0 | --seconds must be at least 1 but is 0",
                "slow-sink q4 | Unmatched argument at index 1: 'q4'",
                "q4 --variant mine | should be in KEY=VALUE format",
                "q4 --variant stock=x.yaml | 'stock' is a built-in variant's name",
                "q4 --variant ceiling=x.yaml | 'ceiling' is a built-in variant's name",
                "q4 --variant mine=/no/such.yaml | --variant mine: cannot read /no/such.yaml",
            })
    void wrongUseIsOneLineAndExitCode2(String arguments, String message) {
        BenchOutcome outcome = BenchOutcome.of(arguments.split(" "));
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err().lines()).hasSize(1);
        assertThat(outcome.err()).startsWith("bench: ").contains(message);
    }

    @Test
    void noQueryIsWrongUse() {
        BenchOutcome outcome = BenchOutcome.of();
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("name a QUERY");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'- a\n- b\n' | is not a YAML mapping",
                "'a: [' | is not a YAML mapping",
                "'# nothing\n' | sets nothing",
                "'state:\n  backend:\n' | 'state.backend' has no value",
            })
    void aVariantFileThatSaysNothingIsNamed(String content, String message) throws IOException {
        Path file = Files.writeString(directory.resolve("mine.yaml"), content);
        BenchOutcome outcome = BenchOutcome.of("q4", "--variant", "mine=" + file);
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err().lines()).hasSize(1);
        assertThat(outcome.err()).contains("--variant mine: ").contains(message);
    }

    @Test
    void aVariantFileHasNestedAndDottedKeysAndLists() throws IOException {
        Path file =
                Files.writeString(
                        directory.resolve("mine.yaml"),
                        """
                        state.backend.type: rocksdb
                        state:
                          backend:
                            rocksdb:
                              thread.num: 4
                              compression.per.level: [NO_COMPRESSION, LZ4_COMPRESSION]
                        """);
        assertThat(VariantFile.read("mine", file).settings())
                .containsOnly(
                        Map.entry("state.backend.type", "rocksdb"),
                        Map.entry("state.backend.rocksdb.thread.num", "4"),
                        Map.entry(
                                "state.backend.rocksdb.compression.per.level",
                                "NO_COMPRESSION;LZ4_COMPRESSION"));
    }

    @Test
    void listNamesEveryQueryAndVariantWithWhatItIs() {
        BenchOutcome outcome = BenchOutcome.of("list");
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.err()).isEmpty();
        List<String> lines = outcome.out().lines().map(String::strip).toList();
        for (String name :
                Stream.concat(
                                Query.ALL.stream().map(Query::name),
                                Variant.KNOWN.stream().map(Variant::name))
                        .toList()) {
            assertThat(lines).as(name).anyMatch(line -> line.matches(name + " +\\S.*"));
        }
        assertThat(outcome.out())
                .contains("(cannot run: it takes an OVER window")
                .containsPattern("q12 .*\\(results not comparable\\)")
                .containsPattern("left-updates +each seller's newest auction")
                .containsPattern("anti +auctions of which no bid has met the reserve");
    }

    @Test
    void severalQueriesGetABlockEachAndASummary() throws IOException {
        Path mine = Files.writeString(directory.resolve("m.yaml"), "state.backend.type: hashmap");
        Path broken = Files.writeString(directory.resolve("b.yaml"), "state.backend.type: none");
        Path json = directory.resolve("two.json");
        BenchOutcome outcome =
                BenchOutcome.of(
                        "q2",
                        "q12",
                        "--variants=hashmap",
                        "--variant=mine=" + mine,
                        "--variant=broken=" + broken,
                        "--events=2k",
                        "--runs=1",
                        "--state-dir=" + state(),
                        "--json=" + json);
        assertThat(outcome.exitCode()).as("broken failed").isEqualTo(1);
        assertThat(outcome.out())
                .contains("q2, 2k events: selection")
                .contains("results equal: ")
                .contains("FAILED: broken: ")
                .contains("results not comparable: q12 gives another one in every run")
                .contains("as a multiple of hashmap's")
                .containsPattern("q2 +1.00x +\\d+\\.\\d\\dx +failed +equal")
                .containsPattern("q12 .* failed +not comparable")
                .containsPattern("geometric mean +1.00x +\\d+\\.\\d\\dx +-");
        JsonNode report = Json.MAPPER.readTree(json.toFile());
        assertThat(report.at("/queries/0/runs")).hasSize(2);
        assertThat(report.at("/queries/1/results").asText()).isEqualTo("NOT_COMPARABLE");
        assertThat(report.at("/summary/geometricMeans/hashmap").asDouble()).isEqualTo(1);
    }

    @Test
    void twoReportsAreCompared() throws IOException {
        Path before = directory.resolve("before.json");
        Path after = directory.resolve("after.json");
        Map<String, Double> costs = new LinkedHashMap<>(Map.of("stock", 10.0));
        Reports.report("a", List.of(Reports.part("q4", 1000, costs))).write(before);
        costs.put("stock", 5.0);
        costs.put("accel", 2.0);
        Reports.report("b", List.of(Reports.part("q4", 1000, costs))).write(after);
        BenchOutcome outcome = BenchOutcome.of("compare", before.toString(), after.toString());
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out())
                .containsPattern("q4 1k +stock +100 +200 +\\+100.0% +1.00x +1.00x +equal")
                .doesNotContain("accel", "NOT ALIKE");
    }

    @Test
    void reportsWithNothingInCommonAreNotCompared() throws IOException {
        Path before = directory.resolve("before.json");
        Path after = directory.resolve("after.json");
        Map<String, Double> costs = Map.of("stock", 10.0);
        Reports.report("a", List.of(Reports.part("q4", 1000, costs))).write(before);
        Reports.report("b", List.of(Reports.part("q4", 2000, costs))).write(after);
        BenchOutcome outcome = BenchOutcome.of("compare", before.toString(), after.toString());
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("have no query, event count and variant in common");
    }

    @Test
    void figuresAreRenderedWithoutRunning() throws IOException {
        Path json = directory.resolve("a.json");
        Reports.full("./bench q4").write(json);
        Path out = directory.resolve("out");
        BenchOutcome outcome =
                BenchOutcome.of(
                        "render",
                        json.toString(),
                        "--report=" + out,
                        "--markdown=" + directory.resolve("b.md"),
                        "--scaling=" + directory.resolve("s.md"));
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.exitCode()).isZero();
        assertThat(out.resolve("index.html")).isNotEmptyFile();
        assertThat(Report.read(out.resolve("report.json"))).isEqualTo(Report.read(json));
        assertThat(directory.resolve("b.md")).content().contains("geometric mean");
        assertThat(directory.resolve("s.md")).content().contains("## q4");
    }

    @Test
    void aWideSpreadIsSaid() {
        List<RunResult> runs =
                List.of(
                        result("stock", 1, 10),
                        result("accel", 1, 10),
                        result("stock", 2, 11),
                        result("accel", 2, 13));
        String table = Comparison.of(runs, "stock").table();
        assertThat(table).contains("NOISY: CPU seconds of accel spread over 26%, more than 15%");
        assertThat(table).doesNotContain("NOISY: CPU seconds of stock");
    }

    @Test
    void withoutReferenceThereIsNoRatio() {
        List<Comparison.Row> rows = Comparison.of(List.of(result("accel", 1, 10)), "stock").rows();
        assertThat(rows).singleElement().extracting(Comparison.Row::ratio).isNull();
    }

    @Test
    void theMeanOfRatiosIsGeometric() {
        List<QueryReport> reports =
                Stream.of(result("accel", 1, 20), result("accel", 1, 2.5))
                        .map(
                                accel ->
                                        QueryReport.of(
                                                Query.named("q4"),
                                                1000,
                                                List.of(result("stock", 1, 10), accel),
                                                Map.of(),
                                                "stock"))
                        .toList();
        Summary summary = Summary.of(reports, List.of("stock", "accel"), "stock");
        assertThat(summary.geometricMeans().get("accel")).isCloseTo(Math.sqrt(2), within(1e-9));
    }

    @Test
    void differentResultsAreNamedByVariant() {
        QueryReport report =
                QueryReport.of(
                        Query.named("q4"),
                        1000,
                        List.of(result("stock", 1, 10), result("accel", 1, 5, "other")),
                        Map.of(),
                        "stock");
        assertThat(report.isGood()).isFalse();
        assertThat(report.block()).contains("RESULTS DIFFER").contains("other  [accel]");
    }

    @Test
    void aDirectoryThatIsNoFlinkIsNamed() {
        BenchOutcome outcome =
                BenchOutcome.of("q4", "--state-dir", state(), "--flink-home", state());
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("is no Flink distribution, it has no bin/sql-client.sh");
        assertThat(Path.of(state())).isEmptyDirectory();
    }

    @Test
    void aFlinkWithoutPlannerIsNamed() throws IOException {
        Path home = directory.resolve("flink");
        Files.createDirectories(home.resolve("bin"));
        Files.createDirectories(home.resolve("lib"));
        Path client = Files.writeString(home.resolve("bin/sql-client.sh"), "exit 1");
        assertThat(client.toFile().setExecutable(true)).isTrue();
        BenchOutcome outcome =
                BenchOutcome.of("q4", "--state-dir", state(), "--flink-home", home.toString());
        assertThat(outcome.exitCode()).isEqualTo(2);
        assertThat(outcome.err()).contains("no flink-table-planner-loader-*.jar");
    }

    @Test
    void aRunIsMeasuredReportedAndCleanedUp() throws IOException {
        Path json = directory.resolve("q0.json");
        BenchOutcome outcome =
                BenchOutcome.of(
                        "q0",
                        "--variants=stock",
                        "--events=2k",
                        "--runs=1",
                        "--warmup",
                        "--managed-memory=256m",
                        "--state-dir=" + state(),
                        "--json=" + json);
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out())
                .contains("events/core-s")
                .contains("warm-up 1 of 1, stock: wall")
                .contains("results equal: 1840 rows");
        assertThat(Json.MAPPER.readTree(json.toFile()).at("/queries/0/runs/0/checksum").asText())
                .startsWith("1840 rows");
        assertThat(Path.of(state())).isEmptyDirectory();
    }

    @Test
    void theCeilingTakesTurnsAndHasNoResults() throws IOException {
        Path json = directory.resolve("q20.json");
        Path markdown = directory.resolve("q20.md");
        BenchOutcome outcome =
                BenchOutcome.of(
                        "q20",
                        "--variants=accel",
                        "--against-ceiling",
                        "--events=20k",
                        "--runs=1",
                        "--state-dir=" + state(),
                        "--json=" + json,
                        "--markdown=" + markdown);
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out())
                .contains("run 1 of 1, ceiling: wall", "ratio of ceiling")
                .containsPattern("\nceiling .* 100% ")
                .containsPattern("results equal: [1-9]\\d* rows");
        JsonNode summary = Json.MAPPER.readTree(json.toFile()).at("/queries/0/summary");
        assertThat(summary.at("/0/ofCeiling").asDouble())
                .isEqualTo(
                        summary.at("/1/cpuSeconds").asDouble()
                                / summary.at("/0/cpuSeconds").asDouble(),
                        withPrecision(0.001));
        assertThat(markdown).content().contains(" | runs | of ceiling |", " | 1 | 100% |");
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aProfileSaysWhereTheCpuWent() throws IOException {
        Path json = directory.resolve("q3.json");
        Path profiles = directory.resolve("profiles");
        BenchOutcome outcome =
                BenchOutcome.of(
                        "q3",
                        "--variants=accel",
                        "--events=50k",
                        "--runs=1",
                        "--profile=" + profiles,
                        "--state-dir=" + state(),
                        "--json=" + json);
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.exitCode()).isZero();
        assertThat(profiles).isDirectoryContaining("glob:**/q3-50000-accel-*.html");
        JsonNode run = Json.MAPPER.readTree(json.toFile()).at("/queries/0/runs/0");
        double sum = 0;
        for (JsonNode seconds : run.at("/resources/cpuSecondsByCode")) {
            sum += seconds.asDouble();
        }
        assertThat(sum).isCloseTo(run.get("cpuSeconds").asDouble(), within(0.01));
        assertThat(run.at("/resources/cpuSecondsByCode").fieldNames())
                .toIterable()
                .contains(CpuProfile.SOURCE);
    }

    @Test
    void aDataStreamProgramRunsAsAQueryDoes() {
        BenchOutcome outcome =
                BenchOutcome.of(
                        "iot-last-seen",
                        "--variants=accel",
                        "--events=2k",
                        "--runs=1",
                        "--state-dir=" + state());
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.exitCode()).isZero();
        assertThat(outcome.out())
                .contains("iot-last-seen is a DataStream program: no plan, state backend io.state")
                .containsPattern("results equal: 1\\d{3} rows");
    }

    @Test
    void aJobTooShortForARecoveryKeepsItsOtherFigures() throws IOException {
        Path json = directory.resolve("short.json");
        BenchOutcome outcome =
                BenchOutcome.of(
                        "checkpoint-valuestate",
                        "--variants=stock",
                        "--events=2k",
                        "--runs=1",
                        "--state-dir=" + state(),
                        "--json=" + json);
        assertThat(outcome.err()).isEmpty();
        assertThat(outcome.exitCode()).isZero();
        JsonNode run = Json.MAPPER.readTree(json.toFile()).at("/queries/0/runs/0");
        assertThat(run.at("/cpuSeconds").asDouble()).isPositive();
        assertThat(run.at("/recoverySeconds").isNull()).isTrue();
    }

    @Test
    void ratiosAreMediansOfPairs() {
        List<RunResult> runs =
                Stream.of(
                                result("accel", 1, 10),
                                result("stock", 1, 20),
                                result("stock", 2, 40),
                                result("accel", 2, 10),
                                result("accel", 3, 10),
                                result("stock", 3, 30))
                        .toList();
        List<Comparison.Row> rows = Comparison.of(runs, "stock").rows();
        assertThat(rows).extracting(Comparison.Row::variant).containsExactly("stock", "accel");
        assertThat(rows.get(1).ratio()).isEqualTo(3);
        assertThat(rows.get(1).lowestRatio()).isEqualTo(2);
        assertThat(rows.get(1).highestRatio()).isEqualTo(4);
        assertThat(rows.get(0).ratio()).isEqualTo(1);
        assertThat(rows.get(0).cpuSeconds()).isEqualTo(30);
    }

    private static RunResult result(String variant, int run, double cpuSeconds) {
        return result(variant, run, cpuSeconds, "");
    }

    private static RunResult result(String variant, int run, double cpuSeconds, String checksum) {
        return new RunResult(
                variant, run, 1000, 1, cpuSeconds, checksum, 0, null, null, null, List.of());
    }

    private String state() {
        Path state = directory.resolve("state");
        try {
            return Files.createDirectories(state).toString();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
