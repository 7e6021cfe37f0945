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
package io.stateaccel.operators.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.operators.DisturbedRun;
import io.stateaccel.operators.MaterialisedRows;
import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.clock.ClockedRun;
import io.stateaccel.operators.clock.ClockedRun.Operators;
import io.stateaccel.operators.clock.ClockedScript;
import io.stateaccel.operators.clock.ClockedScript.Arrival;
import io.stateaccel.operators.clock.ClockedScript.Bundle;
import io.stateaccel.operators.clock.ToldRows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PrimitiveIterator;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random changes through Flink's materializer and through ours, with and without an upsert
 * key, in whatever order they come, of rows that are there and of rows that are not, with
 * checkpoints and restores in between, with more sub-tasks or fewer.
 */
class MiniBatchSinkMaterializerDifferentialTest {

    private static final long TTL = 1000;

    /** No bundle ends because of its age. */
    private static final long NEVER = 1L << 60;

    private static final int LARGE_BUNDLE = 1_000_000;

    private static final int CASES = 4;

    static Stream<Arguments> cases() {
        return RandomCases.onAllBackends(CASES);
    }

    static Stream<Arguments> clockedCases() {
        return RandomCases.longOnesOnAllBackends(CASES, 2);
    }

    static Stream<Arguments> largeCases() {
        return RandomCases.longOnesOnAllBackends(CASES, 4);
    }

    /** With bundles that end as they may, idle moments and watermarks. */
    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameSinkAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        SinkCase sink = SinkCase.random(random);
        List<BinaryRowData> changes = SinkCase.changes(random);
        DisturbedRun run =
                new DisturbedRun(changes, SinkCase.PRIMARY_KEY, random.nextLong(), backend);
        MaterialisedRows stock = SinkCase.materialisedRows();
        List<String> stocks = new ArrayList<>();
        run.play(
                start -> sink.stock(0),
                emitted -> {
                    emitted.forEach(stock::take);
                    stocks.addAll(texts(emitted));
                });

        MaterialisedRows ours = SinkCase.materialisedRows();
        List<String> changed = new ArrayList<>();
        Map<String, String> written = new TreeMap<>();
        run.play(
                start -> sink.accelerated(0, 1000),
                emitted -> {
                    emitted.forEach(ours::take);
                    changed.addAll(texts(emitted));
                    emitted.forEach(change -> assertInPlace(change, written));
                });

