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
package io.stateaccel.tests.restore;

import static org.apache.flink.table.api.Expressions.$;
import static org.apache.flink.table.api.Expressions.call;
import static org.apache.flink.table.api.Expressions.lit;

import io.stateaccel.tests.differential.DifferentialCase;
import io.stateaccel.tests.differential.QueryGenerator.Query;
import io.stateaccel.tests.differential.QueryGenerator.Shape;
import io.stateaccel.tests.differential.TestTable;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.api.GroupWindow;
import org.apache.flink.table.api.Session;
import org.apache.flink.table.api.Slide;
import org.apache.flink.table.api.Tumble;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.api.config.AggregatePhaseStrategy;

/**
 * One query for each way in which an accelerated operator keeps state. All of them give the same
 * rows whatever the order in which their tables come, and whatever bundles they are cut into. New
 * ones come last: there are savepoints of tables that go by the place of a query.
 */
enum AcceleratedQuery {
    JOIN_OF_APPENDED_LISTS(
            "MiniBatchJoin",
            "SELECT A.k1, A.c, B.c AS c2, B.d FROM A JOIN B ON A.k1 = B.k1",
            Input.APPENDED,
            Input.APPENDED),
    LEFT_JOIN_OF_COUNTED_LISTS(
            "MiniBatchJoin",
            "SELECT A.k1, A.c, B.c AS c2, B.d FROM A LEFT JOIN B ON A.k1 = B.k1",
            Input.RETRACTED,
            Input.RETRACTED),
    FULL_JOIN_OF_UNIQUE_KEY_LISTS(
            "MiniBatchJoin",
            "SELECT A.id, A.c, B.id AS id2, B.c AS c2 FROM A FULL JOIN B ON A.k1 = B.k1",
            Input.IDENTIFIED,
            Input.IDENTIFIED),
    JOIN_OF_SINGLE_ROWS(
            "MiniBatchJoin",
            "SELECT A.k1, A.c, B.c AS c2, B.d FROM A JOIN B ON A.k1 = B.k1",
            Input.ONE_PER_KEY,
            Input.ONE_PER_KEY),
    SEMI_JOIN(
            "MiniBatchJoin",
            "SELECT k1, c FROM A WHERE EXISTS (SELECT * FROM B WHERE A.k1 = B.k1 AND B.c > 4)",
            Input.RETRACTED,
            Input.RETRACTED),
    ANTI_JOIN(
            "MiniBatchJoin",
            "SELECT k1, c FROM A WHERE NOT EXISTS"
                    + " (SELECT * FROM B WHERE A.k1 = B.k1 AND B.c > 4)",
            Input.APPENDED,
            Input.RETRACTED),
    INTERVAL_JOIN(
            "MiniBatchIntervalJoin",
            "SELECT A.id, B.id AS id2, B.c FROM A JOIN B ON A.k1 = B.k1 AND A.ts BETWEEN"
                    + " B.ts - INTERVAL '40' SECOND AND B.ts + INTERVAL '20' SECOND",
            Input.TIMED,
            Input.TIMED),
    GROUP_AGGREGATE(
            "CachedGroupAggregate",
            "SELECT k1, COUNT(*) AS n, SUM(c) AS s, MIN(d) AS m, MAX(c) AS x FROM A GROUP BY k1",
            Input.RETRACTED),
    DISTINCT_AGGREGATE(
            "CachedGroupAggregate",
            "SELECT k1, COUNT(DISTINCT c) AS n, SUM(DISTINCT c) AS s FROM A GROUP BY k1",
            Input.RETRACTED),
    JOIN_AGGREGATE_PER_JOIN_KEY(
            "MiniBatchJoinAggregate",
            "SELECT A.k1, COUNT(DISTINCT B.d) AS n, MAX(A.c) AS x FROM A JOIN B ON A.k1 = B.k1"
                    + " GROUP BY A.k1",
            Input.RETRACTED,
            Input.RETRACTED),
    JOIN_AGGREGATE_PER_GROUP(
            "MiniBatchJoinAggregate",
            "SELECT A.k1, A.c, COUNT(*) AS n, SUM(B.c) AS s FROM A JOIN B ON A.k1 = B.k1"
                    + " GROUP BY A.k1, A.c",
            Input.APPENDED,
            Input.ONE_PER_KEY),
    JOIN_AGGREGATE_OF_SINGLE_ROWS(
            "MiniBatchJoinAggregate",
            "SELECT A.k1, A.c, COUNT(*) AS n, SUM(B.c) AS s FROM A JOIN B ON A.k1 = B.k1"
                    + " GROUP BY A.k1, A.c",
            Input.ONE_PER_KEY,
            Input.ONE_PER_KEY),
    TOP_N_OF_INSERTIONS(
            "MiniBatchRank",
            "SELECT k1, c, id, n FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY c DESC, id) AS n FROM A) WHERE n <= 3",
            Input.TIMED),
    TOP_1_OF_INSERTIONS(
            "MiniBatchRank",
            "SELECT k1, c, d FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY c DESC) AS n FROM A) WHERE n = 1",
            Input.APPENDED),
    TOP_N_OF_UPSERTS(
            "MiniBatchRank",
            "SELECT k1, c, s, n FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY s DESC, c) AS n FROM"
                    + " (SELECT k1, c, COUNT(*) AS s FROM A GROUP BY k1, c)) WHERE n <= 2",
            Input.APPENDED),
    TOP_N_OF_ALL_CHANGES(
            "MiniBatchRank",
            "SELECT k1, c, id, n FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY c, id) AS n FROM A) WHERE n <= 3",
            Input.IDENTIFIED),
    FIRST_ROW(
            "MiniBatchDeduplicate",
            "SELECT k1, c, d FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY p) AS n FROM (SELECT *, PROCTIME() AS p FROM A))"
                    + " WHERE n = 1",
            Input.APPENDED),
    LAST_ROW(
            "MiniBatchDeduplicate",
            "SELECT k1, c, id FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY ts DESC) AS n FROM A) WHERE n = 1",
            Input.TIMED),
    JOIN_TOP_N_OF_INSERTIONS(
            "MiniBatchJoinRank",
            "SELECT k1, c, c2, n FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY c2 DESC, c) AS n FROM"
                    + " (SELECT A.k1, A.c, B.c AS c2 FROM A JOIN B ON A.k1 = B.k1)) WHERE n <= 3",
            Input.APPENDED,
            Input.APPENDED),
    JOIN_TOP_N_OF_ALL_CHANGES(
            "MiniBatchJoinRank",
            "SELECT k1, id, id2, n FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY c, id, id2) AS n FROM"
                    + " (SELECT A.k1, A.c, A.id, B.id AS id2 FROM A JOIN B ON A.k1 = B.k1))"
                    + " WHERE n <= 3",
            Input.IDENTIFIED,
            Input.IDENTIFIED),
    JOIN_LOCAL_AGGREGATE(
            "MiniBatchJoinLocalAggregate",
            "SELECT A.c, COUNT(*) AS n, SUM(B.c) AS s, MAX(B.d) AS x, COUNT(DISTINCT B.c) AS u"
                    + " FROM A JOIN B ON A.k1 = B.k1 GROUP BY A.c",
            Input.RETRACTED,
            Input.RETRACTED),
    LEFT_JOIN_LOCAL_AGGREGATE(
            "MiniBatchJoinLocalAggregate",
            "SELECT A.c, COUNT(B.c) AS n, MIN(B.c) AS m FROM A LEFT JOIN B ON A.k1 = B.k1"
                    + " GROUP BY A.c",
            Input.APPENDED,
            Input.APPENDED),
    // Such that no savepoint is ever too old.
    LEFT_JOIN_OF_COUNTED_LISTS_WITH_STATE_TTL(
            "MiniBatchJoin",
            "SELECT /*+ STATE_TTL('A' = '36500 d', 'B' = '36500 d') */ A.k1, A.c, B.c AS c2, B.d"
                    + " FROM A LEFT JOIN B ON A.k1 = B.k1",
            Input.RETRACTED,
            Input.RETRACTED),
    FULL_JOIN_OF_UNIQUE_KEY_LISTS_WITH_STATE_TTL(
            "MiniBatchJoin",
            "SELECT /*+ STATE_TTL('A' = '36500 d', 'B' = '36500 d') */ A.id, A.c, B.id AS id2,"
                    + " B.c AS c2 FROM A FULL JOIN B ON A.k1 = B.k1",
            Input.IDENTIFIED,
            Input.IDENTIFIED),
    RIGHT_JOIN_OF_SINGLE_ROWS_WITH_STATE_TTL(
            "MiniBatchJoin",
            "SELECT /*+ STATE_TTL('A' = '36500 d', 'B' = '36500 d') */ A.c, B.k1, B.c AS c2, B.d"
                    + " FROM A RIGHT JOIN B ON A.k1 = B.k1",
            Input.ONE_PER_KEY,
            Input.ONE_PER_KEY),
    /** Ids move from group to group, so two may have the same for a while, but not in the end. */
    SINK_OF_ANOTHER_KEY(
            "SinkMaterializer",
            "SELECT k1, MAX(id) AS m, COUNT(*) AS n FROM A GROUP BY k1",
            List.of("m"),
            Input.IDENTIFIED),
    NORMALIZED_UPSERTS(
            "MiniBatchChangelogNormalize", "SELECT k1, c, d FROM A WHERE c > 2", Input.UPSERTED),
    TUMBLING_WINDOW(
            "HeapGlobalWindowAggregate",
            window("TUMBLE(TABLE A, DESCRIPTOR(ts), INTERVAL '30' SECOND)"),
            Input.TIMED),
    HOPPING_WINDOW(
            "HeapGlobalWindowAggregate",
            window("HOP(TABLE A, DESCRIPTOR(ts), INTERVAL '20' SECOND, INTERVAL '60' SECOND)"),
            Input.TIMED),
    CUMULATING_WINDOW(
            "HeapGlobalWindowAggregate",
            window(
                    "CUMULATE(TABLE A, DESCRIPTOR(ts), INTERVAL '20' SECOND, INTERVAL '60'"
                            + " SECOND)"),
            Input.TIMED),
    TUMBLING_WINDOW_IN_ONE_PHASE(
            "HeapWindowAggregate",
            plainWindow("TUMBLE(TABLE A, DESCRIPTOR(ts), INTERVAL '30' SECOND)"),
            Input.TIMED),
    HOPPING_WINDOW_IN_ONE_PHASE(
            "HeapWindowAggregate",
            plainWindow("HOP(TABLE A, DESCRIPTOR(ts), INTERVAL '20' SECOND, INTERVAL '60' SECOND)"),
            Input.TIMED),
    CUMULATING_WINDOW_IN_ONE_PHASE(
            "HeapWindowAggregate",
            plainWindow(
                    "CUMULATE(TABLE A, DESCRIPTOR(ts), INTERVAL '20' SECOND, INTERVAL '60'"
                            + " SECOND)"),
            Input.TIMED),
    TEMPORAL_JOIN(
            "MiniBatchTemporalJoin",
            "SELECT A.id, A.c, B.id AS id2, B.c AS c2 FROM A LEFT JOIN B FOR SYSTEM_TIME AS OF A.ts"
                    + " ON A.c + 20 = B.id",
            Input.TIMED,
            Input.TIMED),
    OVER_RANGE(
            "MiniBatchOverAggregate",
            over("ts", "RANGE", "INTERVAL '30' SECOND PRECEDING"),
            Input.TIMED),
    OVER_ROWS("MiniBatchOverAggregate", over("ts", "ROWS", "2 PRECEDING"), Input.TIMED),
    OVER_ALL_SO_FAR(
            "MiniBatchOverAggregate", over("ts", "RANGE", "UNBOUNDED PRECEDING"), Input.TIMED),
    TOP_N_OF_WINDOWS(
            "HeapWindowRank",
            "SELECT k1, c, id, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY window_start,"
                    + " window_end, k1 ORDER BY c DESC, id) AS n FROM TABLE(TUMBLE(TABLE A,"
                    + " DESCRIPTOR(ts), INTERVAL '90' SECOND))) WHERE n <= 2",
            Input.TIMED),
    LAST_ROW_OF_WINDOWS(
            "HeapWindowDeduplicate",
            "SELECT k1, ts, window_end FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY"
                    + " window_start, window_end, k1 ORDER BY ts DESC) AS n FROM TABLE(HOP(TABLE A,"
                    + " DESCRIPTOR(ts), INTERVAL '20' SECOND, INTERVAL '60' SECOND))) WHERE n = 1",
            Input.TIMED),
    JOIN_OF_WINDOWS(
            "HeapWindowJoin", joinOfWindows("JOIN", " AND L.c < R.c"), Input.TIMED, Input.TIMED),
    FULL_JOIN_OF_WINDOWS(
            "HeapWindowJoin", joinOfWindows("FULL JOIN", ""), Input.TIMED, Input.TIMED),
    FULL_INTERVAL_JOIN(
            "MiniBatchIntervalJoin",
            "SELECT A.id, A.c, B.id AS id2, B.c AS c2 FROM A FULL JOIN B ON A.k1 = B.k1 AND A.ts"
                    + " BETWEEN B.ts - INTERVAL '20' SECOND AND B.ts + INTERVAL '5' SECOND",
            Input.TIMED,
            Input.TIMED),
    SORT_BY_ROW_TIME("HeapTemporalSort", "SELECT id, k1, c FROM A ORDER BY ts, c", Input.TIMED),
    FIRST_ROW_BY_ROW_TIME(
            "MiniBatchDeduplicate",
            "SELECT k1, ts FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY ts) AS n FROM A) WHERE n = 1",
            Input.TIMED),
    SESSION_WINDOW(
            "HeapWindowAggregate",
            window("SESSION(TABLE A PARTITION BY k1, DESCRIPTOR(ts), INTERVAL '20' SECOND)"),
            Input.TIMED),
    TUMBLING_GROUP_WINDOW(
            "HeapGroupWindowAggregate", groupWindow("TUMBLE", "INTERVAL '30' SECOND"), Input.TIMED),
    HOPPING_GROUP_WINDOW(
            "HeapGroupWindowAggregate",
            groupWindow("HOP", "INTERVAL '20' SECOND, INTERVAL '60' SECOND"),
            Input.TIMED),
    SESSION_GROUP_WINDOW(
            "HeapGroupWindowAggregate",
            groupWindow("SESSION", "INTERVAL '20' SECOND"),
            Input.TIMED),
    OVER_PROCESSING_TIME_ROWS(
            "MiniBatchProcessingTimeOverAggregate", over("p", "ROWS", "2 PRECEDING"), Input.TIMED),
    OVER_PROCESSING_TIME_SO_FAR(
            "MiniBatchProcessingTimeOverAggregate",
            over("p", "ROWS", "UNBOUNDED PRECEDING"),
            Input.TIMED),
    PROCESSING_TIME_INTERVAL_JOIN(
            "MiniBatchIntervalJoin",
            "SELECT L.id, L.c, R.id AS id2, R.c AS c2 FROM (SELECT *, PROCTIME() AS p FROM A) L JOIN"
                    + " (SELECT *, PROCTIME() AS p FROM B) R ON L.k1 = R.k1 AND L.p BETWEEN R.p -"
                    + " INTERVAL '1' HOUR AND R.p + INTERVAL '2' HOUR",
            Input.TIMED,
            Input.TIMED),
    LONG_TOP_N_OF_INSERTIONS(
            "MiniBatchRank",
            "SELECT k1, c, id, n FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY c DESC, id) AS n FROM A) WHERE n <= 1500",
            Input.TIMED),
    LONG_TOP_N_OF_UPSERTS(
            "MiniBatchRank",
            "SELECT k1, c, s FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY s DESC) AS n FROM"
                    + " (SELECT k1, c, COUNT(*) AS s FROM A GROUP BY k1, c)) WHERE n <= 1500",
            Input.APPENDED),
    /** Of more rows than there are, as others would be any. */
    FIRST_ROWS_THAT_COME(
            "MiniBatchRank",
            "SELECT k1, c, d FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY p) AS n FROM (SELECT *, PROCTIME() AS p FROM A))"
                    + " WHERE n <= 1000",
            Input.APPENDED),
    LIMIT_OF_INSERTIONS("MiniBatchLimit", "SELECT k1, c, d FROM A LIMIT 1000", Input.APPENDED),
    LIMIT_OF_ALL_CHANGES("MiniBatchLimit", "SELECT k1, c, id FROM A LIMIT 1000", Input.IDENTIFIED),
    SESSION_ROWS(
            "HeapWindowTableFunction",
            "SELECT k1, c, id, window_start, window_end FROM"
                    + " TABLE(SESSION(TABLE A PARTITION BY k1, DESCRIPTOR(ts), INTERVAL '20' SECOND))",
            Input.TIMED),
    LEFT_JOIN_THAT_NORMALIZES(
            "MiniBatchJoin",
            "SELECT A.k1, A.c, B.c AS c2, B.d FROM A LEFT JOIN B ON A.k1 = B.k1",
            Input.UPSERTED,
            Input.UPSERTED_BY_KEY),
    JOIN_AGGREGATE_THAT_NORMALIZES(
            "MiniBatchJoinAggregate",
            "SELECT A.k1, COUNT(*) AS n, SUM(B.c) AS s FROM A JOIN B ON A.k1 = B.k1 GROUP BY A.k1",
            Input.RETRACTED,
            Input.UPSERTED_BY_KEY),
    TOP_N_OF_INSERTIONS_UP_TO_COLUMN(
            "MiniBatchRank",
            "SELECT k1, c, id, n FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY c DESC, id) AS n FROM"
                    + " (SELECT k1, c, id, MOD(k1, 4) AS most FROM A)) WHERE n <= most",
            Input.TIMED),
    TOP_N_OF_UPSERTS_UP_TO_COLUMN(
            "MiniBatchRank",
            "SELECT k1, c, s, n FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY s DESC, c) AS n FROM (SELECT k1, c, COUNT(*) AS s,"
                    + " CAST(MOD(k1, 4) AS BIGINT) AS most FROM A GROUP BY k1, c)) WHERE n <= most",
            Input.TIMED),
    TOP_N_OF_ALL_CHANGES_UP_TO_COLUMN(
            "MiniBatchRank",
            "SELECT k1, c, id FROM (SELECT *, ROW_NUMBER() OVER"
                    + " (PARTITION BY k1 ORDER BY c, id) AS n FROM"
                    + " (SELECT k1, c, id, CAST(MOD(k1, 4) AS SMALLINT) AS most FROM A)) WHERE n <= most",
            Input.IDENTIFIED),
    TABLE_AGGREGATE_OF_TUMBLING_WINDOWS(
            Tumble.over(lit(30).seconds()).on($("ts")).as("w"), Input.TIMED),
    TABLE_AGGREGATE_OF_SLIDING_WINDOWS(
            Slide.over(lit(60).seconds()).every(lit(20).seconds()).on($("ts")).as("w"),
            Input.TIMED),
    TABLE_AGGREGATE_OF_SESSIONS(
            Session.withGap(lit(20).seconds()).on($("ts")).as("w"), Input.TIMED),
    TABLE_AGGREGATE_OF_GROUPS(
            "CachedGroupTableAggregate",
            "SELECT k1, place, c FROM F",
            List.of(),
            AcceleratedQuery::createTableAggregate,
            Input.IDENTIFIED);

