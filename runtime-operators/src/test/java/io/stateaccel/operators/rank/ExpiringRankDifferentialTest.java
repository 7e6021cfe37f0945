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
package io.stateaccel.operators.rank;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.operators.Changelog;
import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.clock.ClockedRun;
import io.stateaccel.operators.clock.ClockedScript;
import io.stateaccel.operators.clock.ClockedScript.Arrival;
import io.stateaccel.operators.clock.ClockedScript.Bundle;
import io.stateaccel.operators.clock.ClockedSubtasks;
import io.stateaccel.operators.clock.ToldRows;
import io.stateaccel.views.time.TimeToLive;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.TupleTypeInfo;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.util.StateConfigUtil;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random changelogs through Flink's top-N functions and through ours, under a clock by
 * which rows expire: between bundles, within them, and between a snapshot and what goes on from it,
 * with more sub-tasks or fewer.
 *
 * <p>What is compared with is Flink's function to which the rows of a bundle come at its flush,
 * partition by partition, and which has nothing in its cache between bundles, whose rows do not
 * expire: the cache has room for one partition, and a row of another comes last. After each bundle
 * the result is the same, to the row, also where Flink takes back what is not there; and what Flink
 * tells downstream to be there, which keeps it alive there, ours does too. Where Flink's upserts
 * give two rows one place, and so lose one of them, the comparison ends; and also where the two
 * differ and Flink's result is no ranking any more.
 */
class ExpiringRankDifferentialTest {

    /** So long that no cache of Flink's has entries expire by the real time. */
    private static final long TTL = 10_000_000;

    private static final StateTtlConfig STOCKS = StateConfigUtil.createTtlConfig(TTL);

    /** Partitions that evict the others from Flink's cache, some for each sub-task. */
    private static final int OTHER_PARTITIONS = 16;

    private static final int LARGE_BUNDLE = 1_000_000;

    /** No bundle ends because of its age. */
    private static final long NEVER = 1L << 60;

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(6);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameResultsAsStock(long seed, String backend) throws Exception {
        assertThat(difference(seed, random(new Random(seed)), backend, STOCKS))
                .as("-Dstateaccel.seed=%d on %s", seed, backend)
                .isEmpty();
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void goesOnWhereStockLeftOffAndBack(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        RankCase rank;
        do {
            rank = random(random);
        } while (!rank.isStoredAsInFlink() || rank.isWrongInFlink());
        RankCase topN = rank;
        ClockedScript script =
                ClockedScript.of(topN.changes(random, random.nextInt(200)), TTL, random);
        ToldRows stock = topN.toldRows();
        ToldRows both = topN.toldRows();
        boolean ours = random.nextBoolean();
        try (Run one = new Run(topN, false, "hashmap");
                Run turns = new Run(topN, ours, backend)) {
            for (Bundle bundle : script.bundles()) {
                Optional<List<RowData>> expected = one.processIfItCan(bundle);
                if (expected.isEmpty()) {
                    break;
                }
                Optional<List<RowData>> actual = turns.processIfItCan(bundle);
                if (actual.isEmpty()) {
                    break;
                }
                stock.take(expected.get());
                both.take(actual.get());
                if (!both.live().equals(stock.live()) && !isRanking(topN, stock.live())) {
                    break;
                }
                assertThat(both.live())
                        .as("-Dstateaccel.seed=%d on %s: %s", seed, backend, topN)
                        .isEqualTo(stock.live());
                if (bundle.restoredWith() > 0) {
                    ours = !ours;
                    turns.restore(ours, bundle.restoredWith(), bundle.restoredAt());
                }
            }
        }
    }

    /**
     * State TTL is turned on and off on the running job, of Flink's operator and of ours, which
     * also goes on with more sub-tasks or fewer. It is turned off only while nothing has expired:
     * whether what has still comes back depends in Flink on whether it has left the state already.
     */
    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void goesOnWhereTimeToLiveIsSwitched(long seed, String backend) throws Exception {
        // Flink's operator is on the heap.
        Lines.assumeSwitchesStateTtl(false);
        RankCase rank = random(new Random(seed));
        Switches switches = new Switches(new Random(seed));
        assertThat(difference(seed, rank, backend, switches))
                .as("-Dstateaccel.seed=%d on %s", seed, backend)
                .isEmpty();
    }

    /** A top-1 whose result keeps every row that was ever the first: to the change, in order. */
    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void tellsEachFirstRowAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        RankCase rank =
                new RankCase(
                        RankInput.APPEND,
                        1,
                        1,
                        random.nextBoolean(),
                        random.nextBoolean(),
                        LARGE_BUNDLE);
        ClockedScript script =
                ClockedScript.of(rank.changes(random, random.nextInt(200)), TTL, random);
        try (Run stock = new Run(rank, false, "hashmap");
                ClockedRun ours =
                        new ClockedRun(
                                isOurs -> rank.neverTakingBack(TimeToLive.ofMillis(TTL), NEVER),
                                true,
                                new RankCase.Selector(RankCase.PARTITION),
                                backend)) {
            for (Bundle bundle : script.bundles()) {
                assertThat(rank.byPartition(ours.process(bundle)))
                        .as("-Dstateaccel.seed=%d on %s: %s", seed, backend, rank)
                        .isEqualTo(rank.byPartition(stock.process(bundle)));
                if (bundle.restoredWith() > 0) {
                    ours.restore(true, bundle.restoredWith(), bundle.restoredAt());
                }
            }
        }
    }

