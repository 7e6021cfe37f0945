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

import io.stateaccel.operators.Changelog;
import io.stateaccel.operators.MaterialisedRows;
import io.stateaccel.operators.RandomCases;
import io.stateaccel.operators.TestBackends;
import io.stateaccel.operators.bundle.IdleTask;
import io.stateaccel.operators.join.JoinCase.Selector;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.storage.JobManagerCheckpointStorage;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The same random changelogs through Flink's {@code StreamingJoinOperator} and through ours, with
 * checkpoints and restores in between: what is live in the end is the same, ours emits no more, but
 * for upserted rows that came and went within a bundle, and what it emits keeps the rules of a
 * {@link Changelog}.
 *
 * <p>With state TTL rows expire in between; what is retracted has not expired, as what Flink emits
 * for one that has depends on the order within a bundle; that, and joins of other types than INNER
 * with state TTL, are in {@link JoinTtlDifferentialTest}.
 */
class MiniBatchJoinDifferentialTest {

    static Stream<Arguments> cases() {
        return RandomCases.onBothBackends(30);
    }

    @ParameterizedTest(name = "seed {0} on {1}")
    @MethodSource("cases")
    void sameLiveRowsAsStock(long seed, String backend) throws Exception {
        Random random = new Random(seed);
        JoinCase join = JoinCase.random(random);
        List<Event> events = events(join, random);
        String description = "-Dstateaccel.seed=%d, %s: %s".formatted(seed, backend, join);

        Changelog<String> rules =
                new Changelog<>(
                        description,
                        row -> fields(row, join.filters()),
                        join.hasUpsertKey() ? row -> ids(row, join.filters()) : null,
                        !join.readAsUpserts());
        LongAdder guests = new LongAdder();
        MaterialisedRows ours =
                run(
                        join,
                        true,
                        events,
                        backend,
                        bundle -> {
                            rules.bundle(bundle);
                            guests.add(join.readAsUpserts() ? guests(join, bundle) : 0);
                        });
        if (!join.hasTtl()) {
            rules.end();
        }

        MaterialisedRows stock = run(join, false, events, backend, bundle -> {});
        assertThat(ours.rows()).as(description).isEqualTo(stock.rows());
        assertThat(stock.overdrawn())
                .as("overdrawn, %s", description)
                .containsAll(ours.overdrawn());
        assertThat(ours.changes() - 2 * guests.sum())
                .as("emitted rows, %d of which came and went, %s", guests.sum(), description)
                .isLessThanOrEqualTo(stock.changes());
    }

    /**
     * How many rows came and went within a bundle. Of upserts they are emitted, as a row from
     * before may go with them, where stock may have seen the row that hides them first.
     */
    private static long guests(JoinCase join, List<RowData> bundle) {
        return IntStream.range(1, bundle.size())
                .filter(i -> RowDataUtil.isRetractMsg(bundle.get(i)))
                .filter(i -> RowDataUtil.isAccumulateMsg(bundle.get(i - 1)))
                .filter(
                        i ->
                                fields(bundle.get(i), join.filters())
                                        .equals(fields(bundle.get(i - 1), join.filters())))
                .count();
    }

    private static List<Event> events(JoinCase join, Random random) {
        // Rows with a key as long as this soon are more than one value holds.
        String hotKey = random.nextInt(4) == 0 ? "hot".repeat(3_000) : "hot";
        RandomChangelog left = new RandomChangelog(join.left(), join.leftTtl(), hotKey, random);
        RandomChangelog right = new RandomChangelog(join.right(), join.rightTtl(), hotKey, random);
        int leftChanges = random.nextInt(150);
        int rightChanges = random.nextInt(150);
        long now = 1;
        List<Event> events = new ArrayList<>();
        while (leftChanges + rightChanges > 0 || left.isUpdating() || right.isUpdating()) {
            boolean isLeft =
                    left.isUpdating() && rightChanges == 0
                            || !(right.isUpdating() && leftChanges == 0)
                                    && random.nextInt(leftChanges + rightChanges) < leftChanges;
            if (isLeft) {
                leftChanges = Math.max(0, leftChanges - 1);
            } else {
                rightChanges = Math.max(0, rightChanges - 1);
            }
            events.add(new Change(isLeft, (isLeft ? left : right).next(now)));
            if (random.nextInt(40) == 0 && !left.isUpdating() && !right.isUpdating()) {
                // Rows of one time, or so far apart that chunks keep their ages apart.
                now += random.nextBoolean() ? 0 : JoinCase.LONGEST_TTL / 10 + random.nextInt(70);
                events.add(new Time(now));
            }
            if (random.nextInt(20) == 0) {
                events.add(new Idle());
            }
            if (random.nextInt(60) == 0) {
                events.add(new Restore());
            }
        }
        return events;
    }

