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
package io.stateaccel.planner.sort;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceTemporalSortWithHeapTemporalSortTest {

    private static final String BY_PROCESSING_TIME =
            "SELECT * FROM (SELECT *, PROCTIME() AS p FROM A) ORDER BY p";

    @ParameterizedTest
    @ValueSource(strings = {"ts", "ts, v", "ts, id DESC, v"})
    void replacesThoseByRowTime(String order) {
        final String query = "SELECT * FROM A ORDER BY " + order;
        final String plan =
                Session.accelerated()
                        .set("table.exec.state-accel.window.heap-size", "5 mb")
                        .physicalPlan(query);

        assertThat(plan).contains("HeapTemporalSort(").contains("heap=[5 mb]");
        assertThat(plan.replace("HeapTemporal", "Temporal").replace(", heap=[5 mb]", ""))
                .isEqualTo(Session.stock().physicalPlan(query));
    }

    @Test
    void saysWhyOneByProcessingTimeStays() {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(Session.accelerated().physicalPlan(BY_PROCESSING_TIME + ", id"))
                    .contains(" TemporalSort(");
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("Stays stock: TemporalSort("))
                    .singleElement()
                    .asString()
                    .contains(Reason.SORT_BY_PROCESSING_TIME.toString());
        }
    }

    /** It sends rows on as they come. */
    @Test
    void saysNothingOfOneThatHasNoState() {
        try (CapturedLog log = new CapturedLog()) {
            assertThat(Session.accelerated().physicalPlan(BY_PROCESSING_TIME))
                    .contains(" TemporalSort(");
            assertThat(log.lines()).noneMatch(line -> line.contains("TemporalSort("));
        }
    }
}
