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
package io.stateaccel.planner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.apache.flink.table.api.CompiledPlan;
import org.apache.flink.table.api.PlanReference;
import org.junit.jupiter.api.Test;

class CompiledPlanTest {

    private static final String INSERT =
            "INSERT INTO sink_of_counts"
                    + " SELECT v, COUNT(*) FROM A JOIN B ON A.id = B.id GROUP BY v";

    @Test
    void isThatOfStock() {
        assertThat(withoutIds(Session.accelerated().tables().compilePlanSql(INSERT)))
                .isEqualTo(withoutIds(Session.stock().tables().compilePlanSql(INSERT)));
    }

    @Test
    void runsFromItsText() throws Exception {
        final Session session = Session.accelerated();
        final String json = session.tables().compilePlanSql(INSERT).asJsonString();

        assertThat(json)
                .contains("\"type\" : \"stream-exec-join_1\"")
                .contains("\"type\" : \"stream-exec-group-aggregate_1\"");
        session.tables()
                .loadPlan(PlanReference.fromJsonString(json))
                .execute()
                .await(60, TimeUnit.SECONDS);
    }

    @Test
    void runsAtOnce() throws Exception {
        Session.accelerated().tables().compilePlanSql(INSERT).execute().await(60, TimeUnit.SECONDS);
    }

    @Test
    void theUserIsToldThatItIsStock() {
        try (CapturedLog log = new CapturedLog()) {
            Session.accelerated().tables().compilePlanSql(INSERT);
            assertThat(log.lines())
                    .anyMatch(line -> line.contains("Stays stock: Join("))
                    .anyMatch(line -> line.contains("Stays stock: GroupAggregate("));
        }
    }

    /** Node ids count up over the life of the JVM. */
    private static String withoutIds(CompiledPlan plan) {
        return plan.asJsonString().replaceAll("\"(id|source|target)\" : \\d+", "");
    }
}
