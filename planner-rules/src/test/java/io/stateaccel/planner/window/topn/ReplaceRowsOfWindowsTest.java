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
package io.stateaccel.planner.window.topn;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.planner.CapturedLog;
import io.stateaccel.planner.CompiledPlans;
import io.stateaccel.planner.Session;
import io.stateaccel.planner.reasons.Reason;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.api.TableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Top-N of windows and deduplications in windows. */
class ReplaceRowsOfWindowsTest {

    private static final String STOCK = "[\\s+-]Window(Rank|Deduplicate)\\(";
    private static final String TUMBLE = "TUMBLE(TABLE A, DESCRIPTOR(ts), INTERVAL '1' HOUR)";
    private static final String TOP_3 = query("v", "n <= 3", TUMBLE);
    private static final String FIRST_ROW = query("ts", "n = 1", TUMBLE);
    private static final String LAST_ROW = query("ts DESC", "n = 1", TUMBLE);

    @ParameterizedTest
    @ValueSource(
            strings = {
                TUMBLE,
                "HOP(TABLE A, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '1' HOUR)",
                "CUMULATE(TABLE A, DESCRIPTOR(ts), INTERVAL '5' MINUTE, INTERVAL '1' HOUR)"
            })
    void replacesThem(String window) {
        assertThat(Session.accelerated().physicalPlan(query("v DESC, id", "n <= 3", window)))
                .contains("- HeapWindowRank(window=[")
                .contains("heap=[shared]")
                .doesNotContainPattern(STOCK);
        assertThat(Session.accelerated().physicalPlan(query("ts", "n = 1", window)))
                .contains("- HeapWindowDeduplicate(window=[")
                .contains("heap=[shared]")
                .doesNotContainPattern(STOCK);
    }

    @Test
    void showsAllThatStockExplains() {
        for (String query : new String[] {TOP_3, FIRST_ROW, LAST_ROW}) {
            assertThat(
                            Session.accelerated()
                                    .set("table.exec.state-accel.window.heap-size", "1 mb")
                                    .physicalPlan(query)
                                    .replace("HeapWindow", "Window")
                                    .replace(", heap=[1 mb]", ""))
                    .isEqualTo(Session.installed().physicalPlan(query));
        }
    }

    /** Flink plans these, and says that it has no operator for them. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ROW_NUMBER()|p|v|n <= 3|Processing time Window TopN",
                "ROW_NUMBER()|p|p|n = 1|Processing time Window Deduplication",
                "RANK()|ts|v|n <= 3|RANK() function",
            })
    void leavesWhatFlinkDoesNotRun(
            String function, String time, String order, String condition, String message) {
        final Session session = Session.accelerated();
        session.tables().executeSql("CREATE TEMPORARY VIEW P AS SELECT *, PROCTIME() AS p FROM A");
        final String query =
                "SELECT id FROM (SELECT *, %s OVER (PARTITION BY window_start, window_end ORDER BY"
                        + " %s) AS n FROM TABLE(TUMBLE(TABLE P, DESCRIPTOR(%s), INTERVAL '1'"
                        + " HOUR))) WHERE %s";
        try (CapturedLog log = new CapturedLog()) {
            assertThatThrownBy(
                            () ->
                                    session.physicalPlan(
                                            query.formatted(function, order, time, condition)))
                    .isInstanceOf(TableException.class)
                    .hasMessageStartingWith(message);
            assertThat(log.lines())
                    .anyMatch(line -> line.contains(Reason.WINDOW_WITHOUT_OPERATOR.toString()));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void isPartOfACompiledPlan(boolean isRank) throws Exception {
        final String insert = "INSERT INTO sink_of_pairs " + (isRank ? TOP_3 : LAST_ROW);

        assertThat(CompiledPlans.types(CompiledPlans.run(Session.accelerated(), insert)))
                .contains("state-accel-window-%s_1".formatted(isRank ? "rank" : "deduplicate"));
        Session.accelerated().tables().executeSql(insert).await(60, TimeUnit.SECONDS);
    }

    private static String query(String order, String condition, String window) {
        return "SELECT id, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY id, window_start,"
                + " window_end ORDER BY %s) AS n FROM TABLE(%s)) WHERE %s"
                        .formatted(order, window, condition);
    }
}