    /** Keeps the tables of a seed, of which there are savepoints, when queries are added. */
    private static final int QUERIES_AT_FIRST = 18;

    private final String operator;
    private final String sql;
    private final List<String> sinkKey;
    private final List<Input> inputs;
    private final Consumer<StreamTableEnvironment> views;

    AcceleratedQuery(String operator, String sql, Input... inputs) {
        this(operator, sql, List.of(), inputs);
    }

    /**
     * The table aggregate of a window, which SQL has no words for. As in Flink, its operator has
     * the name of an aggregate.
     */
    AcceleratedQuery(GroupWindow window, Input input) {
        this(
                "HeapGroupWindowAggregate",
                "SELECT k1, w, place, c FROM F",
                List.of(),
                tables -> createTableAggregate(tables, window),
                input);
    }

    /**
     * @param sinkKey what the sink knows rows by, none when it wants every change
     */
    AcceleratedQuery(String operator, String sql, List<String> sinkKey, Input... inputs) {
        this(operator, sql, sinkKey, tables -> {}, inputs);
    }

    /**
     * @param sinkKey what the sink knows rows by, none when it wants every change
     * @param views adds what the query reads beside tables
     */
    AcceleratedQuery(
            String operator,
            String sql,
            List<String> sinkKey,
            Consumer<StreamTableEnvironment> views,
            Input... inputs) {
        this.operator = operator;
        this.sql = sql;
        this.sinkKey = sinkKey;
        this.views = views;
        this.inputs = List.of(inputs);
    }

