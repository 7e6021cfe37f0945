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
package io.stateaccel.command.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.command.job.JobSample.Task;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What is said of bundles, by figures of ten seconds. */
class BundleRemarksTest {

    private final Map<String, String> before = new HashMap<>();
    private final Map<String, String> now = new HashMap<>();

    BundleRemarksTest() {
        for (String time : List.of("Busy", "BackPressured", "Idle")) {
            before.put("accumulate" + time + "TimeMs", "0");
            now.put("accumulate" + time + "TimeMs", time.equals("Idle") ? "10000" : "0");
        }
    }

    @Test
    void rowsThatWaitThoughThereIsTime() {
        flushes("MiniBatchJoin_3_", 100, Map.of("latency", 10, "checkpoint", 2), 990);

        assertThat(remarks(100, 0))
                .containsExactly(
                        "'MiniBatchJoin_3_': rows wait in bundles for up to 990 ms, though the task"
                                + " is busy for 10 % of the time: let bundles end when there is"
                                + " nothing to wait for"
                                + " (table.exec.state-accel.mini-batch.follow-load=true, which"
                                + " table.exec.mini-batch.enabled=true overrules)");
        assertThat(remarks(600, 0)).isEmpty();
    }

    @Test
    void rowsThatWaitForALittle() {
        flushes("MiniBatchJoin_3_", 100, Map.of("latency", 1000), 20);
        assertThat(remarks(100, 0)).isEmpty();
    }

    @Test
    void bundlesThatAreTorn() {
        flushes("MiniBatchRank_7_", 20_000, Map.of("watermark", 5000, "full", 0, "idle", 100), 1);

        assertThat(remarks(900, 0))
                .containsExactly(
                        "'MiniBatchRank_7_': bundles hold 3.9 rows, as most end for 'watermark',"
                                + " 500.0 a second in all: give watermarks less often"
                                + " (pipeline.auto-watermark-interval)");
        assertThat(remarks(200, 0)).isEmpty();
    }

    @Test
    void largeBundlesThatEndAtWatermarks() {
        flushes("MiniBatchRank_7_", 200_000, Map.of("watermark", 50), 200);
        assertThat(remarks(900, 0)).isEmpty();
    }

    @Test
    void bundlesThatASlowSinkMakesSmall() {
        flushes("MiniBatchJoin_3_", 1000, Map.of("full", 100), 50);

        assertThat(remarks(100, 900))
                .singleElement()
                .asString()
                .startsWith("'MiniBatchJoin_3_': bundles are cut to 10.0 rows");
    }

    @Test
    void nothingIsSaidOfOperatorsThatFlushForIdleness() {
        flushes("MiniBatchJoin_3_", 1000, Map.of("idle", 1000, "latency", 0), 0);
        flushes("MiniBatchRank_7_", 0, Map.of("idle", 0, "latency", 0), 0);
        assertThat(remarks(100, 0)).isEmpty();
        assertThat(report(100, 0)).doesNotContain("Bundles:");
    }

    @Test
    void everyOperatorOfATaskIsNamed() {
        flushes("MiniBatchJoin_3_", 100, Map.of("latency", 10), 500);
        flushes("CachedGroupAggregate_4_", 100, Map.of("latency", 10), 300);

        assertThat(remarks(100, 0)).hasSize(2);
        assertThat(report(100, 0)).contains("Bundles:", "  - 'CachedGroupAggregate_4_': rows wait");
    }

    private void flushes(
            String operator, long rows, Map<String, Integer> byReason, double waitMillis) {
        String prefix = operator + ".state-accel.bundle.";
        before.put(prefix + "rows", "1000");
        now.put(prefix + "rows", Long.toString(1000 + rows));
        now.put(prefix + "waitMillis_mean", Double.toString(waitMillis));
        byReason.forEach(
                (reason, flushes) -> {
                    before.put(prefix + "reason." + reason + ".flushes", "10");
                    now.put(
                            prefix + "reason." + reason + ".flushes",
                            Integer.toString(10 + flushes));
                });
    }

    private List<String> remarks(int busyMillis, int heldUpMillis) {
        return BundleRemarks.on(sample(busyMillis, heldUpMillis));
    }

    private String report(int busyMillis, int heldUpMillis) {
        JobSample sample = sample(busyMillis, heldUpMillis);
        StringWriter text = new StringWriter();
        new JobReport(sample, Diagnosis.of(sample)).print(new PrintWriter(text, true));
        return text.toString();
    }

    private JobSample sample(int busyMillis, int heldUpMillis) {
        now.put("busyTimeMsPerSecond", Integer.toString(busyMillis));
        now.put("backPressuredTimeMsPerSecond", Integer.toString(heldUpMillis));
        return new JobSample(
                "id",
                "a job",
                List.of(new Task("a task", List.of(), List.of(new Readings(before, now)))),
                List.of());
    }
}
