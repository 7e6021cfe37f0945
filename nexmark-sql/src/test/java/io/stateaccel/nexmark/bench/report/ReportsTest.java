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

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