    /** Rows that are renewed when they are read, and rows that never expire, are told apart. */
    @ParameterizedTest
    @EnumSource(RankInput.class)
    void findsWhatIsRenewedOnReadingOrNever(RankInput input) throws Exception {
        StateTtlConfig onRead =
                StateTtlConfig.newBuilder(Duration.ofMillis(TTL))
                        .setUpdateType(StateTtlConfig.UpdateType.OnReadAndWrite)
                        .build();
        for (StateTtlConfig broken : List.of(onRead, StateConfigUtil.createTtlConfig(0))) {
            for (boolean topOne : new boolean[] {false, true}) {
                if (topOne && input == RankInput.RETRACT) {
                    continue;
                }
                int found = 0;
                for (long seed : new Random(1).longs(150).toArray()) {
                    RankCase rank = random(new Random(seed));
                    if (rank.input() == input && rank.isTopOne() == topOne) {
                        found += difference(seed, rank, "hashmap", broken).isPresent() ? 1 : 0;
                    }
                }
                assertThat(found).as("%s, top one: %s", broken, topOne).isPositive();
            }
        }
    }

    private static RankCase random(Random random) {
        RankCase rank;
        do {
            rank = RankCase.random(random);
        } while (rank.isWrongInFlink());
        return new RankCase(
                rank.input(),
                rank.rankStart(),
                rank.rankEnd(),
                rank.outputRankNumber(),
                rank.generateUpdateBefore(),
                rank.storesRowsApart(),
                rank.heapRows(),
                LARGE_BUNDLE);
    }

    /** The first difference between ours and Flink's, whose state expires as is given. */
    private static Optional<String> difference(
            long seed, RankCase rank, String backend, StateTtlConfig stocks) throws Exception {
        return difference(seed, rank, backend, new Switches(stocks));
    }

