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
package io.stateaccel.tests.differential;

import io.stateaccel.planner.reasons.Reason;
import io.stateaccel.tests.differential.CaseRunner.Outcome;
import io.stateaccel.tests.differential.QueryGenerator.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether a job was accelerated, or stayed stock in parts for a reason that is known. */
final class Acceleration {

    /** What stays stock by its nature; everything else does so because it is not covered. */
    private static final Map<String, Set<Reason>> ACCEPTED =
            Map.of(
                    "Join",
                    Set.of(Reason.UPSERT_DECIDES_MATCH, Reason.UPSERT_WITH_CONDITION),
                    "GroupAggregate",
                    Set.of(),
                    "ChangelogNormalize",
                    Set.of(Reason.VERSIONS_OF_TEMPORAL_JOIN),
                    "SortLimit",
                    Set.of(),
                    "Rank",
                    Set.of(),
                    "MultiJoin",
                    Set.of(Reason.MULTI_JOIN),
                    "IntervalJoin",
                    Set.of(Reason.EMPTY_INTERVAL),
                    "Limit",
                    Set.of());

    private static final Set<Reason> ACCEPTED_OF_OTHERS = Set.of(Reason.BUNDLED_BY_FLINK);

    private static final Pattern STOCK_NODE =
            Pattern.compile("Stays stock: (\\w+)\\(.*\\. Reason: (.*)\\.", Pattern.DOTALL);

    /** About how far an accelerated node goes. */
    private static final Pattern NEXT_TO_JOIN =
            Pattern.compile(
                    "(Not fused with|Not aggregated before|No local aggregate in) the join below it: "
                            + "|Not fused with the join above it: ");

    private static final Pattern STOCK_OPERATOR =
            Pattern.compile(
                    "^(Join|MultiJoin|GroupAggregate|Rank|Deduplicate|ChangelogNormalize|SortLimit|Limit"
                            + "|IntervalJoin|TemporalJoin|OverAggregate|WindowAggregate"
                            + "|GlobalWindowAggregate|GroupWindowAggregate|GroupWindowTableAggregate|WindowRank|WindowDeduplicate"
                            + "|WindowJoin)\\b");

    private static final Pattern ACCELERATED_JOIN =
            Pattern.compile(
                    "^MiniBatchJoin(Aggregate|LocalAggregate|Rank)?\\b.*?joinType=\\[(\\w+)]",
                    Pattern.DOTALL);

    private Acceleration() {}

    /** What a planner that rewrites nothing, or not enough, would be told; empty if all is well. */
    static List<String> complaints(Outcome outcome) {
        List<String> complaints = new ArrayList<>();
        List<String> explained = new ArrayList<>();
        for (String line : outcome.stockNodes()) {
            if (NEXT_TO_JOIN.matcher(line).find()) {
                continue;
            }
            Matcher node = STOCK_NODE.matcher(line);
            if (!node.find()) {
                complaints.add("Cannot read: " + line);
                continue;
            }
            explained.add(node.group(1));
            boolean accepted =
                    ACCEPTED.getOrDefault(node.group(1), ACCEPTED_OF_OTHERS).stream()
                            .anyMatch(reason -> reason.toString().equals(node.group(2)));
            if (!accepted) {
                complaints.add("Not accelerated: " + line);
            }
        }
        for (String operator : outcome.operators()) {
            Matcher stock = STOCK_OPERATOR.matcher(operator);
            // Of a deduplication, which is a top-N until it is translated, the top-N is said to
            // stay.
            if (stock.find()
                    && !explained.contains(stock.group(1))
                    && !(stock.group(1).equals("Deduplicate") && explained.contains("Rank"))) {
                complaints.add("Not accelerated, and nothing says why: " + operator);
            }
        }
        return complaints;
    }

    /**
     * The types of the accelerated joins, as EXPLAIN names them, one for each join; behind those
     * that are fused with what is above them, or with a phase of it, "+Aggregate",
     * "+LocalAggregate" or "+Rank".
     */
    static List<String> joinTypes(Outcome outcome) {
        return outcome.operators().stream()
                .map(ACCELERATED_JOIN::matcher)
                .filter(Matcher::find)
                .map(join -> join.group(2) + (join.group(1) == null ? "" : "+" + join.group(1)))
                .toList();
    }

    /** Whether the one aggregate above a join was put below it. */
    static boolean isAggregatedBeforeJoin(Shape shape, Outcome outcome) {
        return shape == Shape.JOIN_AGGREGATED_PER_ROW
                && outcome.stockNodes().stream()
                        .noneMatch(line -> line.contains("Not aggregated before the join"))
                && joinTypes(outcome).contains("InnerJoin");
    }
}
