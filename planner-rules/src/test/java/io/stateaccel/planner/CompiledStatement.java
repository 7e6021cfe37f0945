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

import static org.apache.flink.table.api.Expressions.$;
import static org.apache.flink.table.api.Expressions.call;
import static org.apache.flink.table.api.Expressions.lit;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.FlinkLine;
import io.stateaccel.flink.testing.Lines;
import java.util.List;
import org.apache.flink.table.api.Slide;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;

/** Statements with each of our nodes. */
enum CompiledStatement {
    JOIN("INSERT INTO sink_of_pairs SELECT v, w FROM A JOIN B ON A.id = B.id", "join_1"),

    LEFT_JOIN_WITH_CONDITION(
            "INSERT INTO sink_of_pairs SELECT v, r FROM A LEFT JOIN changes ON A.id = changes.id AND v > r",
            "join_1"),

    ANTI_JOIN(
            "INSERT INTO sink_of_pairs SELECT id, v FROM A WHERE NOT EXISTS"
                    + " (SELECT * FROM changes WHERE changes.id = A.id)",
            "join_1"),

    JOIN_WITH_TTL(
            "INSERT INTO sink_of_pairs SELECT /*+ STATE_TTL('A' = '1h', 'B' = '2d') */ v, w"
                    + " FROM A JOIN B ON A.id = B.id",
            "join_1"),

    JOIN_AND_AGGREGATE(
            "INSERT INTO sink_of_counts SELECT v, COUNT(*) FROM A JOIN B ON A.id = B.id GROUP BY v",
            "join_1",
            "group-aggregate_1"),

    JOIN_AGGREGATE(
            "INSERT INTO sink_of_counts SELECT A.id, SUM(A.v + B.w) FROM A JOIN B ON A.id = B.id"
                    + " WHERE A.v > B.w - 1 GROUP BY A.id",
            "join-aggregate_1"),

    JOIN_AGGREGATE_WITHOUT_CALC(
            "INSERT INTO sink_of_counts SELECT id, MAX(w) FROM (SELECT A.id, w FROM A JOIN B ON"
                    + " A.id = B.id) GROUP BY id",
            "join-aggregate_1"),

    JOIN_LOCAL_AGGREGATE(
            "INSERT INTO sink_of_counts SELECT v, MAX(w) FROM A JOIN changes AS B (id, w) ON A.id = B.id"
                    + " GROUP BY v",
            "join-local-aggregate_1",
            "group-aggregate-of-partials_1") {
        @Override
        Session prepare(Session session) {
            return session.set(StateAccelOptions.JOIN_LOCAL_AGGREGATE_ENABLED.key(), "true");
        }
    },

    JOIN_RANK(
            "INSERT INTO sink_of_counts SELECT id, w FROM (SELECT A.id, B.w, ROW_NUMBER() OVER"
                    + " (PARTITION BY A.id ORDER BY B.w DESC) AS rn FROM A JOIN B ON A.id = B.id)"
                    + " WHERE rn <= 1",
            "join-rank_1"),

    INTERVAL_JOIN(
            "INSERT INTO sink_of_pairs SELECT v, w FROM A JOIN B ON A.id = B.id AND A.ts BETWEEN"
                    + " B.ts AND B.ts + INTERVAL '1' HOUR",
            "interval-join_1"),

    OUTER_INTERVAL_JOIN(
            "INSERT INTO sink_of_pairs SELECT v, w FROM A LEFT JOIN B ON A.id = B.id AND A.ts BETWEEN"
                    + " B.ts AND B.ts + INTERVAL '1' HOUR",
            "interval-join_1"),

    PROCESSING_TIME_INTERVAL_JOIN(
            "INSERT INTO sink_of_pairs SELECT v, w FROM (SELECT *, PROCTIME() AS p FROM A) L JOIN"
                    + " (SELECT *, PROCTIME() AS p FROM B) R ON L.id = R.id AND L.p BETWEEN R.p AND"
                    + " R.p + INTERVAL '1' HOUR",
            "interval-join_1"),

    TEMPORAL_JOIN(
            "INSERT INTO sink_of_pairs SELECT v, w FROM A LEFT JOIN versions FOR SYSTEM_TIME AS OF"
                    + " A.ts ON A.id = versions.id AND v > 3",
            "temporal-join_1") {
        @Override
        Session prepare(Session session) {
            session.tables()
                    .executeSql(
                            "CREATE VIEW versions AS SELECT id, w, ts FROM (SELECT *, ROW_NUMBER()"
                                    + " OVER (PARTITION BY id ORDER BY ts DESC) AS n FROM B) WHERE"
                                    + " n = 1");
            return session;
        }
    },

    GROUP_AGGREGATE(
            "INSERT INTO sink_of_counts SELECT id, COUNT(DISTINCT v) FILTER (WHERE v > 1) FROM A"
                    + " GROUP BY id",
            "group-aggregate_1"),

    GROUP_AGGREGATE_OF_RETRACTIONS(
            "INSERT INTO sink_of_counts SELECT id, MAX(r) FROM changes GROUP BY id",
            "group-aggregate_1"),