    private static Optional<String> difference(
            long seed, RankCase rank, String backend, Switches switches) throws Exception {
        Random random = new Random(~seed);
        ClockedScript script =
                ClockedScript.of(rank.changes(random, random.nextInt(200)), TTL, random);
        ToldRows stock = rank.toldRows();
        ToldRows ours = rank.toldRows();
        Changelog<String> rules =
                new Changelog<>(
                        rank.toString(),
                        rank::text,
                        rank.outputRankNumber() ? rank::key : null,
                        false);
        try (Run stockRun = new Run(rank, false, "hashmap", switches);
                Run ourRun = new Run(rank, true, backend, switches)) {
            for (Bundle bundle : script.bundles()) {
                Optional<List<RowData>> processed = stockRun.processIfItCan(bundle);
                List<RowData> actual = ourRun.process(bundle);
                if (processed.isEmpty()) {
                    break;
                }
                List<RowData> expected = processed.get();
                stock.take(expected);
                ours.take(actual);
                rules.bundle(actual);
                String at = " after the flush at " + bundle.flushedAt() + " of " + rank;
                if (!ours.live().equals(stock.live())) {
                    if (!isRanking(rank, stock.live())) {
                        break;
                    }
                    return Optional.of(ours.live() + " is not " + stock.live() + at);
                }
                // Who keeps nothing alive need not be told what has not changed.
                if (switches.expires && !tellsWhat(ours, stock)) {
                    return Optional.of(ours.told() + " is told, not " + stock.told() + at);
                }
                if (!stock.overdrawn().containsAll(ours.overdrawn())) {
                    return Optional.of(ours.overdrawn() + " are overdrawn" + at);
                }
                if (actual.size() > expected.size()) {
                    return Optional.of(actual + " is more than " + expected + at);
                }
                if (bundle.restoredWith() > 0) {
                    if (switches.turn(bundle.restoredAt())) {
                        stockRun.restore(false, 1, bundle.restoredAt());
                    }
                    ourRun.restore(true, bundle.restoredWith(), bundle.restoredAt());
                }
            }
        }
        return Optional.empty();
    }

    /** Whether state expires, which a restore may change. */
    private static final class Switches {
        private final StateTtlConfig stocks;
        @Nullable private final Random random;
        private boolean expires;
        private long since;

        /** Never changes; Flink's state expires as is given. */
        Switches(StateTtlConfig stocks) {
            this.stocks = stocks;
            this.random = null;
            this.expires = true;
        }

        /** Changes now and then. */
        Switches(Random random) {
            this.stocks = STOCKS;
            this.random = random;
            this.expires = random.nextBoolean();
        }

        /** Whether it does at this time. */
        boolean turn(long time) {
            if (random == null || expires && time - since >= TTL || random.nextInt(3) == 0) {
                return false;
            }
            expires = !expires;
            since = time;
            return true;
        }

        StateTtlConfig stocks() {
            return expires ? stocks : StateConfigUtil.createTtlConfig(0);
        }

        TimeToLive ours() {
            return expires ? TimeToLive.ofMillis(TTL) : TimeToLive.FOREVER;
        }
    }

    /** An operator, ours or Flink's. */
    private static final class Run implements AutoCloseable {
        private final RankCase rank;
        private final Switches switches;
        private final ClockedRun run;
        private int evictions;

        Run(RankCase rank, boolean isOurs, String backend) throws Exception {
            this(rank, isOurs, backend, new Switches(STOCKS));
        }

        Run(RankCase rank, boolean isOurs, String backend, Switches switches) throws Exception {
            this.rank = rank;
            this.switches = switches;
            this.run =
                    new ClockedRun(
                            ours ->
                                    ours
                                            ? rank.accelerated(switches.ours(), NEVER)
                                            : rank.stock(switches.stocks()),
                            isOurs,
                            new RankCase.Selector(RankCase.PARTITION),
                            backend);
        }

        void restore(boolean asOurs, int parallelism, long time) throws Exception {
            run.restore(asOurs, parallelism, time);
        }

        List<RowData> process(Bundle bundle) throws Exception {
            if (run.isOurs()) {
                return run.process(bundle);
            }
            ClockedSubtasks subtasks = run.subtasks();
            subtasks.at(bundle.flushedAt());
            List<BinaryRowData> rows = new ArrayList<>();
            bundle.rows().forEach(arrival -> rows.add(arrival.row().copy()));
            rows.sort(Comparator.comparingLong(row -> row.getLong(RankCase.PARTITION)));
            for (BinaryRowData row : rows) {
                subtasks.process(row);
            }
            evictions++;
            for (int i = 1; i <= OTHER_PARTITIONS; i++) {
                subtasks.process(RankCase.row(-i, evictions, evictions, 0));
            }
            List<RowData> emitted = new ArrayList<>(subtasks.flush());
            emitted.removeIf(row -> row.getLong(RankCase.PARTITION) < 0);
            return emitted;
        }