    /**
     * @param table of the windows
     */
    static String window(String table) {
        return "SELECT k1, window_start, COUNT(*) AS n, SUM(c) AS s, COUNT(DISTINCT d) AS u"
                + " FROM TABLE(%s) GROUP BY k1, window_start, window_end".formatted(table);
    }

    /**
     * @param time what the rows are ordered by
     * @param from the first row of a frame
     */
    private static String over(String time, String unit, String from) {
        return "SELECT id, k1, COUNT(*) OVER w AS n, SUM(c) OVER w AS s, MIN(c) OVER w AS m,"
                + " MAX(d) OVER w AS x FROM (SELECT *, PROCTIME() AS p FROM A) WINDOW w AS"
                + " (PARTITION BY k1 ORDER BY %s %s BETWEEN %s AND CURRENT ROW)"
                        .formatted(time, unit, from);
    }

    /** As {@link #window}, of a window that is a function in {@code GROUP BY}. */
    private static String groupWindow(String function, String intervals) {
        return "SELECT k1, %1$s_START(ts, %2$s) AS w, COUNT(*) AS n, SUM(c) AS s, COUNT(DISTINCT d) AS u FROM A GROUP BY k1, %1$s(ts, %2$s)"
                .formatted(function, intervals);
    }

    /** As {@link #window}, without values that are kept one by one. */
    private static String plainWindow(String table) {
        return "SELECT k1, window_start, COUNT(*) AS n, SUM(c) AS s, MIN(d) AS m, MAX(id) AS x"
                + " FROM TABLE(%s) GROUP BY k1, window_start, window_end".formatted(table);
    }