    RANK(
            "INSERT INTO sink_of_pairs SELECT id, v FROM (SELECT id, v, ROW_NUMBER() OVER"
                    + " (PARTITION BY id ORDER BY v) AS rn FROM A) WHERE rn BETWEEN 2 AND 3",
            "rank_1"),

    RANK_OF_UPDATES(
            "INSERT INTO sink_of_pairs SELECT n, rn FROM (SELECT n, ROW_NUMBER() OVER (ORDER BY n"
                    + " DESC) AS rn FROM (SELECT id, COUNT(*) AS n FROM A GROUP BY id)) WHERE rn"
                    + " <= 3",
            "rank_1"),

    RANK_UP_TO_COLUMN(
            "INSERT INTO sink_of_pairs SELECT id, v FROM (SELECT id, v, ROW_NUMBER() OVER"
                    + " (PARTITION BY id ORDER BY v) AS rn FROM A) WHERE rn <= id",
            "rank_1"),

    DEDUPLICATE(
            "INSERT INTO sink_of_pairs SELECT id, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY"
                    + " id ORDER BY ts DESC) AS n FROM A) WHERE n = 1",
            "deduplicate_1"),

    FIRST_ROW(
            "INSERT INTO sink_of_pairs SELECT id, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY"
                    + " id ORDER BY PROCTIME()) AS n FROM A) WHERE n = 1",
            "deduplicate_1"),

    FIRST_ROW_BY_ROW_TIME(
            "INSERT INTO sink_of_pairs SELECT id, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY"
                    + " id ORDER BY ts) AS n FROM A) WHERE n = 1",
            "deduplicate_1"),

    TEMPORAL_SORT(
            "INSERT INTO sink_of_pairs SELECT id, v FROM A ORDER BY ts, v", "temporal-sort_1"),

    SORT_LIMIT(
            "INSERT INTO sink_of_pairs SELECT id, v FROM A ORDER BY v DESC LIMIT 3 OFFSET 1",
            "sort-limit_1"),

    LIMIT("INSERT INTO sink_of_pairs SELECT id, v FROM A LIMIT 3 OFFSET 1", "limit_1"),

    CHANGELOG_NORMALIZE(
            "INSERT INTO sink_of_counts SELECT r, COUNT(*) FROM keyed_changes WHERE r > 0 GROUP BY r",
            "changelog-normalize_1",
            "group-aggregate_1") {
        @Override
        Session prepare(Session session) {
            return session.set("table.exec.source.cdc-events-duplicate", "true");
        }
    },

    JOIN_THAT_NORMALIZES(
            "INSERT INTO sink_of_pairs SELECT v, r FROM A JOIN keyed_changes AS k ON A.id = k.id"
                    // Before 2.1 a condition stands between the two.
                    + (Lines.isAtLeast("2.1") ? " WHERE r > 0" : ""),
            "join_1") {
        @Override
        Session prepare(Session session) {
            return session.set("table.exec.source.cdc-events-duplicate", "true")
                    .set(StateAccelOptions.JOIN_NORMALIZE_FUSION_ENABLED.key(), "true");
        }
    },

    SINK(
            "INSERT INTO sink_of_counts SELECT v, COUNT(*) FROM A GROUP BY v",
            "group-aggregate_1",
            "sink_%d".formatted(FlinkLine.NAME.equals("2.3") ? 2 : 1)) {
        @Override
        Session prepare(Session session) {
            return session.set("table.exec.sink.upsert-materialize", "FORCE");
        }
    },

    SINK_THAT_WAITS_FOR_WATERMARKS(
            "INSERT INTO sink_of_counts SELECT n, id FROM (SELECT id, COUNT(*) AS n FROM A GROUP BY"
                    + " id)%s".formatted(Lines.isAtLeast("2.3") ? " ON CONFLICT DO NOTHING" : ""),
            "group-aggregate_1",
            Lines.isAtLeast("2.3") ? "heap-sink_2" : "sink_1"),

    OVER_AGGREGATE(
            "INSERT INTO sink_of_pairs SELECT id, SUM(v) OVER (PARTITION BY id ORDER BY ts RANGE"
                    + " BETWEEN INTERVAL '30' SECOND PRECEDING AND CURRENT ROW) FROM A",
            "over-aggregate_1"),

    UNBOUNDED_OVER_AGGREGATE(
            "INSERT INTO sink_of_pairs SELECT id, COUNT(v) OVER (PARTITION BY id ORDER BY ts) FROM"
                    + " A",
            "over-aggregate_1"),

    PROCESSING_TIME_OVER_AGGREGATE(
            "INSERT INTO sink_of_pairs SELECT id, SUM(v) OVER (PARTITION BY id ORDER BY p ROWS"
                    + " BETWEEN 4 PRECEDING AND CURRENT ROW) FROM (SELECT *, PROCTIME() AS p FROM A)",
            "processing-time-over-aggregate_1"),