        /**
         * Nothing where it is Flink's turn and Flink is to lose a row, or fails as rows have
         * expired that it counts.
         */
        Optional<List<RowData>> processIfItCan(Bundle bundle) throws Exception {
            if (run.isOurs()) {
                return Optional.of(run.process(bundle));
            }
            if (hasTwoRowsInOnePlace(bundle)) {
                return Optional.empty();
            }
            try {
                return Optional.of(process(bundle));
            } catch (IndexOutOfBoundsException e) {
                assertThat(rank.input()).isEqualTo(RankInput.RETRACT);
                return Optional.empty();
            }
        }

        /** Whether Flink's function for upserts is to find that of some partition of a bundle. */
        private boolean hasTwoRowsInOnePlace(Bundle bundle) throws Exception {
            if (rank.input() != RankInput.UPDATE || rank.isTopOne()) {
                return false;
            }
            run.subtasks().at(bundle.flushedAt());
            MapStateDescriptor<RowData, Tuple2<RowData, Integer>> descriptor =
                    new MapStateDescriptor<>(
                            "data-state-with-update",
                            new RankCase.Selector(RankCase.ID).getProducedType(),
                            new TupleTypeInfo<>(RankCase.ROW, Types.INT));
            if (switches.stocks().isEnabled()) {
                descriptor.enableTimeToLive(switches.stocks());
            }
            for (Arrival arrival : bundle.rows()) {
                RowData partition = new RankCase.Selector(RankCase.PARTITION).getKey(arrival.row());
                MapState<RowData, Tuple2<RowData, Integer>> rows =
                        run.subtasks()
                                .states(partition)
                                .getPartitionedState(
                                        VoidNamespace.INSTANCE,
                                        VoidNamespaceSerializer.INSTANCE,
                                        descriptor);
                Set<Object> places = new HashSet<>();
                for (Tuple2<RowData, Integer> stored : rows.values()) {
                    RowData sorted = new RankCase.Selector(RankCase.SORTED).getKey(stored.f0);
                    if (!places.add(Tuple2.of(sorted, stored.f1))) {
                        return true;
                    }
                }
            }
            return false;
        }

        @Override
        public void close() throws Exception {
            run.close();
        }
    }

    /**
     * Whether one has told what another has. More is right if it is there: where Flink takes back a
     * row that has expired it may be silent of one that it has told before.
     */
    private static boolean tellsWhat(ToldRows one, ToldRows other) {
        return one.told().entrySet().containsAll(other.told().entrySet())
                && one.told().entrySet().stream()
                        .filter(row -> !other.told().entrySet().contains(row))
                        .map(Map.Entry::getValue)
                        .allMatch(
                                row ->
                                        one.live().containsKey(row)
                                                || one.live().containsValue(row));
    }

    /**
     * Whether each row is there once and, with rank numbers, no rank is left out. Where rows have
     * expired that Flink counts it takes back others, or none, and its result is neither that of
     * before nor that of after.
     */
    private static boolean isRanking(RankCase rank, Map<String, Object> live) {
        if (rank.generateUpdateBefore()
                && !live.values().stream().allMatch(count -> count.equals(1))) {
            return false;
        }
        if (!rank.outputRankNumber()) {
            return true;
        }
        Map<String, Set<Long>> ranks = new HashMap<>();
        for (Map.Entry<String, Object> row : live.entrySet()) {
            String text = rank.generateUpdateBefore() ? row.getKey() : row.getValue().toString();
            ranks.computeIfAbsent(
                            text.substring(0, text.indexOf(',')), partition -> new HashSet<>())
                    .add(Long.valueOf(text.substring(text.indexOf('#') + 1)));
        }
        return ranks.values().stream()
                .allMatch(
                        some ->
                                LongStream.range(0, some.size())
                                        .allMatch(i -> some.contains(rank.rankStart() + i)));
    }
}