    private static void createTableAggregate(StreamTableEnvironment tables, GroupWindow window) {
        tables.createTemporaryView(
                "F",
                tables.from("A")
                        .window(window)
                        .groupBy($("k1"), $("w"))
                        .flatAggregate(call(ThreeLeast.class, $("c")).as("place", "c"))
                        .select($("k1"), $("w").start().as("w"), $("place"), $("c")));
    }

    private static void createTableAggregate(StreamTableEnvironment tables) {
        tables.createTemporaryView(
                "F",
                tables.from("A")
                        .groupBy($("k1"))
                        .flatAggregate(call(ThreeLeast.class, $("c")).as("place", "c"))
                        .select($("k1"), $("place"), $("c")));
    }

    private static String joinOfWindows(String join, String condition) {
        String windows =
                "(SELECT * FROM TABLE(TUMBLE(TABLE %s, DESCRIPTOR(ts), INTERVAL '20' SECOND)))";
        return "SELECT L.id, R.id AS id2, L.c, R.c AS c2 FROM %s L %s %s R ON L.k1 = R.k1 AND L.window_start = R.window_start AND L.window_end = R.window_end%s"
                .formatted(windows.formatted("A"), join, windows.formatted("B"), condition);
    }

    /** How the name of the operator that the query is about begins. */
    String operator() {
        return operator;
    }

    /**
     * @param seed of what happens to its tables
     * @param changes about as many happen to each of them
     */
    DifferentialCase toCase(long seed, int changes) {
        return toCase(seed, changes, false);
    }

    /**
     * As {@link #toCase(long, int)}.
     *
     * @param ttl whether state expires some day
     */
    DifferentialCase toCase(long seed, int changes, boolean ttl) {
        Random random = new Random(seed * QUERIES_AT_FIRST + ordinal());
        List<TestTable> tables = Input.tables(inputs, random, changes);
        return new DifferentialCase(
                ordinal(),
                inputs.size() == 1 ? Shape.AGGREGATE : Shape.JOIN_OF_TWO,
                tables,
                new Query(sql, sinkKey, views),
                new DifferentialCase.Settings(
                        7,
                        Duration.ofMillis(20),
                        new MemorySize(2_000),
                        false,
                        operator.equals("HeapWindowAggregate")
                                ? AggregatePhaseStrategy.ONE_PHASE
                                : AggregatePhaseStrategy.AUTO,
                        false,
                        false,
                        false,
                        true,
                        false,
                        ttl,
                        false,
                        true,
                        true));
    }
}
