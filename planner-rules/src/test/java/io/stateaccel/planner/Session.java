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

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.flink.testing.PlanFacts;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ExplainDetail;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.Row;
import org.apache.flink.types.RowKind;

/**
 * A streaming table environment with tables for every kind of join input.
 *
 * <ul>
 *   <li>{@code A(id, v, ts)}, {@code B(id, w, ts)}: insert-only, no key, {@code ts} is row time
 *   <li>{@code K(id, k)}: insert-only, primary key {@code id}
 *   <li>{@code R(id, r)}: {@code +I -U +U -D}, no key
 *   <li>{@code RK(id, r)}: {@code +I -U +U -D}, primary key {@code id}
 *   <li>{@code D(id, d)}: {@code +I -D}, no key
 *   <li>{@code U(id, u)}: {@code +I +U -D}, primary key {@code (id, u)}
 * </ul>
 */
public final class Session {

    private final StreamExecutionEnvironment environment;
    private final StreamTableEnvironment tables;

    private Session(Configuration root) {
        environment = StreamExecutionEnvironment.getExecutionEnvironment(root);
        environment.setParallelism(1);
        tables = StreamTableEnvironment.create(environment);
        createTables();
    }

    /** As Flink is, nothing installed. */
    public static Session stock() {
        return new Session(new Configuration());
    }

    /** Installed, the switch off. */
    public static Session installed() {
        return installed(new Configuration());
    }

    /** Installed, the switch off, with this configuration of the environment. */
    public static Session installed(Configuration root) {
        final Session session = new Session(root);
        StateAccel.install(session.tables);
        return session;
    }

    /** Installed and switched on. */
    public static Session accelerated() {
        return installed().set(StateAccelOptions.ENABLED.key(), "true");
    }

    public Session set(String key, String value) {
        tables.getConfig().set(key, value);
        return this;
    }

    public StreamTableEnvironment tables() {
        return tables;
    }

    public StreamExecutionEnvironment environment() {
        return environment;
    }

    /** The three plans of EXPLAIN. */
    public String explain(String query, ExplainDetail... details) {
        return tables.explainSql(query, details);
    }

    /** The optimised physical plan of a query. */
    public String physicalPlan(String query) {
        final String plans = explain(query);
        final int from = plans.indexOf("== Optimized Physical Plan ==");
        return plans.substring(from, plans.indexOf("== Optimized Execution Plan =="));
    }

    private void createTables() {
        tables.executeSql(
                "CREATE TABLE A (id BIGINT, v BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)"
                        + " WITH ('connector' = 'datagen', 'number-of-rows' = '10')");
        tables.executeSql(
                "CREATE TABLE B (id BIGINT, w BIGINT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts)"
                        + " WITH ('connector' = 'datagen', 'number-of-rows' = '10')");
        tables.executeSql(
                "CREATE TABLE K (id BIGINT, k BIGINT, PRIMARY KEY (id) NOT ENFORCED)"
                        + " WITH ('connector' = 'datagen', 'number-of-rows' = '10')");
        tables.executeSql(
                "CREATE TABLE sink_of_counts (id BIGINT, n BIGINT, PRIMARY KEY (id) NOT ENFORCED)"
                        + " WITH ('connector' = 'blackhole')");
        tables.executeSql(
                "CREATE TABLE sink_of_pairs (v BIGINT, w BIGINT) WITH ('connector' = 'blackhole')");
        createChangelog("R", "r", ChangelogMode.all(), null);
        createChangelog("RK", "r", ChangelogMode.all(), new String[] {"id"});
        createChangelog(
                "D",
                "d",
                ChangelogMode.newBuilder()
                        .addContainedKind(RowKind.INSERT)
                        .addContainedKind(RowKind.DELETE)
                        .build(),
                null);
        createChangelog("UK", "u", PlanFacts.upsert(false), new String[] {"id"});
        createChangelog("U", "u", PlanFacts.upsert(false), new String[] {"id", "u"});
    }

    private void createChangelog(
            String name, String column, ChangelogMode mode, String[] primaryKey) {
        final Schema.Builder schema =
                Schema.newBuilder()
                        .column("id", DataTypes.BIGINT().notNull())
                        .column(column, DataTypes.BIGINT().notNull());
        if (primaryKey != null) {
            schema.primaryKey(primaryKey);
        }
        tables.createTemporaryView(
                name,
                tables.fromChangelogStream(
                        environment.fromData(
                                Types.ROW_NAMED(
                                        new String[] {"id", column}, Types.LONG, Types.LONG),
                                Row.ofKind(RowKind.INSERT, 1L, 1L)),
                        schema.build(),
                        mode));
    }
}