    private static MaterialisedRows run(
            JoinCase join,
            boolean accelerated,
            List<Event> events,
            String backend,
            Consumer<List<RowData>> bundles)
            throws Exception {
        MaterialisedRows live = materialisedRows(join);
        OperatorSubtaskState snapshot = null;
        long now = 1;
        Iterator<Event> remaining = events.iterator();
        boolean done = false;
        while (!done) {
            try (var harness = harness(accelerated ? join.accelerated() : join.stock(), backend)) {
                harness.setup();
                setTime(harness, now);
                if (snapshot != null) {
                    harness.initializeState(snapshot);
                }
                harness.open();
                boolean restore = false;
                while (!restore && !(done = !remaining.hasNext())) {
                    Event event = remaining.next();
                    if (event instanceof Change change) {
                        StreamRecord<RowData> row = new StreamRecord<>(change.row.copy());
                        if (change.isLeft) {
                            harness.processElement1(row);
                        } else {
                            harness.processElement2(row);
                        }
                    } else if (event instanceof Time time) {
                        // Flushed first, as what a row meets is decided at the flush.
                        harness.processBothWatermarks(new Watermark(time.millis));
                        now = time.millis;
                        setTime(harness, now);
                    } else if (event instanceof Idle) {
                        IdleTask.idle(harness);
                    } else {
                        restore = true;
                    }
                    take(harness, live, bundles);
                }
                harness.prepareSnapshotPreBarrier(1);
                take(harness, live, bundles);
                snapshot = harness.snapshot(1, 1);
            }
        }
        return live;
    }

    private static void setTime(
            KeyedTwoInputStreamOperatorTestHarness<?, ?, ?, ?> harness, long millis)
            throws Exception {
        harness.setStateTtlProcessingTime(millis);
        harness.setProcessingTime(millis);
    }

    private static KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData>
            harness(TwoInputStreamOperator<RowData, RowData, RowData> operator, String backend)
                    throws Exception {
        Selector key = new Selector(JoinCase.KEY);
        var harness =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        operator, key, key, key.getProducedType());
        StateBackend stateBackend = TestBackends.of(backend);
        harness.setStateBackend(stateBackend);
        // Long keys make snapshots larger than the 5 MB that are allowed otherwise.
        harness.setCheckpointStorage(new JobManagerCheckpointStorage(1 << 28));
        return harness;
    }

    /** What happens to a join. */
    sealed interface Event {}

    record Change(boolean isLeft, BinaryRowData row) implements Event {}

    /** Processing time, and row time, advance. */
    record Time(long millis) implements Event {}

    /** From a checkpoint taken now. */
    /** The task has nothing to do for a moment. */
    record Idle() implements Event {}

    record Restore() implements Event {}

    /** What the result comes to. */
    static MaterialisedRows materialisedRows(JoinCase join) {
        return new MaterialisedRows(
                row -> fields(row, join.filters()),
                join.readAsUpserts() ? row -> ids(row, join.filters()) : null);
    }

    /** Takes what has been emitted since the last time. */
    private static void take(
            KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> harness,
            MaterialisedRows live,
            Consumer<List<RowData>> bundles) {
        List<RowData> rows = harness.extractOutputValues();
        harness.getOutput().clear();
        rows.forEach(live::take);
        bundles.accept(rows);
    }

    /** By which rows of a result are told apart when they are read as upserts. */
    static String ids(RowData row, boolean leftOnly) {
        return id(row, 0) + (leftOnly ? "" : "/" + id(row, 3));
    }

    private static String id(RowData row, int side) {
        return row.isNullAt(side + JoinCase.ID)
                ? "padded"
                : Long.toString(row.getLong(side + JoinCase.ID));
    }

    static String fields(RowData row, boolean leftOnly) {
        StringBuilder text = new StringBuilder();
        for (int side = 0; side < (leftOnly ? 3 : 6); side += 3) {
            text.append(row.isNullAt(side) ? "NULL" : row.getString(side).toString())
                    .append(',')
                    .append(id(row, side))
                    .append(',')
                    .append(
                            row.isNullAt(side + JoinCase.VALUE)
                                    ? "NULL"
                                    : row.getInt(side + JoinCase.VALUE))
                    .append(';');
        }
        return text.toString();
    }
}
