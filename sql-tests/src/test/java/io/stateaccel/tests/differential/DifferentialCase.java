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

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.flink.configuration.MemorySize;

/**
 * One query over two tables with the settings to run it with. Everything follows from the seed.
 *
 * @param restartAt after which share of each changelog the job takes the checkpoint that it later
 *     restores
 */
record DifferentialCase(
        long seed,
        QueryGenerator.Shape shape,
        List<TestTable> tables,
        String sql,
        Settings settings,
        double restartAt) {

    /**
     * What may change how a query is executed and must not change what comes out.
     *
     * @param latency far longer than a case, or so short that it is what flushes bundles
     * @param aggregateCache for all accumulators, for a few of them, or for none
     */
    record Settings(
            int bundleSize,
            Duration latency,
            MemorySize aggregateCache,
            boolean unaligned,
            boolean objectReuse) {}

    private static final Integer[] BUNDLE_SIZES = {1, 2, 7, 1000};
    private static final Duration[] LATENCIES = {Duration.ofMillis(1), Duration.ofMinutes(1)};
    private static final MemorySize[] AGGREGATE_CACHES = {
        MemorySize.ZERO, new MemorySize(2_000), MemorySize.ofMebiBytes(16)
    };

    static DifferentialCase of(long seed) {
        // Java's generator maps neighbouring seeds to similar first numbers; spread them.
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        QueryGenerator.Shape shape = inTurn(seed, QueryGenerator.Shape.values());
        InputKind[] kinds = InputKind.values();
        KeyType keyType = any(random, KeyType.values());
        // Every kind meets every shape within as many cases as there are pairs of them.
        InputKind leftKind =
                kinds[(int) ((seed / QueryGenerator.Shape.values().length) % kinds.length)];
        TestTable left =
                ChangelogGenerator.generate(
                        random, "L", leftKind, keyType, 20 + random.nextInt(180));
        TestTable right =
                ChangelogGenerator.generate(
                        random, "R", any(random, kinds), keyType, 20 + random.nextInt(180));
        return new DifferentialCase(
                seed,
                shape,
                List.of(left, right),
                new QueryGenerator(random, keyType).query(shape),
                new Settings(
                        any(random, BUNDLE_SIZES),
                        any(random, LATENCIES),
                        any(random, AGGREGATE_CACHES),
                        random.nextBoolean(),
                        random.nextBoolean()),
                0.2 + 0.6 * random.nextDouble());
    }

    /** The tables that the query reads. */
    List<TestTable> inputs() {
        return shape.joins() ? tables : tables.subList(0, 1);
    }

    /** The same case after one table lost one change: what a lost row would look like. */
    DifferentialCase withTable(int index, TestTable table) {
        List<TestTable> others = new ArrayList<>(tables);
        others.set(index, table);
        return new DifferentialCase(seed, shape, List.copyOf(others), sql, settings, restartAt);
    }

    private static <T> T inTurn(long seed, T[] values) {
        return values[(int) (seed % values.length)];
    }

    private static <T> T any(Random random, T[] values) {
        return values[random.nextInt(values.length)];
    }

    @Override
    public String toString() {
        return "seed %d, %s, %s%n  %s%n  %s"
                .formatted(
                        seed,
                        shape,
                        settings,
                        inputs().stream()
                                .map(TestTable::toString)
                                .collect(Collectors.joining(System.lineSeparator() + "  ")),
                        sql);
    }
}
