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
package io.stateaccel.operators.join;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.operators.MaterialisedRows;
import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.clock.ClockedJoin;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.JoinCase.UniqueKey;
import io.stateaccel.operators.join.fold.BundleFold;
import io.stateaccel.operators.join.fold.SideChanges;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.LoadedRecords;
import io.stateaccel.views.join.MergedRecordView;
import io.stateaccel.views.join.RenewingRecordView;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.types.RowKind;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Joins of all types with state TTL, against Flink's operators bundle by bundle, while time passes
 * within bundles, between them and between a checkpoint and the restore, with more sub-tasks or
 * fewer. Rows of a bundle come to Flink's operator when ours flushes, per key in the order that
 * ours thinks of: retractions of the left side, of the right one, additions of the left side, of
 * the right one; what a bundle adds and retracts again goes before the additions. What was
 * retracted may have expired, so that results that are wrong by any other measure than Flink's are
 * part of it.
 */
class JoinTtlDifferentialTest {

    /** So many that it is no accident what becomes of them. */
    private static final int ENOUGH_CASES = 40;

    private static final BundleFold FOLD = BundleFold.of(InputChangelog.RETRACT, null, true);

    private static final AtomicInteger CASES = new AtomicInteger();
    private static final AtomicInteger CASES_WITH_EXPIRY = new AtomicInteger();

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(20);
    }

    @AfterAll
    static void inMostCasesRowsHaveExpired() {
        if (CASES.get() >= ENOUGH_CASES) {
            assertThat(CASES_WITH_EXPIRY.get())
                    .as("of %s cases, those with other results than without state TTL", CASES)
                    .isGreaterThan(CASES.get() / 2);
        }
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameResultsAsStockAfterEachBundle(long seed, String backend) throws Exception {
        Run run = new Run(seed, backend, JoinCase.randomWithTtl(new Random(seed)));
        run.compare(UnaryOperator.identity());
        CASES.incrementAndGet();
        if (run.hasExpiry()) {
            CASES_WITH_EXPIRY.incrementAndGet();
        }
    }

    static Stream<Arguments> switchedCases() {
        return RandomCases.onBothBackends(10);
    }

    /** With state TTL and without, by turns, from restore to restore, which stock goes on from. */
    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("switchedCases")
    void sameResultsAsStockWhereStateTtlIsSwitched(long seed, String backend) throws Exception {
        Lines.assumeSwitchesStateTtl(backend.equals("rocksdb"));
        Run run = Run.switched(seed, backend, JoinCase.randomWithTtl(new Random(seed)));
        run.compare(UnaryOperator.identity());
    }

    /** Ways to be wrong that the comparison has to find. */
    enum Mistake {
        /** A match neither counts nor renews its row. */
        MATCHES_ARE_NOT_STORED,

        /** Whether there is a match is derived from the rows that are there. */
        MATCHES_ARE_DERIVED,

        /** A row that is found once more keeps its age, if the number of matches is the same. */
        SAME_NUMBER_IS_NOT_WRITTEN,

        /** Each of several equal rows has an age of its own. */
        EQUAL_ROWS_EXPIRE_ONE_BY_ONE
    }

    @ParameterizedTest
    @EnumSource
    void mistakesAreFound(Mistake mistake) {
        long firstSeed = Long.getLong("stateaccel.seed", System.nanoTime());
        assertThatThrownBy(
                        () -> {
                            for (long seed = firstSeed; seed < firstSeed + 2_000; seed++) {
                                JoinCase join = JoinCase.randomWithTtl(new Random(seed));
                                new Run(seed, "hashmap", join)
                                        .compare(records -> mistaken(records, mistake));
                            }
                        })
                .as("seeds from %d", firstSeed)
                .isInstanceOf(AssertionError.class);
    }

    private static MergedRecordView mistaken(MergedRecordView records, Mistake mistake) {
        return records instanceof RenewingRecordView renewing
                ? new MistakenView(renewing, mistake)
                : records;
    }

    private record MistakenView(RenewingRecordView view, Mistake mistake)
            implements RenewingRecordView {

        @Override
        public boolean keepsMatches() {
            return mistake != Mistake.MATCHES_ARE_DERIVED && view.keepsMatches();
        }

        @Override
        public boolean isReadToStore(RowData joinKey) {
            return view.isReadToStore(joinKey);
        }

        @Override
        public void recount(RowData joinKey, List<List<RowData>> gone, Recount recount)
                throws Exception {
            view.recount(
                    joinKey,
                    gone,
                    (row, count, matches) -> {
                        int recounted = recount.matches(row, count, matches);
                        return mistake == Mistake.MATCHES_ARE_NOT_STORED
                                        || mistake == Mistake.SAME_NUMBER_IS_NOT_WRITTEN
                                                && recounted == matches
                                ? UNTOUCHED
                                : recounted;
                    });
        }

        @Override
        public void store(RowData joinKey, SideUpdate update) throws Exception {
            if (mistake == Mistake.EQUAL_ROWS_EXPIRE_ONE_BY_ONE && !view.keepsMatches()) {
                List<RowData> changes = new ArrayList<>(update.retractions());
                changes.addAll(update.additions());
                if (!changes.isEmpty()) {
                    blind().apply(joinKey, changes);
                }
                return;
            }
            view.store(joinKey, update);
        }

        /** What is around the view that renews. */
        private MergedRecordView blind() throws ReflectiveOperationException {
            var rows = view.getClass().getDeclaredField("rows");
            rows.setAccessible(true);
            return (MergedRecordView) rows.get(view);
        }

        @Override
        public LoadedRecords load(List<RowData> joinKeys) throws Exception {
            return view.load(joinKeys);
        }

        @Override
        public LiveRows records(RowData joinKey) throws Exception {
            return view.records(joinKey);
        }
    }

    /** A row lives on for its time after its last match at least, and a tenth more at most. */
    @ParameterizedTest
    @EnumSource
    void rowLivesOnWithEachMatch(UniqueKey uniqueKey) throws Exception {
        for (InputChangelog rightChangelog :
                List.of(InputChangelog.INSERT_ONLY, InputChangelog.RETRACT)) {
            JoinCase join =
                    new JoinCase(
                            FlinkJoinType.LEFT,
                            new JoinCase.Side(uniqueKey, InputChangelog.INSERT_ONLY),
                            new JoinCase.Side(UniqueKey.NONE, rightChangelog),
                            false,
                            false,
                            1,
                            100,
                            10);
            long lastMatch = 7 * 100;
            for (long age : new long[] {0, 99, 110, 500}) {
                try (ClockedJoin clocked =
                        new ClockedJoin(join::accelerated, join.resultType(), "hashmap")) {
                    clocked.process(true, JoinCase.row("a", 1, 1));
                    for (long time = 0; time <= lastMatch; time += 7) {
                        assertThat(isMatched(clocked, time)).as("at %d", time).isTrue();
                    }
                    assertThat(isMatched(clocked, lastMatch + age))
                            .as("%s, %s, %d after the last match", uniqueKey, rightChangelog, age)
                            .isEqualTo(age < 100);
                }
            }
        }
    }

    private static boolean isMatched(ClockedJoin clocked, long time) throws Exception {
        clocked.at(time);
        clocked.flush();
        clocked.process(false, JoinCase.row("a", time, 2));
        return !clocked.flush().isEmpty();
    }

    /** One sequence of changes and times through both operators. */
    private static final class Run {
        private final JoinCase join;
        private final String description;
        private final String backend;
        private final List<Step> steps;

        /** Of ours, by restore. */
        private final Random parallelism;

        /** Whether to switch state TTL by a restore; null if never. */
        @Nullable private final Random switches;

        /** As the operators are now. */
        private JoinCase now;

        private long switchedAt;

        /** Results of stock without state TTL, to know whether any row's expiry has mattered. */
        private boolean hasExpiry;

        Run(long seed, String backend, JoinCase join) {
            this(seed, backend, join, 50, null);
        }

        private Run(
                long seed,
                String backend,
                JoinCase join,
                int restoreEvery,
                @Nullable Random switches) {
            this.join = join;
            this.now = join;
            this.description = "-Dstateaccel.seed=%d, %s: %s".formatted(seed, backend, join);
            this.backend = backend;
            this.steps = steps(join, restoreEvery, new Random(seed ^ 1));
            this.parallelism = new Random(seed ^ 2);
            this.switches = switches;
        }

        /** One that begins with state TTL or without. */
        static Run switched(long seed, String backend, JoinCase join) {
            Run run = new Run(seed, backend, join, 12, new Random(seed ^ 3));
            run.now = run.switches.nextBoolean() ? join : join.withTtl(0, 0);
            return run;
        }

        /**
         * Not off as soon as anything has expired: what of that has left the state already, and
         * does not come back, is another thing with each operator.
         */
        private void maySwitch(long time) {
            boolean mayBeExpired = now.hasTtl() && time - switchedAt >= join.shortestTtl();
            if (switches != null && !mayBeExpired && switches.nextInt(3) > 0) {
                now = now.hasTtl() ? join.withTtl(0, 0) : join;
                switchedAt = time;
            }
        }

        boolean hasExpiry() {
            return hasExpiry;
        }

        void compare(UnaryOperator<MergedRecordView> records) throws Exception {
            JoinCase forever = join.withTtl(0, 0);
            try (ClockedJoin ours = open(() -> ours(records));
                    ClockedJoin stock = open(() -> now.stock());
                    ClockedJoin unexpired = open(forever::stock)) {
                MaterialisedRows ourResults = rows(join);
                MaterialisedRows stockResults = rows(join);
                MaterialisedRows folded = rows(join);
                MaterialisedRows allResults = rows(join);
                List<Step.Change> bundle = new ArrayList<>();
                for (int i = 0; i < steps.size(); i++) {
                    Step step = steps.get(i);
                    boolean flushed = step instanceof Step.Flush || step instanceof Step.Restore;
                    if (step instanceof Step.Change change) {
                        bundle.add(change);
                        ours.process(change.isLeft, change.row);
                        // A row that nobody keeps does not fill a bundle.
                        flushed =
                                bundle.size() >= join.bundleSize()
                                        && !(join.type() == FlinkJoinType.INNER
                                                && change.row.getRowKind()
                                                        == RowKind.UPDATE_BEFORE);
                    } else if (step instanceof Step.Time time) {
                        ours.at(time.millis);
                        stock.at(time.millis);
                        unexpired.at(time.millis);
                    }
                    if (flushed) {
                        take(ours, ourResults);
                        feed(stock, bundle);
                        feed(unexpired, bundle);
                        bundle.clear();
                        List<RowData> changes = stock.flush();
                        changes.forEach(stockResults::take);
                        FOLD.fold(changes).inOrder().forEach(folded::take);
                        take(unexpired, allResults);
                        String at = "step %d of %d, %s".formatted(i, steps.size(), description);
                        assertThat(ourResults.rows())
                                .as(at)
                                .isEqualTo(possible(ourResults, stockResults, folded));
                        assertThat(stockResults.overdrawn())
                                .as("overdrawn, " + at)
                                .containsAll(ourResults.overdrawn());
                        if (!join.readAsUpserts()) {
                            assertThat(ourResults.changes())
                                    .as("emitted, " + at)
                                    .isLessThanOrEqualTo(stockResults.changes());
                        }
                        hasExpiry |= !stockResults.rows().equals(allResults.rows());
                        stockResults.adopt(ourResults);
                        folded.adopt(ourResults);
                    }
                    if (step instanceof Step.Restore restore) {
                        maySwitch(restore.at);
                        ours.restore(1 + parallelism.nextInt(3), restore.at);
                        stock.restore(1, restore.at);
                        unexpired.at(restore.at);
                    }
                }
            }
        }

        /**
         * What stock gives, or by a key what it gives where a row that it has added and taken away
         * again is not seen in between, if that is ours. That differs only where the key has had a
         * row that nobody had taken back, as another had expired; Flink's mini-batch joins leave it
         * there too. A SEMI join without left rows that come and go does as stock does.
         */
        private Map<String, Object> possible(
                MaterialisedRows ours, MaterialisedRows stock, MaterialisedRows folded) {
            Map<String, Object> possible = new TreeMap<>(stock.rows());
            boolean exact =
                    join.type() == FlinkJoinType.SEMI
                            && join.left().changelog() != InputChangelog.RETRACT;
            if (isReadByKey(join) && !exact) {
                folded.rows()
                        .forEach(
                                (key, row) -> {
                                    if (row.equals(ours.rows().get(key))) {
                                        possible.put(key, row);
                                    }
                                });
            }
            return possible;
        }

        private ClockedJoin open(ClockedJoin.Factory operator) throws Exception {
            ClockedJoin clocked = new ClockedJoin(operator, join.resultType(), backend);
            clocked.at(1);
            return clocked;
        }

        /** Results of SEMI and ANTI joins are wherever a sink could do that. */
        private static boolean isReadByKey(JoinCase join) {
            return join.readAsUpserts() || join.filters() && join.hasUpsertKey();
        }

        private static MaterialisedRows rows(JoinCase join) {
            return new MaterialisedRows(
                    row -> MiniBatchJoinDifferentialTest.fields(row, join.filters()),
                    isReadByKey(join)
                            ? row -> MiniBatchJoinDifferentialTest.ids(row, join.filters())
                            : null);
        }

        private MiniBatchJoinOperator ours(UnaryOperator<MergedRecordView> records) {
            MiniBatchJoinSpec spec = now.spec();
            return new MistakenOperator(
                    new MiniBatchJoinSpec(
                            spec.type(),
                            spec.left(),
                            spec.right(),
                            spec.condition(),
                            spec.filterNullKeys(),
                            spec.deletes(),
                            new BundleSettings(join.bundleSize(), 1_000_000)),
                    records);
        }

        private void feed(ClockedJoin stock, List<Step.Change> bundle) throws Exception {
            Map<RowData, List<Step.Change>> keys = new LinkedHashMap<>();
            for (Step.Change change : bundle) {
                keys.computeIfAbsent(
                                new Selector(JoinCase.KEY).getKey(change.row),
                                key -> new ArrayList<>())
                        .add(change);
            }
            for (List<Step.Change> ofKey : keys.values()) {
                Folded left = new Folded(join.left(), ofKey, true);
                Folded right = new Folded(join.right(), ofKey, false);
                feed(stock, true, left.changes.retractions());
                feed(stock, false, right.changes.retractions());
                feed(stock, true, left.dropped);
                feed(stock, true, left.changes.additions());
                feed(stock, false, right.dropped);
                feed(stock, false, right.changes.additions());
            }
        }

        private static void feed(ClockedJoin stock, boolean isLeft, List<RowData> changes)
                throws Exception {
            for (RowData change : changes) {
                stock.process(isLeft, (BinaryRowData) change);
            }
        }
    }

    private static final class MistakenOperator extends MiniBatchJoinOperator {
        private final transient UnaryOperator<MergedRecordView> records;

        MistakenOperator(MiniBatchJoinSpec spec, UnaryOperator<MergedRecordView> records) {
            super(spec);
            this.records = records;
        }

        @Override
        protected MergedRecordView openRecords(
                String stateName, JoinSideSpec side, boolean keepsMatches) throws Exception {
            return records.apply(super.openRecords(stateName, side, keepsMatches));
        }
    }

    /** What a bundle amounts to on one side of a key, and what came and went. */
    private static final class Folded {
        final SideChanges changes;
        final List<RowData> dropped = new ArrayList<>();

        Folded(JoinCase.Side side, List<Step.Change> bundle, boolean isLeft) throws Exception {
            Map<RowData, RowData> copies = new IdentityHashMap<>();
            List<RowData> rows = new ArrayList<>();
            for (Step.Change change : bundle) {
                if (change.isLeft == isLeft) {
                    RowData copy = change.row.copy();
                    copies.put(copy, change.row);
                    rows.add(copy);
                }
            }
            Selector id = new Selector(JoinCase.ID);
            Selector key = new Selector(JoinCase.KEY);
            changes =
                    BundleFold.of(
                                    side.changelog(),
                                    switch (side.uniqueKey()) {
                                        case NONE -> null;
                                        case ID -> id;
                                        case JOIN_KEY -> key;
                                    },
                                    true)
                            .fold(rows);
            if (side.changelog() == InputChangelog.RETRACT) {
                Map<RowData, Boolean> left = new IdentityHashMap<>();
                changes.inOrder().forEach(row -> left.put(row, true));
                for (RowData row : rows) {
                    if (!left.containsKey(row)) {
                        dropped.add(copies.get(row));
                    }
                }
            }
        }
    }

    private static List<Step> steps(JoinCase join, int restoreEvery, Random random) {
        String hotKey = random.nextInt(4) == 0 ? "hot".repeat(3_000) : "hot";
        // Without a source that takes note of time, rows are retracted that have expired.
        boolean notesTime =
                join.left().uniqueKey() != UniqueKey.JOIN_KEY
                        && join.right().uniqueKey() != UniqueKey.JOIN_KEY
                        && random.nextBoolean();
        RandomChangelog left =
                new RandomChangelog(join.left(), notesTime ? join.leftTtl() : 0, hotKey, random);
        RandomChangelog right =
                new RandomChangelog(join.right(), notesTime ? join.rightTtl() : 0, hotKey, random);
        List<Step> steps = new ArrayList<>();
        int changes = 50 + random.nextInt(200);
        int flushEvery = 2 + random.nextInt(20);
        double leftShare = random.nextDouble();
        long now = 1;
        while (changes-- > 0 || left.isUpdating() || right.isUpdating()) {
            boolean isLeft =
                    left.isUpdating() || !right.isUpdating() && random.nextDouble() < leftShare;
            steps.add(new Step.Change(isLeft, (isLeft ? left : right).next(now)));
            if (left.isUpdating() || right.isUpdating()) {
                continue;
            }
            if (random.nextInt(8) == 0) {
                now += JoinCase.TTL_STEP * (1 + random.nextInt(4));
                steps.add(new Step.Time(now));
            }
            if (random.nextInt(flushEvery) == 0) {
                steps.add(new Step.Flush());
            }
            if (random.nextInt(restoreEvery) == 0) {
                now += JoinCase.TTL_STEP * random.nextInt(4);
                steps.add(new Step.Restore(now));
            }
        }
        steps.add(new Step.Flush());
        return steps;
    }

    /** What happens to a join. */
    private sealed interface Step {

        record Change(boolean isLeft, BinaryRowData row) implements Step {}

        /** Time passes, and nothing is flushed. */
        record Time(long millis) implements Step {}

        record Flush() implements Step {}

        /** From a checkpoint, at another time than that of the checkpoint. */
        record Restore(long at) implements Step {}
    }

    /** Takes what has been emitted since the last time. */
    private static void take(ClockedJoin clocked, MaterialisedRows live) throws Exception {
        clocked.flush().forEach(live::take);
    }
}
