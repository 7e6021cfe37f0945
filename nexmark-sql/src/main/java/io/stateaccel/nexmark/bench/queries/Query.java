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

import io.stateaccel.nexmark.bench.common.Resources;
import io.stateaccel.nexmark.bench.common.UserError;
import io.stateaccel.nexmark.bench.variants.Variant;
import io.stateaccel.nexmark.workload.DataStreamProgram;
import io.stateaccel.nexmark.workload.TableApiView;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.table.api.TableEnvironment;

/**
 * A benchmark query: a resource file that also runs unchanged in {@code sql-client.sh}, but for a
 * view of the Table API that it may read; or a DataStream program.
 *
 * @param name what the user calls it
 * @param file name of the resource file without its ending; empty if it is a program
 * @param program the DataStream program that it is, if it is one
 * @param view what its INSERT reads and SQL has no words for, if there is such a thing
 * @param title what it is, in a few words; empty takes it from the file's first line
 * @param deterministic whether the result depends on nothing but the events; results are compared
 *     only then
 * @param whyNot why Flink cannot run it, if it cannot
 * @param settings Flink configuration that belongs to the workload, the same for all variants
 * @param variants variants it is run in if the user names none
 * @param measuresRecovery whether the time to start from a checkpoint is measured too
 */
public record Query(
        String name,
        String file,
        Optional<DataStreamProgram> program,
        Optional<TableApiView> view,
        Optional<String> title,
        boolean deterministic,
        Optional<String> whyNot,
        Map<String, String> settings,
        List<String> variants,
        boolean measuresRecovery) {

    private static final List<String> STOCK_AND_ACCEL = List.of(Variant.REFERENCE, "accel");

    /** Nexmark's queries and ours, in the order in which they are listed to the user. */
    public static final List<Query> NEXMARK =
            List.of(
                    query("q0"),
                    query("q1"),
                    query("q2"),
                    query("q3"),
                    query("q4"),
                    query("q5"),
                    notRunnable(
                            "q6",
                            "it takes an OVER window of ten rows over winning bids, which change;"
                                    + " Flink SQL has such windows for rows that never change"),
                    query("q7"),
                    query("q8"),
                    query("q9").notDeterministic(),
                    query("q10"),
                    query("q11"),
                    query("q12").notDeterministic(),
                    query("q13"),
                    query("q14"),
                    query("q15"),
                    query("q16"),
                    query("q17"),
                    query("q18"),
                    query("q19"),
                    query("q20"),
                    query("q21"),
                    query("q22"),
                    query("q23"),
                    query("q9-by-price"),
                    query("left-updates"),
                    query("totals"),
                    query("categories"),
                    query("anti"));

    /** Workloads for which others publish figures, scaled to a small machine. */
    public static final List<Query> PEERS = PeerWorkloads.all();

    /** Operators that work by time and that Nexmark has no query for. */
    public static final List<Query> BY_TIME =
            List.of(
                    query("over-range"),
                    // The order of rows of one time depends on the sources.
                    query("over-rows").notDeterministic(),
                    query("over-all"),
                    // In which order, and when, rows arrive is another thing in each run.
                    query("over-arrival-range").notDeterministic(),
                    query("over-arrival-rows").notDeterministic(),
                    query("over-arrival-all").notDeterministic(),
                    query("temporal-join"),
                    query("outer-interval-join"),
                    query("arrival-interval-join").notDeterministic(),
                    query("first-row"),
                    query("sort-by-time"),
                    query("cumulate"),
                    query("window-top-n"),
                    query("window-last-row"),
                    query("window-join"),
                    query("session-windows"),
                    query("session-rows"),
                    query("group-windows"),
                    query("flat-aggregate-windows").over(TableApiView.TWO_HIGHEST_OF_WINDOWS),
                    // Bids of one time may be matched in any order.
                    query("match-recognize").notDeterministic());

    private static final Map<String, String> OF_OTHER_KEY =
            Map.of("table.exec.sink.require-on-conflict", "false");

    /**
     * Single operators: of upserts to a changelog, with a join or not, and back, the first rows of
     * many, and a table aggregate.
     */
    public static final List<Query> OPERATORS =
            List.of(
                    query("normalize-1"),
                    query("normalize-100"),
                    query("normalize-join"),
                    query("upsert-sink-1").with(OF_OTHER_KEY),
                    query("upsert-sink-100").with(OF_OTHER_KEY),
                    query("upsert-sink-rows").with(OF_OTHER_KEY),
                    query("top-2000"),
                    query("top-n-by-column"),
                    query("sort-limit"),
                    query("flat-aggregate").over(TableApiView.TWO_HIGHEST),
                    // Which rows come first is another thing in each run.
                    query("limit").notDeterministic());

    /** Operators that stay Flink's, on the state cache of our backend, besides match-recognize. */
    public static final List<Query> CACHE_ONLY =
            List.of(query("lookup-updates"), processTableFunction());

    /**
     * A pipeline whose statements are those of the module kafka-pipelines, which has its broker.
     * Its last transactions are committed by a checkpoint behind the end of the input.
     */
    private static final Query CDC =
            query("cdc")
                    .named(
                            "cdc",
                            "an order pipeline, from Debezium's topics to a topic of upserts with"
                                    + " another key")
                    .with(
                            Map.of(
                                    "table.exec.source.cdc-events-duplicate",
                                    "true",
                                    "table.exec.sink.require-on-conflict",
                                    "false",
                                    "execution.checkpointing.checkpoints-after-tasks-finish.enabled",
                                    "true"));

    /** Those that need a broker. */
    public static final List<Query> PIPELINES = List.of(CDC);

    /** All there are. */
    public static final List<Query> ALL =
            Stream.of(NEXMARK, PEERS, BY_TIME, OPERATORS, CACHE_ONLY, PIPELINES)
                    .flatMap(List::stream)
                    .toList();

    /** What names several queries at once. */
    private static final Map<String, List<Query>> GROUPS =
            Map.of(
                    "all", thatRun(NEXMARK),
                    "peers", PEERS,
                    "by-time", BY_TIME,
                    "normalize", OPERATORS.subList(0, 3),
                    "upsert-sink", OPERATORS.subList(3, 6),
                    "cache-only", thatRun(CACHE_ONLY));

    /** The first line of a query's file, up to the full stop: {@code -- q4: average price.}. */
    private static final Pattern TITLE = Pattern.compile("-- [^:]+: ([^.]+)\\.");

    private static final Pattern SET = Pattern.compile("SET '([^']+)' = '([^']*)'");

    /** The Nexmark queries that Flink runs. */
    public static List<Query> runnable() {
        return GROUPS.get("all");
    }

    private static List<Query> thatRun(List<Query> queries) {
        return queries.stream().filter(query -> query.whyNot.isEmpty()).toList();
    }

    /** The queries that a word names together; empty if it names none, or one alone. */
    public static Optional<List<Query>> group(String name) {
        return Optional.ofNullable(GROUPS.get(name));
    }

    /**
     * Returns the query of this name.
     *
     * @throws UserError if there is none, with the known ones, or if Flink cannot run it
     */
    public static Query named(String name) {
        Query found =
                ALL.stream()
                        .filter(query -> query.name.equals(name))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new UserError(
                                                "unknown query '"
                                                        + name
                                                        + "'; known are "
                                                        + String.join(
                                                                ", ",
                                                                ALL.stream()
                                                                        .map(Query::name)
                                                                        .toList())));
        if (found.whyNot.isPresent()) {
            throw new UserError(name + " cannot run: " + found.whyNot.get());
        }
        return found;
    }

    /** Whether it runs between the topics of a broker, which also tells its statements. */
    public boolean needsBroker() {
        return PIPELINES.stream().anyMatch(query -> query.name.equals(name));
    }

    /** What the query is, in a few words. */
    public String about() {
        return title.orElseGet(
                () -> {
                    Matcher firstLine =
                            TITLE.matcher(resource(file).lines().findFirst().orElse(""));
                    return firstLine.find() ? firstLine.group(1) : "";
                });
    }

    /**
     * The whole script: tables, number of events, the query's own statements. Not of programs.
     *
     * @param events number of events the stream has
     */
    public String script(long events) {
        return resource("ddl")
                + "\nALTER TABLE datagen SET ('events.num' = '%d');\n".formatted(events)
                + "ALTER TABLE changes SET ('events.num' = '%d');\n\n".formatted(events)
                + resource(file);
    }

    /** The statements of {@link #script}, without comments; the last one is the INSERT. */
    public List<String> statements(long events) {
        return statementsOf(script(events));
    }

    /** The statements of a script, without comments. */
    public static List<String> statementsOf(String script) {
        String withoutComments = script.replaceAll("(?m)^\\s*--.*$", "");
        return Arrays.stream(withoutComments.split(";\\s*(\n|$)"))
                .map(String::strip)
                .filter(statement -> !statement.isEmpty())
                .toList();
    }

    /**
     * Creates what the INSERT of this query needs.
     *
     * @param statements {@link #statements}, or others in their place
     * @return the INSERT
     */
    public String prepare(TableEnvironment tables, List<String> statements) {
        String insert = executeAllButLast(tables, statements);
        view.ifPresent(needed -> needed.create(tables));
        return insert;
    }

    /** Executes statements, and returns the last one instead of that. */
    public static String executeAllButLast(TableEnvironment tables, List<String> statements) {
        int last = statements.size() - 1;
        statements.subList(0, last).forEach(statement -> execute(tables, statement));
        return statements.get(last);
    }

    private static void execute(TableEnvironment tables, String statement) {
        Matcher set = SET.matcher(statement);
        if (set.matches()) {
            // sql-client.sh sets that itself, and a table environment refuses to.
            tables.getConfig().set(set.group(1), set.group(2));
        } else {
            tables.executeSql(statement);
        }
    }

    static Query query(String name) {
        return new Query(
                name,
                name,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                true,
                Optional.empty(),
                Map.of(),
                STOCK_AND_ACCEL,
                false);
    }

    static Query program(DataStreamProgram program) {
        return new Query(
                program.title(),
                "",
                Optional.of(program),
                Optional.empty(),
                Optional.of(program.about()),
                true,
                Optional.empty(),
                Map.of(),
                STOCK_AND_ACCEL,
                false);
    }

    private static Query notRunnable(String name, String reason) {
        return new Query(
                name,
                name,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                true,
                Optional.of(reason),
                Map.of(),
                STOCK_AND_ACCEL,
                false);
    }

    private static Query processTableFunction() {
        String name = "process-table-function";
        return Resources.isThere("/io/stateaccel/nexmark/function/NumberRows.class")
                ? query(name)
                : notRunnable(name, "Flink has such functions from 2.1 on");
    }

    Query notDeterministic() {
        return new Query(
                name,
                file,
                program,
                view,
                title,
                false,
                whyNot,
                settings,
                variants,
                measuresRecovery);
    }

    public Query named(String otherName, String otherTitle) {
        return new Query(
                otherName,
                file,
                program,
                view,
                Optional.of(otherTitle),
                deterministic,
                whyNot,
                settings,
                variants,
                measuresRecovery);
    }

    private Query over(TableApiView needed) {
        return new Query(
                name,
                file,
                program,
                Optional.of(needed),
                title,
                deterministic,
                whyNot,
                settings,
                variants,
                measuresRecovery);
    }

    Query with(Map<String, String> moreSettings) {
        return new Query(
                name,
                file,
                program,
                view,
                title,
                deterministic,
                whyNot,
                moreSettings,
                variants,
                measuresRecovery);
    }

    /** This query as one about checkpoints: its default variants include the changelog backend. */
    Query aboutCheckpoints() {
        return new Query(
                name,
                file,
                program,
                view,
                title,
                deterministic,
                whyNot,
                settings,
                List.of(Variant.REFERENCE, "changelog", "accel", "accel-changelog"),
                true);
    }

    static String resource(String name) {
        return Resources.text("/queries/" + name + ".sql");
    }
}
