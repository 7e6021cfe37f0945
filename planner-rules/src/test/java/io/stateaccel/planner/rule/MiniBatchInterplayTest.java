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
package io.stateaccel.planner.rule;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.planner.Session;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A user's own {@code table.exec.mini-batch.*} rules, and what Flink makes of it stays. */
class MiniBatchInterplayTest {

    private static final String ENABLED = "table.exec.state-accel.enabled";

    /** An aggregate below the join and one above. */
    private static final String QUERY =
            "SELECT v, COUNT(*) AS n FROM (SELECT A.v FROM A JOIN"
                    + " (SELECT id, COUNT(*) AS m FROM B GROUP BY id) C ON A.id = C.id) GROUP BY v";

    private static final String ROW_TIME_QUERY =
            "SELECT w, COUNT(*) AS n FROM (SELECT A.id, B.w FROM A JOIN B ON A.id = B.id) GROUP BY w";

    @Test
    void joinTakesTheUsersBundleBetweenAggregatesOfTwoPhases() {
        String plan = users("500", "2 s").physicalPlan(QUERY);

        assertThat(plan).contains("bundle=[size 500, latency 2000 ms, max 16 mb]");
        assertThat(nodesFromTopToBottom(plan))
                .containsSubsequence(
                        "GlobalGroupAggregate",
                        "LocalGroupAggregate",
                        "MiniBatchJoin",
                        "GlobalGroupAggregate",
                        "LocalGroupAggregate",
                        "MiniBatchAssigner");
    }

    @Test
    void onlyTheJoinIsAnotherNodeThanWithoutAcceleration() {
        String accelerated = users("500", "2 s").physicalPlan(QUERY);
        String stock = users("500", "2 s").set(ENABLED, "false").physicalPlan(QUERY);

        assertThat(nodesFromTopToBottom(accelerated))
                .isEqualTo(
                        nodesFromTopToBottom(stock).stream()
                                .map(node -> node.equals("Join") ? "MiniBatchJoin" : node)
                                .toList());
    }

    @Test
    void oursIsNotMixedIn() {
        assertThat(
                        users("500", "2 s")
                                .set("table.exec.state-accel.mini-batch.size", "7")
                                .set("table.exec.state-accel.mini-batch.allow-latency", "3 s")
                                .set("table.exec.state-accel.mini-batch.max-bytes", "5 mb")
                                .physicalPlan(QUERY))
                .contains("MiniBatchJoin(")
                // Flink has no limit of bytes.
                .contains("bundle=[size 500, latency 2000 ms, max 5 mb]")
                .doesNotContain("size 7")
                .doesNotContain("latency 3000 ms");
    }

    /** The assigner turns the interval into watermarks; the join below flushes on them too. */
    @ParameterizedTest
    @ValueSource(strings = {"100 ms", "5 s"})
    void assignerHasTheUsersLatency(String latency) {
        String millis = latency.replace(" ms", "").replace(" s", "000");

        assertThat(users("10", latency).physicalPlan(ROW_TIME_QUERY))
                .contains("MiniBatchAssigner(interval=[" + millis + "ms]")
                .contains("bundle=[size 10, latency " + millis + " ms, max 16 mb]");
    }

    @Test
    void withoutTheUsersMiniBatchNothingIsAssigned() {
        assertThat(nodesFromTopToBottom(Session.accelerated().physicalPlan(QUERY)))
                .contains("MiniBatchJoin", "CachedGroupAggregate")
                .doesNotContain("MiniBatchAssigner", "LocalGroupAggregate");
    }

    private static Session users(String size, String latency) {
        return Session.accelerated()
                .set("table.exec.mini-batch.enabled", "true")
                .set("table.exec.mini-batch.size", size)
                .set("table.exec.mini-batch.allow-latency", latency);
    }

    private static List<String> nodesFromTopToBottom(String plan) {
        return Stream.of(plan.split("\n"))
                .filter(line -> line.contains("("))
                .map(line -> line.substring(0, line.indexOf('(')).replaceAll("[^A-Za-z]", ""))
                .toList();
    }
}
