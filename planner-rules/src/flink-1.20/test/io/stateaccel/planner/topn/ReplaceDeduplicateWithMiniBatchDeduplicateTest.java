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
package io.stateaccel.planner.topn;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.Session;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceDeduplicateWithMiniBatchDeduplicateTest {

    private static final String QUERY =
            "SELECT id, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id ORDER BY %s) AS n"
                    + " FROM (SELECT *, PROCTIME() AS p FROM A)) WHERE n = 1";

    @ParameterizedTest
    @ValueSource(strings = {"ts", "ts DESC", "p", "p DESC"})
    void replacesDeduplicationsByTime(String order) {
        assertThat(Session.installed().physicalPlan(QUERY.formatted(order)))
                .contains(" Deduplicate(keep=");
        for (String ttl : new String[] {"0", "1 d"}) {
            assertThat(
                            Session.accelerated()
                                    .set("table.exec.state.ttl", ttl)
                                    .physicalPlan(QUERY.formatted(order)))
                    .contains("MiniBatchDeduplicate(keep=")
                    .contains("bundle=[size 20000, latency 1000 ms, max 16 mb]")
                    .doesNotContain(" Deduplicate(");
        }
    }
}
