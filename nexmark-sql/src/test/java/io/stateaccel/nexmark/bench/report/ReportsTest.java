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

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.nexmark.bench.common.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written about figures: page, tables, document, comparison. */
class ReportsTest {

    @TempDir private Path directory;

    @Test
    void thePageHoldsEverythingAndAsksForNothing() throws IOException {
        Path file = directory.resolve("index.html");
        HtmlReport.write(Reports.full("./bench q4 --set a=</script>"), file);
        String page = Files.readString(file);
        assertThat(page)
                .contains("Permission is hereby granted", "Chart.js v", "\"wide-interval-join\"")
                .doesNotContain("@DATA@", "@CHARTS@", "@LICENCE@")
                .doesNotContain("src=\"http", "href=\"http", "@import", "a=</script>");
    }

    @Test
    void aReportIsReadAsItWasWritten() throws IOException {
        Path file = directory.resolve("report.json");
        Report report = Reports.full("./bench q4");
        report.write(file);
        assertThat(Report.read(file)).isEqualTo(report);
    }

    @Test
    void aReportFromBeforeThereWereLoadsIsRead() throws IOException {
        Path file = directory.resolve("report.json");
        Report report = Reports.full("./bench q4");
        ObjectNode json = (ObjectNode) Json.MAPPER.valueToTree(report);
        assertThat(json.remove("loads")).isEmpty();
        Files.writeString(file, json.toString());
        assertThat(Report.read(file)).isEqualTo(report);
    }

    @Test
    void loadsAreInJsonAndPageAndTables() throws IOException {
        Report report = Reports.underLoads("./bench latency");
        Path json = directory.resolve("report.json");
        report.write(json);
        assertThat(Report.read(json)).isEqualTo(report);
        Path page = directory.resolve("index.html");
        HtmlReport.write(report, page);
        assertThat(page).content().contains("\"kind\":\"LATENCY\"", "\"p999\":1400.0");
        assertThat(MarkdownReport.merge("", report))
                .contains(
                        "q4: average price per category: a join fused with an aggregate",
                        "| 10 rows/s | stock | 200.0 | 600.0 | 1400.0 | 1800.0 | 20.0 | 60.0 | 4,000 |"
                                + " 400 | 1,000 | 3.5 | 1 |",
                        "| 90% of the highest rate | accel | 10.0 | 30.0 | 70.0 | 90.0 | 1.0 | 3.0 |"
                                + " 4,000 | 400 | 1,000 | 3.5 | 2 |",
                        "| aligned | stock | 2,400 | 9,000 | 5 | 1 | - | 3.5 | 1 |",
                        "| | variant | disk 1st MB | disk 2nd MB | disk max MB | files 1st |",
                        "| TTL 60 s | accel | 10.0 | 17.5 | 20.0 | 20 | 35 | 6.0 | 7.5 | 1,000 |"
                                + " 3.5 | 1 |",
                        "q4, 10 rows/s: `hashmap` failed: no heap")
                .containsOnlyOnce("| | variant | median ms |");
        assertThat(report.loads().get(1).text())
                .contains("q4, 90% of the highest rate (54,321 per second)")
                .containsPattern("stock +200\\.0 +600\\.0 +1400\\.0")
                .contains("FAILED: hashmap: no heap");
    }

    @Test
    void markdownReplacesItsOwnTablesAndKeepsTheRest() {
        String written =
                MarkdownReport.merge("# Mine\n\nWords.\n", Reports.full("./bench q4 --json a"));
        assertThat(written)
                .startsWith("# Mine\n\nWords.\n")
                .contains("<!-- begin: ./bench q4 -->", "| accel | 5.0 |", "2.00x", "| 1,500 |")
                .contains("| geometric mean | **1.00x** | **2.00x** |");
        String twice =
                MarkdownReport.merge(
                        written + "\nMore words.\n",
                        Reports.full("./bench q4 --report out --markdown b.md"));
        assertThat(twice).isEqualTo(written + "\nMore words.\n");
        assertThat(MarkdownReport.merge(twice, Reports.full("./bench q9")))
                .startsWith(twice)
                .contains("<!-- begin: ./bench q9 -->");
    }

    @Test
    void scalingFollowsTheCostOfTheNextEvent() {
        // 10 s for the start, then 10 us for each event of the first million, 20 us after that.
        List<QueryReport> parts = new ArrayList<>();
        parts.add(Reports.part("q4", 1_000_000, Map.of("stock", 20.0)));
        parts.add(Reports.part("q4", 2_000_000, Map.of("stock", 30.0)));
        parts.add(Reports.part("q4", 20_000_000, Map.of("stock", 30.0 + 18 * 20)));
        String text = ScalingDocument.text(Reports.report("./bench q4", parts));
        assertThat(text)
                .contains("| stock | 1M | 20.0 | 20.00 | - |")
                .contains("| stock | 2M | 30.0 | 15.00 | 10.00 |")
                .contains("| stock | 20M | 390.0 | 19.50 | 20.00 |")
                // Twice as dear over a factor of sqrt(20): 2 ^ (1 / log10(sqrt(20))) per decade.
                .contains("| stock | 100,000,000 | 42.12 (2.90) |")
                .contains("| 256 |");
    }

    @Test
    void oneMeasurementScalesStraight() {
        String text =
                ScalingDocument.text(
                        Reports.report(
                                "./bench q4",
                                List.of(Reports.part("q4", 1_000_000, Map.of("stock", 10.0)))));
        assertThat(text).contains("| stock | 100,000,000 | 10.00 (1.00) | 0.3 |");
    }
}
