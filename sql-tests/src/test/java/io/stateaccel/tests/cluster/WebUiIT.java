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
package io.stateaccel.tests.cluster;

import static io.stateaccel.tests.cluster.FlinkDistribution.builtJar;
import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.nexmark.browser.Browser;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Flink's Web UI of a running, accelerated q4, in Chromium: the operators have our names, and our
 * metrics can be picked. The documentation has the screenshots that are left in {@code
 * target/screenshots}.
 */
@EnabledIfSystemProperty(named = "stateaccel.browser", matches = "true")
class WebUiIT {

    /** More than the cluster gets through while it is looked at. */
    private static final int EVENTS = 100_000_000;

    private static final Pattern JOB_ID = Pattern.compile("Job ID: (\\w+)");

    private static final String NODES = "return Array.from(document.querySelectorAll('.node'))";

    /** The tab of a task's metrics. */
    private static final String TABS =
            "return Array.from(document.querySelectorAll('flink-job-overview-drawer [role=tab]'))"
                    + ".filter(tab => tab.textContent.trim() == 'Metrics')";

    private static final String PICKER = "flink-job-overview-drawer nz-select";

    @Test
    void showsWhatIsAccelerated() throws Exception {
        FlinkDistribution distribution = FlinkDistribution.create("web-ui");
        distribution.install(builtJar("nexmark-sql"));
        distribution.install(builtJar("flink-sql-state-accel"));
        try (StandaloneCluster cluster = StandaloneCluster.start(distribution, Map.of());
                Browser browser = Browser.open()) {
            Command.Result submitted =
                    distribution.runSql(
                            Nexmark.tables(EVENTS)
                                    + "SET 'table.exec.state-accel.enabled' = 'true';\n"
                                    + "SET 'pipeline.name' = 'q4';\n"
                                    + "CREATE TABLE averages (category BIGINT, average BIGINT)"
                                    + " WITH ('connector' = 'blackhole');\n"
                                    + "INSERT INTO averages "
                                    + Nexmark.q4()
                                    + ";\n");
            assertThat(submitted.exitCode()).as(submitted.output()).isZero();

            browser.size(1600, 1000, "light");
            browser.show(cluster.address() + "/#/job/running/" + jobId(submitted) + "/overview");
            browser.await(NODES + ".length == 3");
            // Metrics come every few seconds; the graph slides in.
            browser.await("return document.body.innerText.includes('Low Watermark')");
            String nodes = (String) browser.run(NODES + ".map(node => node.textContent).join()");
            assertThat(nodes).contains("MiniBatchJoinAggregate[", "CachedGroupAggregate[");
            browser.screenshot("web-ui-q4");

            browser.run(
                    NODES
                            + ".find(node => node.textContent.includes(arguments[0]))"
                            + ".dispatchEvent(new MouseEvent('click', {bubbles: true}))",
                    "MiniBatchJoinAggregate");
            browser.await(TABS + ".length > 0");
            browser.run(TABS + "[0].click()");
            browser.await("return document.querySelector('" + PICKER + "') != null");
            pick(browser, "state-accel.bundle.rowsPerFlush_median");
            search(browser, "state-accel.bundle.");
            browser.screenshot("web-ui-metrics");
        }
    }

    /** Searches the picker for a metric and adds the chart of the first sub-task's. */
    private static void pick(Browser browser, String metric) {
        search(browser, metric);
        browser.run("document.querySelector('nz-option-item').click()");
        browser.await(
                "return document.querySelector('flink-job-overview-drawer')"
                        + ".textContent.includes(arguments[0])",
                metric);
    }

    /** Opens the picker, and waits until it offers the metrics that are searched for. */
    private static void search(Browser browser, String metric) {
        browser.run("document.querySelector('" + PICKER + " nz-select-top-control').click()");
        browser.run(
                "const search = document.querySelector('"
                        + PICKER
                        + " input'); search.value = arguments[0];"
                        + "search.dispatchEvent(new Event('input', {bubbles: true}))",
                metric);
        browser.await(
                "const found = Array.from(document.querySelectorAll('nz-option-item'));"
                        + "return found.length > 0"
                        + " && found.every(one => one.textContent.includes(arguments[0]))",
                metric);
    }

    private static String jobId(Command.Result submitted) {
        Matcher id = JOB_ID.matcher(submitted.output());
        assertThat(id.find()).as(submitted.output()).isTrue();
        return id.group(1);
    }
}
