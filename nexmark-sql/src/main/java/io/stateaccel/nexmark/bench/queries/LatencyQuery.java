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
package io.stateaccel.nexmark.bench.queries;

import io.stateaccel.nexmark.bench.common.UserError;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.configuration.MetricOptions;

/** A query of {@code ./bench latency}: a resource file, over tables of {@code latency-ddl.sql}. */
public enum LatencyQuery {
    Q4("q4", "average price per category: a join fused with an aggregate, and an aggregate"),
    TOP_N("top-n", "highest volume per category: join, aggregate and top-N, none of them fused"),
    LEFT_UPDATES("left-updates", "newest auction and its bids: LEFT JOIN of inputs with updates"),
    IDLE("idle", "twenty aggregates side by side, for their CPU time at a row per second"),
    NEW_KEYS("new-keys", "auctions and their bidders: a join and an aggregate over ever-new keys");

    /** Those that tell how long results take. */
    public static final List<LatencyQuery> BY_DEFAULT = List.of(Q4, TOP_N, LEFT_UPDATES);

    private final String title;
    private final String about;

    LatencyQuery(String title, String about) {
        this.title = title;
        this.about = about;
    }

    /**
     * Returns the query of this name.
     *
     * @throws UserError if there is none, with the known ones
     */
    public static LatencyQuery named(String name) {
        return Arrays.stream(values())
                .filter(query -> query.title.equals(name))
                .findFirst()
                .orElseThrow(
                        () ->
                                new UserError(
                                        "unknown query '"
                                                + name
                                                + "'; known are "
                                                + String.join(", ", titles())));
    }

    private static List<String> titles() {
        return Arrays.stream(values()).map(LatencyQuery::title).toList();
    }

    /** What the user calls it. */
    public String title() {
        return title;
    }

    /** What it is, in a few words. */
    public String about() {
        return about;
    }

    /**
     * Flink configuration that it is to be run with. Of a job that does nothing it costs most to
     * ask for its metrics, so that is done as seldom as by default.
     */
    public Map<String, String> settings() {
        return this == IDLE
                ? Map.of(
                        MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL.key(),
                        String.valueOf(
                                MetricOptions.METRIC_FETCHER_UPDATE_INTERVAL
                                        .defaultValue()
                                        .toMillis()))
                : Map.of();
    }

    /** Its statements, of which the last one is the INSERT; how fast rows come is not said. */
    public List<String> statements() {
        return Stream.of("latency-ddl", "latency-" + title)
                .flatMap(file -> Query.statementsOf(Query.resource(file)).stream())
                .toList();
    }
}
