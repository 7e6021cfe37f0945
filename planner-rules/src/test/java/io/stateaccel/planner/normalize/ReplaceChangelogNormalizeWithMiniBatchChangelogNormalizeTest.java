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
package io.stateaccel.planner.normalize;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.planner.CompiledPlans;
import io.stateaccel.planner.Session;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReplaceChangelogNormalizeWithMiniBatchChangelogNormalizeTest {

    private static final String STOCK = "[\\s+-]ChangelogNormalize\\(";

    @Test
    void replacesItAndKeepsAllThatStockExplains() {
        final String query = "SELECT u, COUNT(*) FROM UK GROUP BY u";
        assertThat(Session.installed().physicalPlan(query))
                .contains("- ChangelogNormalize(key=[id])");
        assertThat(Session.accelerated().physicalPlan(query))
                .contains(
                        "- MiniBatchChangelogNormalize(key=[id],"
                                + " bundle=[size 20000, latency 1000 ms, max 16 mb])")
                .doesNotContainPattern(STOCK);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT u, COUNT(*) FROM U GROUP BY u",
                "SELECT * FROM UK WHERE u > 2",
                "SELECT UK.u, RK.r FROM UK JOIN RK ON UK.u = RK.r",
            })
    void replacesItWhateverReadsIt(String query) {
        for (String ttl : new String[] {"0", "1 d"}) {
            assertThat(Session.accelerated().set("table.exec.state.ttl", ttl).physicalPlan(query))
                    .contains("MiniBatchChangelogNormalize(")
                    .doesNotContainPattern(STOCK);
        }
    }

    @Test
    void replacesThatOfASourceWithDuplicates() {
        assertThat(
                        withDuplicates(Session.accelerated())
                                .physicalPlan("SELECT r, COUNT(*) FROM duplicates GROUP BY r"))
                .contains("MiniBatchChangelogNormalize(key=[id]")
                .doesNotContainPattern(STOCK);
    }

    @Test
    void keepsAConditionThatFlinkHasPushedDown() {
        Lines.assumeAtLeast("2.1", "Conditions within the normalisation");
        final String query = "SELECT id, u FROM UK WHERE u > 2";
        assertThat(Session.installed().physicalPlan(query))
                .contains("ChangelogNormalize(key=[id], condition=[>(u, 2)])");
        assertThat(Session.accelerated().physicalPlan(query))
                .contains("MiniBatchChangelogNormalize(key=[id], condition=[>(u, 2)], bundle=[");
    }

    @Test
    void letsTheUsersMiniBatchSettingsRule() {
        assertThat(
                        Session.accelerated()
                                .set("table.exec.mini-batch.enabled", "true")
                                .set("table.exec.mini-batch.size", "500")
                                .set("table.exec.mini-batch.allow-latency", "2 s")
                                .physicalPlan("SELECT u, COUNT(*) FROM UK GROUP BY u"))
                .contains(
                        "MiniBatchChangelogNormalize(key=[id],"
                                + " bundle=[size 500, latency 2000 ms, max 16 mb])");
    }

    @Test
    void isPartOfACompiledPlan() throws Exception {
        final String insert =
                "INSERT INTO sink_of_counts SELECT r, COUNT(*) FROM duplicates GROUP BY r";
        assertThat(
                        CompiledPlans.types(
                                CompiledPlans.run(withDuplicates(Session.accelerated()), insert)))
                .contains("state-accel-changelog-normalize_1");
        withDuplicates(Session.accelerated())
                .tables()
                .executeSql(insert)
                .await(60, TimeUnit.SECONDS);
    }

    private static Session withDuplicates(Session session) {
        session.set("table.exec.source.cdc-events-duplicate", "true")
                .tables()
                .executeSql(
                        "CREATE TABLE duplicates (id BIGINT, r BIGINT, PRIMARY KEY (id) NOT"
                                + " ENFORCED) WITH ('connector' = 'in-memory')");
        return session;
    }
}