    WINDOW_AGGREGATE(
            "INSERT INTO sink_of_pairs SELECT id, COUNT(*) FROM TABLE(HOP(TABLE A, DESCRIPTOR(ts),"
                    + " INTERVAL '10' SECOND, INTERVAL '30' SECOND)) GROUP BY id, window_start,"
                    + " window_end",
            "window-aggregate_1") {
        @Override
        Session prepare(Session session) {
            return session.set("table.optimizer.agg-phase-strategy", "ONE_PHASE");
        }
    },

    SESSION_WINDOW_AGGREGATE(
            "INSERT INTO sink_of_pairs SELECT id, COUNT(*) FROM TABLE(SESSION(TABLE A PARTITION BY id,"
                    + " DESCRIPTOR(ts), INTERVAL '10' SECOND)) GROUP BY id, window_start,"
                    + " window_end",
            "window-aggregate_1"),

    SESSION_WINDOW_ROWS(
            "INSERT INTO sink_of_pairs SELECT id, v FROM TABLE(SESSION(TABLE A PARTITION BY id,"
                    + " DESCRIPTOR(ts), INTERVAL '10' SECOND))",
            "window-table-function_1"),

    GROUP_WINDOW_AGGREGATE(
            "INSERT INTO sink_of_pairs SELECT id, SUM(v) FROM A GROUP BY id, HOP(ts, INTERVAL '10'"
                    + " SECOND, INTERVAL '30' SECOND)",
            "group-window-aggregate_1"),

    GROUP_OF_SESSION_WINDOWS(
            "INSERT INTO sink_of_pairs SELECT id, COUNT(*) FROM A GROUP BY id, SESSION(ts, INTERVAL"
                    + " '10' SECOND)",
            "group-window-aggregate_1"),

    GROUP_WINDOW_TABLE_AGGREGATE(
            "INSERT INTO sink_of_pairs SELECT id, x FROM sums_of_windows",
            "group-window-aggregate_1") {
        @Override
        Session prepare(Session session) {
            final StreamTableEnvironment tables = session.tables();
            tables.createTemporarySystemFunction("sum_and_next", SumAndNext.class);
            tables.createTemporaryView(
                    "sums_of_windows",
                    tables.from("A")
                            .window(
                                    Slide.over(lit(30).seconds())
                                            .every(lit(10).seconds())
                                            .on($("ts"))
                                            .as("w"))
                            .groupBy($("id"), $("w"))
                            .flatAggregate(call("sum_and_next", $("v")).as("x"))
                            .select($("id"), $("x")));
            return session;
        }
    },

    GLOBAL_WINDOW_AGGREGATE(
            "INSERT INTO sink_of_pairs SELECT id, SUM(v) FROM TABLE(CUMULATE(TABLE A,"
                    + " DESCRIPTOR(ts), INTERVAL '10' SECOND, INTERVAL '30' SECOND)) GROUP BY id,"
                    + " window_start, window_end",
            "global-window-aggregate_1"),

    WINDOW_RANK(
            "INSERT INTO sink_of_pairs SELECT id, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY"
                    + " window_start, window_end, id ORDER BY v) AS n FROM"
                    + " TABLE(TUMBLE(TABLE A, DESCRIPTOR(ts), INTERVAL '10' SECOND))) WHERE n <= 3",
            "window-rank_1"),

    WINDOW_DEDUPLICATE(
            "INSERT INTO sink_of_pairs SELECT id, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY"
                    + " window_start, window_end, id ORDER BY ts DESC) AS n FROM"
                    + " TABLE(TUMBLE(TABLE A, DESCRIPTOR(ts), INTERVAL '10' SECOND))) WHERE n = 1",
            "window-deduplicate_1"),

    WINDOW_JOIN(
            "INSERT INTO sink_of_pairs SELECT v, w FROM (SELECT * FROM TABLE(TUMBLE(TABLE A,"
                    + " DESCRIPTOR(ts), INTERVAL '10' SECOND))) L JOIN (SELECT * FROM"
                    + " TABLE(TUMBLE(TABLE B, DESCRIPTOR(ts), INTERVAL '10' SECOND))) R ON L.id ="
                    + " R.id AND L.window_start = R.window_start AND L.window_end = R.window_end",
            "window-join_1");

    private final String insert;
    private final List<String> nodes;

    CompiledStatement(String insert, String... nodes) {
        this.insert = insert;
        this.nodes = List.of(nodes);
    }

    String insert() {
        return insert;
    }

    /** The types of our nodes in its plan. */
    List<String> nodes() {
        return nodes.stream().map("state-accel-"::concat).toList();
    }

    /** An accelerated session in which it can be compiled. */
    Session session() {
        return in(Session.accelerated());
    }

    /** A session in which it can be compiled: with tables that Flink can write into a plan. */
    Session in(Session session) {
        session.tables()
                .executeSql(
                        "CREATE TABLE changes (id BIGINT, r BIGINT) WITH ('connector' ="
                                + " 'in-memory')");
        session.tables()
                .executeSql(
                        "CREATE TABLE keyed_changes (id BIGINT, r BIGINT, PRIMARY KEY (id) NOT"
                                + " ENFORCED) WITH ('connector' = 'in-memory')");
        return prepare(session);
    }

    /** What else it needs. */
    Session prepare(Session session) {
        return session;
    }
}
