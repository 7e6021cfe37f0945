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

import io.stateaccel.tests.differential.ChangelogGenerator.Times;
import io.stateaccel.tests.differential.QueryGenerator.JoinType;
import io.stateaccel.tests.differential.QueryGenerator.Query;
import io.stateaccel.tests.differential.QueryGenerator.Shape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.table.api.config.AggregatePhaseStrategy;

/**
 * One query over its tables with the settings to run it with. Everything follows from the seed.
 *
 * @param tables that the query reads, each once
 */
public record DifferentialCase(
        long seed, Shape shape, List<TestTable> tables, Query query, Settings settings) {

    /**
     * What may change how a query is executed and must not change what comes out.
     *
     * @param latency far longer than a case, or so short that it is what flushes bundles
     * @param aggregateCache for all accumulators, for a few of them, or for none
     * @param userMiniBatch whether size and latency of bundles are set as Flink's own mini-batch
     * @param aggregatePhases whether aggregates are split in two, where mini-batch allows for it
     * @param splitDistinct whether DISTINCT aggregates are split in two levels
     * @param multiJoin whether Flink may join several inputs in one operator
     * @param keyOnlyDeletes whether a sink of upserts is content with the key of a deleted row
     * @param localAggregate whether joins aggregate for the aggregate above that they are not fused
     *     with
     * @param joinInputProjection whether joins lose the columns of their inputs that nobody reads
     * @param ttl whether state expires some day
     * @param idleSources whether a table that sends nothing for a moment is idle to watermarks
     * @param followLoad whether bundles end when a task has nothing else to do
     * @param joinNormalizeFusion whether joins normalise inputs whose key is the join key
     */
    public record Settings(
            int bundleSize,
            Duration latency,
            MemorySize aggregateCache,
            boolean userMiniBatch,
            AggregatePhaseStrategy aggregatePhases,
            boolean splitDistinct,
            boolean multiJoin,
            boolean keyOnlyDeletes,
            boolean localAggregate,
            boolean joinInputProjection,
            boolean ttl,
            boolean idleSources,
            boolean followLoad,
            boolean joinNormalizeFusion) {

        Settings withoutIdleSources() {
            return new Settings(
                    bundleSize,
                    latency,
                    aggregateCache,
                    userMiniBatch,
                    aggregatePhases,
                    splitDistinct,
                    multiJoin,
                    keyOnlyDeletes,
                    localAggregate,
                    joinInputProjection,
                    ttl,
                    false,
                    followLoad,
                    joinNormalizeFusion);
        }
    }

    private static final Integer[] BUNDLE_SIZES = {1, 2, 7, 1000};
    private static final Duration[] LATENCIES = {
        Duration.ofMillis(1), Duration.ofMillis(20), Duration.ofMinutes(1)
    };
    private static final MemorySize[] AGGREGATE_CACHES = {
        MemorySize.ZERO, new MemorySize(2_000), MemorySize.ofMebiBytes(16)
    };

    static DifferentialCase of(long seed) {
        Random random = RandomSeeds.random(seed);
        Shape shape = inTurn(seed, Shape.withoutTime());
        JoinType type = joinType(seed, Shape.withoutTime());
        TableGenerator generator =
                new TableGenerator(random, any(random, keysOfTables(shape.inputs())));
        List<TestTable> inputs = new ArrayList<>();
        for (int input = 0; input < shape.inputs(); input++) {
            int changes = 10 + random.nextInt(shape.inputs() == 3 ? 50 : 140);
            boolean again = input > 0 && random.nextInt(12) == 0;
            inputs.add(
                    again
                            ? inputs.get(0)
                            : generator.table(String.valueOf((char) ('A' + input)), changes));
        }
        Query query = new QueryGenerator(random).query(shape, type, inputs);
        return new DifferentialCase(
                seed, shape, inputs.stream().distinct().toList(), query, settings(random, query));
    }

    /** A case of operators by row time. */
    static DifferentialCase byTime(long seed) {
        Random random = RandomSeeds.random(seed);
        Shape shape = inTurn(seed, Shape.byTime());
        Times times = any(random, Times.values());
        int keys = any(random, keysOfTables(shape.inputs()));
        TableGenerator generator =
                shape == Shape.TEMPORAL_JOIN
                        ? TableGenerator.withIdentifyingKeys(random, keys)
                        : new TableGenerator(random, keys);
        List<TestTable> inputs = new ArrayList<>();
        inputs.add(generator.tableByTime("A", 10 + random.nextInt(140), times));
        if (shape.inputs() == 2) {
            int changes = 10 + random.nextInt(140);
            inputs.add(
                    shape == Shape.TEMPORAL_JOIN
                            ? generator.versionedTable("B", changes, times)
                            : generator.tableByTime("B", changes, times));
        }
        Query query =
                new TimeQueryGenerator(random, times)
                        .query(shape, joinType(seed, Shape.byTime()), inputs);
        // A row that comes from what was held to be idle is late.
        Settings settings = settings(random, query).withoutIdleSources();
        return new DifferentialCase(seed, shape, List.copyOf(inputs), query, settings);
    }

    /** Every type of join meets every shape within as many cases as there are pairs of them. */
    private static JoinType joinType(long seed, List<Shape> shapes) {
        return inTurn(seed / shapes.size() + seed % shapes.size(), List.of(JoinType.values()));
    }

    private static Settings settings(Random random, Query query) {
        // Stock Flink 2.3 gives a wrong result for some queries with NOT EXISTS when it may join
        // several inputs at once: rows come back that have a match.
        boolean multiJoin = random.nextInt(4) == 0 && !query.hasSubQueries();
        int bundleSize = any(random, BUNDLE_SIZES);
        Duration latency = any(random, LATENCIES);
        MemorySize aggregateCache = any(random, AGGREGATE_CACHES);
        boolean userMiniBatch = random.nextInt(4) == 0;
        return new Settings(
                bundleSize,
                latency,
                aggregateCache,
                userMiniBatch,
                any(random, AggregatePhaseStrategy.values()),
                random.nextInt(4) == 0,
                multiJoin,
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextInt(4) == 0,
                random.nextInt(4) > 0,
                random.nextBoolean());
    }

    /** Three inputs with few keys would multiply to very many rows. */
    private static Integer[] keysOfTables(int inputs) {
        return inputs == 3 ? new Integer[] {8, 40} : new Integer[] {3, 8, 40};
    }

    /** The same case after one table has got another history: what a lost row would look like. */
    DifferentialCase withTable(int index, TestTable table) {
        List<TestTable> others = new ArrayList<>(tables);
        others.set(index, table);
        return new DifferentialCase(seed, shape, List.copyOf(others), query, settings);
    }

    /**
     * The same case once for each table that it reads, with that one far behind the others. Where
     * the query reads a table again, the rows come from one more table, to be ahead or behind too.
     */
    List<DifferentialCase> withEachTableBehind() {
        List<TestTable> apart = new ArrayList<>(tables);
        String sql = query.sql();
        for (TestTable table : tables) {
            Matcher again = Pattern.compile("\\b" + table.name() + " AS (\\w+)").matcher(sql);
            while (again.find()) {
                apart.add(table.withName(again.group(1)));
            }
            sql = again.replaceAll("$1");
        }
        Query ofAll = new Query(sql, query.upsertKey(), query.views());
        List<DifferentialCase> cases = new ArrayList<>();
        for (TestTable slowest : apart) {
            List<TestTable> paced =
                    apart.stream()
                            .map(each -> each.withBurst(each == slowest ? 1 : Integer.MAX_VALUE))
                            .toList();
            cases.add(new DifferentialCase(seed, shape, paced, ofAll, settings));
        }
        return cases;
    }

    private static <T> T inTurn(long seed, List<T> values) {
        return values.get((int) (seed % values.size()));
    }

    private static <T> T any(Random random, T[] values) {
        return values[random.nextInt(values.length)];
    }

    @Override
    public String toString() {
        return "seed %d, %s, %s%n  %s%n  %s%n  %s"
                .formatted(
                        seed,
                        shape,
                        settings,
                        tables.stream()
                                .map(TestTable::toString)
                                .collect(Collectors.joining(System.lineSeparator() + "  ")),
                        query.sql(),
                        query.upsertKey().isEmpty()
                                ? "into a sink of all changes"
                                : "into a sink of upserts by " + query.upsertKey());
    }
}
