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
package io.stateaccel.planner.scenarios;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.reasons.Reason;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.testutils.MiniClusterResourceConfiguration;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Joins of many inputs that Flink plans as one operator stay stock, and are told how not to. */
class MultiJoinTest {

    private static final String MULTI_JOIN = "table.optimizer.multi-join.enabled";

    private static final List<Scenario> SCENARIOS =
            List.of(
                    Scenario.of(
                            "inner",
                            "SELECT x.a, y.b, z.c FROM positives x JOIN positives y ON x.a = y.a"
                                    + " JOIN negatives z ON y.a = z.a",
                            "1,1,-1",
                            "2,2,-2",
                            "3,3,-3"),
                    Scenario.of(
                            "left",
                            "SELECT x.pk, y.b, z.c FROM once x LEFT JOIN positives y ON x.pk = y.a"
                                    + " LEFT JOIN negatives z ON x.pk = z.a",
                            "1,1,-1",
                            "2,2,-2",
                            "3,3,-3",
                            "4,null,null",
                            "5,null,null",
                            "6,null,null",
                            "7,null,null",
                            "8,null,null",
                            "9,null,null",
                            "10,null,null"));

    @RegisterExtension
    static final MiniClusterExtension CLUSTER =
            new MiniClusterExtension(
                    new MiniClusterResourceConfiguration.Builder()
                            .setNumberTaskManagers(1)
                            .setNumberSlotsPerTaskManager(1)
                            .build());

    @Test
    void staysStockAndSaysHowToChangeThat() throws Exception {
        Lines.assumeAtLeast("2.1", "Multi-joins");
        try (CapturedLog log = new CapturedLog()) {
            ScenarioJob job = job("true", "true");

            assertThat(job.plan()).contains(":MultiJoin(").doesNotContain(":MiniBatchJoin(");
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: MultiJoin("))
                    .hasSameSizeAs(SCENARIOS)
                    .allMatch(line -> line.startsWith("INFO "))
                    .allMatch(line -> line.contains(Reason.MULTI_JOIN.toString()))
                    .allMatch(line -> line.contains(MULTI_JOIN));
            job.assertResults();
        }
    }

    @Test
    void givesTheResultOfFlinksOwn() throws Exception {
        Lines.assumeAtLeast("2.1", "Multi-joins");
        ScenarioJob job = job("false", "true");

        assertThat(job.plan()).contains(":MultiJoin(");
        job.assertResults();
    }

    @Test
    void isAcceleratedWhenTheReasonsAdviceIsTaken() throws Exception {
        ScenarioJob job = job("true", "false");

        assertThat(job.plan()).contains(":MiniBatchJoin(").doesNotContain(":MultiJoin(");
        job.assertResults();
    }

    private static ScenarioJob job(String accelerated, String multiJoin) {
        return new ScenarioJob(
                SCENARIOS,
                "rocksdb",
                Map.of("table.exec.state-accel.enabled", accelerated, MULTI_JOIN, multiJoin));
    }
}