        String description = "-Dstateaccel.seed=%d, %s: %s".formatted(seed, backend, sink);
        assertThat(ours.rows()).as(description).isEqualTo(stock.rows());
        assertThat(ours.changes()).as(description).isLessThanOrEqualTo(stock.changes());
        if (sink.bundleSize() == 1) {
            assertThat(changed).as(description).isEqualTo(stocks);
        }
    }

    /** A key is inserted once, and updated and deleted only where it is there. */
    private static void assertInPlace(RowData change, Map<String, String> written) {
        String key = SinkCase.keyOf(change);
        switch (change.getRowKind()) {
            case INSERT ->
                    assertThat(written.put(key, SinkCase.text(change)))
                            .as(SinkCase.change(change))
                            .isNull();
            case UPDATE_AFTER ->
                    assertThat(written.put(key, SinkCase.text(change)))
                            .as(SinkCase.change(change))
                            .isNotNull();
            default -> assertThat(written.remove(key)).as(SinkCase.change(change)).isNotNull();
        }
    }

    /** After each bundle, or each change where the seed is even, as the clock makes rows expire. */
    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("clockedCases")
    void sameAfterEachBundleAsStock(long seed, String backend) throws Exception {
        boolean single = seed % 2 == 0;
        for (long ttl : new long[] {0, TTL}) {
            Random random = new Random(seed);
            List<BinaryRowData> changes = SinkCase.changes(random);
            List<Bundle> bundles = ClockedScript.of(changes, TTL, random).bundles();
            bundles = single ? oneByOne(bundles) : bundles;
            assertThat(difference(random, bundles, backend, ttl, ttl))
                    .as(
                            "-Dstateaccel.seed=%d on %s, one by one: %s, %d ms",
                            seed, backend, single, ttl)
                    .isEmpty();
        }
    }

    /** Of keys that have more rows than fit a chunk. */
    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("largeCases")
    void sameOfLongListsAsStock(long seed, String backend) throws Exception {
        for (long ttl : new long[] {0, TTL}) {
            Random random = new Random(seed);
            List<BinaryRowData> changes = new ArrayList<>();
            // Grows beyond a chunk, and shrinks to less.
            changes.addAll(SinkCase.changes(random, 1, 8_000, 0));
            changes.addAll(retracted(changes, random));
            changes.addAll(SinkCase.changes(random, 1, 500, 0.3));
            assertThat(difference(random, largeBundles(changes, random), backend, ttl, ttl))
                    .as("-Dstateaccel.seed=%d on %s, %d ms", seed, backend, ttl)
                    .isEmpty();
        }
    }

    private static List<Bundle> largeBundles(List<BinaryRowData> changes, Random random) {
        List<Bundle> bundles = new ArrayList<>();
        long time = 0;
        for (int from = 0; from < changes.size(); ) {
            int to = Math.min(changes.size(), from + 1 + random.nextInt(400));
            List<Arrival> arrivals = new ArrayList<>();
            for (BinaryRowData change : changes.subList(from, to)) {
                arrivals.add(new Arrival(change, time));
            }
            bundles.add(new Bundle(arrivals, time, random.nextInt(10) == 0 ? 1 : 0, time));
            time += random.nextInt((int) TTL / 5);
            from = to;
        }
        return bundles;
    }

    /** All of them, in another order. */
    private static List<BinaryRowData> retracted(List<BinaryRowData> changes, Random random) {
        List<BinaryRowData> retracted = new ArrayList<>();
        for (BinaryRowData change : changes) {
            BinaryRowData copy = change.copy();
            copy.setRowKind(RowKind.DELETE);
            retracted.add(copy);
        }
        Collections.shuffle(retracted, random);
        return retracted;
    }

    /** By another time to live, and with rows that live for ever. */
    @Test
    void findsWhatExpiresAtAnotherTime() throws Exception {
        for (long broken : new long[] {TTL + 1, TTL - 1, 0}) {
            boolean found = false;
            PrimitiveIterator.OfLong seeds = new Random(1).longs(100).iterator();
            while (!found && seeds.hasNext()) {
                Random random = new Random(seeds.next());
                List<BinaryRowData> changes = SinkCase.changes(random);
                List<Bundle> bundles = ClockedScript.of(changes, TTL, random).bundles();
                found = difference(random, bundles, "hashmap", TTL, broken).isPresent();
            }
            assertThat(found).as("with %d ms", broken).isTrue();
        }
    }

    /** The first difference between ours and Flink's, whose state expires as is given. */
    private static Optional<String> difference(
            Random random, List<Bundle> bundles, String backend, long ttl, long stocksTtl)
            throws Exception {
        SinkCase sink = new SinkCase(random.nextBoolean(), LARGE_BUNDLE);
        ToldRows stock = SinkCase.toldRows();
        ToldRows ours = SinkCase.toldRows();
        Operators operators =
                isOurs -> isOurs ? sink.accelerated(ttl, NEVER) : sink.stock(stocksTtl);
        try (ClockedRun stockRun =
                        new ClockedRun(operators, false, SinkCase.PRIMARY_KEY, "hashmap");
                ClockedRun ourRun =
                        new ClockedRun(operators, true, SinkCase.PRIMARY_KEY, backend)) {
            for (Bundle bundle : bundles) {
                List<RowData> expected = stockRun.process(bundle);
                List<RowData> actual = ourRun.process(bundle);
                stock.take(expected);
                ours.take(actual);
                String at = " after the flush at " + bundle.flushedAt() + " of " + sink;
                if (!ours.live().equals(stock.live())) {
                    return Optional.of(ours.live() + " is not " + stock.live() + at);
                }
                if (!ours.told().equals(stock.told())) {
                    return Optional.of(ours.told() + " is told, not " + stock.told() + at);
                }
                if (!stock.deletedFromNothing().containsAll(ours.deletedFromNothing())) {
                    return Optional.of(ours.deletedFromNothing() + " had no row" + at);
                }
                if (bundle.rows().size() == 1 && !texts(actual).equals(texts(expected))) {
                    return Optional.of(texts(actual) + " is not " + texts(expected) + at);
                }
                if (ttl == 0 ? hasAKeyTwice(actual, row -> true) : hasAKeyTwicePerKind(actual)) {
                    return Optional.of(texts(actual) + " has a key twice" + at);
                }
                if (bundle.restoredWith() > 0) {
                    ourRun.restore(true, bundle.restoredWith(), bundle.restoredAt());
                }
            }
        }
        return Optional.empty();
    }

    /** As a row that comes and goes in a bundle is told twice if state expires. */
    private static boolean hasAKeyTwicePerKind(List<RowData> changes) {
        return hasAKeyTwice(changes, RowDataUtil::isAccumulateMsg)
                || hasAKeyTwice(changes, RowDataUtil::isRetractMsg);
    }

    private static boolean hasAKeyTwice(List<RowData> changes, Predicate<RowData> which) {
        List<String> keys = changes.stream().filter(which).map(SinkCase::keyOf).toList();
        return keys.stream().distinct().count() < keys.size();
    }

    private static List<String> texts(List<RowData> changes) {
        return changes.stream().map(SinkCase::change).toList();
    }

    private static List<Bundle> oneByOne(List<Bundle> bundles) {
        List<Bundle> single = new ArrayList<>();
        for (Bundle bundle : bundles) {
            for (Arrival arrival : bundle.rows()) {
                single.add(new Bundle(List.of(arrival), arrival.time(), 0, 0));
            }
            single.add(
                    new Bundle(
                            List.of(),
                            bundle.flushedAt(),
                            bundle.restoredWith(),
                            bundle.restoredAt()));
        }
        return single;
    }
}
