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
package io.stateaccel.operators.join.interval;

import io.stateaccel.operators.bundle.ArrivalColumn;
import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.operators.join.JoinSideInput;
import io.stateaccel.operators.join.interval.SideRows.LateRow;
import io.stateaccel.views.join.interval.TimeBuckets;
import io.stateaccel.views.join.log.SettledRows;
import io.stateaccel.views.layout.StateRefusedException;
import io.stateaccel.views.time.SaturatedMath;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.generated.JoinCondition;
import org.apache.flink.table.runtime.operators.join.OuterJoinPaddingUtil;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/**
 * Interval join, INNER or outer, that works on bundles. Rows are buffered by join key; a flush
 * visits every key once, reads the {@link TimeBuckets} its rows reach into once, joins in memory
 * and appends blind. Takes the place of Flink's {@code RowTimeIntervalJoin} and {@code
 * ProcTimeIntervalJoin}, which go through all rows of the key for every row.
 *
 * <p>By row time, rows that are on time, later than the watermark and than 1970, are joined exactly
 * as by Flink. For late rows:
 *
 * <ul>
 *   <li>A row is stored under Flink's condition: while the watermark has not reached the last time
 *       at which the other side may match it. It matches what was stored before it, whether in the
 *       same bundle or not; so the result does not depend on the bundles.
 *   <li>A stored row can be matched at least until the watermark reaches the row's time, plus how
 *       far it reaches into the other side, plus the minimum clean-up interval, plus 1; and at most
 *       one bucket, which is as wide as the interval, longer. Flink gives a row as long, but also
 *       less or more: it cleans a key when it is visited, and not before the first of its rows is
 *       due, however far ahead that one is. So a late row may find what Flink has already cleaned
 *       away; it misses nothing that Flink finds but rows which Flink keeps beyond that time.
 * </ul>
 *
 * <p>Of a side whose rows are in the result without a match too, a row is padded as soon as it is
 * certain that none comes: at once if it is not stored, and else when the watermark reaches the end
 * of the time that is said above. From then on it is not found any more. Flink pads it then, or
 * when it next visits the key.
 *
 * <p>By processing time a row has the time at which it came, which is kept with it as one more
 * column: whenever its bundle ends, it is joined as Flink does at once. Timers of the state come
 * when the clock passes them and not at the end of a bundle. So rows of the key that are in the
 * bundle are worked off first, and what a timer drops or pads can have no match in rows that came
 * before it.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public class MiniBatchIntervalJoinOperator extends BundlingOperator
        implements TwoInputStreamOperator<RowData, RowData, RowData>,
                Triggerable<RowData, Tuple2<Long, Integer>> {

    private static final long serialVersionUID = 1L;

    /** That of the stock operator, as are the names of the states. */
    private static final String TIMERS = "user-timers";

    private static final String BUCKET_WIDTH = "width";

    /** More of them cost more than to start anew. */
    private static final long MOST_BUCKETS_PER_ROW = 100;

    private final MiniBatchIntervalJoinSpec spec;

    private transient long bucketWidth;
    private transient IntervalSide left;
    private transient IntervalSide right;
    private transient InternalTimerService<Tuple2<Long, Integer>> timers;
    private transient JoinCondition condition;
    private transient Collector<RowData> collector;
    private transient JoinedRowData joined;
    private transient OuterJoinPaddingUtil padding;

    private transient Map<RowData, KeyRows> bundle;

    /**
     * @param spec what to join and how
     */
    public MiniBatchIntervalJoinOperator(MiniBatchIntervalJoinSpec spec) {
        super(
                spec.isByArrival()
                        ? OperatorKind.PROCESSING_TIME_INTERVAL_JOIN
                        : OperatorKind.INTERVAL_JOIN,
                spec.bundle(),
                spec.left().keySelector().getProducedType(),
                spec.maxOutputDelay());
        this.spec = spec;
    }

    /**
     * Buckets keep the width they had in the first place, as the state is laid out by it: a job may
     * be restored with another interval.
     */
    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        super.initializeState(context);
        BroadcastState<String, Long> settings =
                context.getOperatorStateStore()
                        .getBroadcastState(
                                new MapStateDescriptor<>(
                                        "IntervalJoinBuckets",
                                        StringSerializer.INSTANCE,
                                        LongSerializer.INSTANCE));
        if (!settings.contains(BUCKET_WIDTH)) {
            // No row reaches into more than two.
            settings.put(BUCKET_WIDTH, SaturatedMath.add(spec.size(), 1));
        }
        bucketWidth = settings.get(BUCKET_WIDTH);
        if (spec.size() / bucketWidth > MOST_BUCKETS_PER_ROW) {
            throw new StateRefusedException(
                    String.format(
                            "The state of '%s' was laid out for an interval of %d ms, which is too"
                                    + " short for one of %d ms. Start the job without that"
                                    + " snapshot, or with the interval that it had.",
                            getRuntimeContext().getTaskInfo().getTaskName(),
                            bucketWidth - 1,
                            spec.size()));
        }
    }

    @Override
    public void open() throws Exception {
        super.open();
        left = sideOf(true, spec.left(), "IntervalJoinLeftCache", -spec.upper(), -spec.lower());
        right = sideOf(false, spec.right(), "IntervalJoinRightCache", spec.lower(), spec.upper());
        timers = getInternalTimerService(TIMERS, TimeBuckets.CHUNK_SERIALIZER, this);

        condition = spec.condition().newInstance(getRuntimeContext().getUserCodeClassLoader());
        condition.setRuntimeContext(getRuntimeContext());
        condition.open(DefaultOpenContext.INSTANCE);
        collector = collector();
        joined = new JoinedRowData();
        padding =
                new OuterJoinPaddingUtil(
                        spec.left().type().toRowSize(), spec.right().type().toRowSize());

        bundle = new LinkedHashMap<>();
    }

    private IntervalSide sideOf(
            boolean isLeft, IntervalJoinSideSpec side, String stateName, long earliest, long latest)
            throws Exception {
        long retention = SaturatedMath.add(latest, SaturatedMath.add(spec.minCleanUpInterval(), 1));
        ArrivalColumn arrival = spec.isByArrival() ? new ArrivalColumn(side.type()) : null;
        TimeBuckets buckets =
                TimeBuckets.create(
                        viewContext(false),
                        stateName,
                        new TimeBuckets.Spec(
                                isLeft,
                                side.isOuter(),
                                arrival == null ? side.type() : arrival.type(),
                                arrival == null ? side.timeColumn() : arrival.index(),
                                bucketWidth,
                                retention),
                        this::registerTimer);
        JoinSideInput input =
                new JoinSideInput(
                        side.type(),
                        side.keySelector(),
                        spec.filterNullKeys(),
                        getExecutionConfig().isObjectReuseEnabled());
        return new IntervalSide(
                isLeft,
                side.isOuter(),
                input,
                buckets,
                arrival,
                side.timeColumn(),
                earliest,
                latest);
    }

    private void registerTimer(Tuple2<Long, Integer> chunk, long time) {
        if (spec.isByArrival()) {
            timers.registerProcessingTimeTimer(chunk, time);
        } else {
            timers.registerEventTimeTimer(chunk, time);
        }
    }

    /** The time by which a row that comes now may be late. */
    private long now() {
        return spec.isByArrival()
                ? getProcessingTimeService().getCurrentProcessingTime()
                // Flink's clock starts in 1970.
                : Math.max(0, timers.currentWatermark());
    }

    /**
     * The time by which a stored row may be over for rows of the bundle. By processing time none is
     * as long as it is stored.
     */
    private long bundleTime() {
        return spec.isByArrival() ? Long.MIN_VALUE : timers.currentWatermark();
    }

    @Override
    public void processElement1(StreamRecord<RowData> element) throws Exception {
        add(left, element.getValue());
    }

    @Override
    public void processElement2(StreamRecord<RowData> element) throws Exception {
        add(right, element.getValue());
    }

    private void add(IntervalSide side, RowData received) throws Exception {
        RowData key = side.input.keyOf(received);
        if (side.input.matchesNothing(key)) {
            if (side.isOuter) {
                collector.collect(padded(side, received));
            }
            return;
        }
        long bytes = 0;
        KeyRows rows = bundle.get(key);
        if (rows == null) {
            rows = new KeyRows();
            bundle.put(key, rows);
            bytes = HeapBytes.ofKey(key);
        }
        SideRows own = side.isLeft ? rows.left : rows.right;
        // The bundle is flushed before the watermark advances.
        long now = now();
        BinaryRowData row = side.toKeep(received, now);
        // Whether it has a match, from now on.
        row.setRowKind(RowKind.INSERT);
        if (now < side.latestMatch(row)) {
            own.add(row);
        } else {
            own.addLate(row, side.isLeft ? rows.right : rows.left);
        }
        rowAdded(key, bytes + HeapBytes.ofRow(row));
    }

    @Override
    protected void finishBundle() throws Exception {
        for (Map.Entry<RowData, KeyRows> entry : bundle.entrySet()) {
            setCurrentKey(entry.getKey());
            visit(entry.getKey(), entry.getValue());
        }
        bundle.clear();
    }

    /**
     * @param key the current one
     */
    private void visit(RowData key, KeyRows rows) throws Exception {
        SideRows leftRows = rows.left;
        SideRows rightRows = rows.right;
        visited(1, leftRows.kept().size() + rightRows.kept().size());
        left.buckets.begin(key);
        right.buckets.begin(key);

        joinLate(left, leftRows, right, rightRows);
        joinLate(right, rightRows, left, leftRows);
        left.sort(leftRows.kept());
        right.sort(rightRows.kept());
        emitPairs(left, leftRows.kept(), right, rightRows.kept());
        joinStored(left, leftRows.all(), right);
        joinStored(right, rightRows.all(), left);
        padLate(left, leftRows);
        padLate(right, rightRows);
        left.buckets.append(leftRows.kept());
        right.buckets.append(rightRows.kept());
    }

    /** Joins late rows with what came before them in the bundle. */
    private void joinLate(
            IntervalSide side, SideRows rows, IntervalSide otherSide, SideRows otherRows) {
        for (LateRow late : rows.late()) {
            emitPairs(
                    side,
                    Collections.singletonList(late.row()),
                    otherSide,
                    otherRows.kept().subList(0, late.othersBefore()));
        }
    }

    /** Late rows without a match never have one, as they are not stored. */
    private void padLate(IntervalSide side, SideRows rows) {
        if (side.isOuter) {
            for (LateRow late : rows.late()) {
                if (!SettledRows.isSettled(late.row())) {
                    pad(side, late.row());
                }
            }
        }
    }

    private void pad(IntervalSide side, RowData row) {
        collector.collect(padded(side, side.asItCame(row)));
    }

    private RowData padded(IntervalSide side, RowData row) {
        return side.isLeft ? padding.padLeft(row) : padding.padRight(row);
    }

    /** Joins rows with the other side's before the bundle. */
    private void joinStored(IntervalSide side, List<RowData> rows, IntervalSide otherSide)
            throws Exception {
        side.sort(rows);
        TimeBuckets buckets = otherSide.buckets;
        long next = Long.MIN_VALUE;
        for (int i = 0; i < rows.size(); i++) {
            RowData row = rows.get(i);
            long last = buckets.bucketOf(side.latestMatch(row));
            long bucket = Math.max(next, buckets.bucketOf(side.earliestMatch(row)));
            for (; bucket <= last; bucket++) {
                if (buckets.dropTime(bucket) > bundleTime()) {
                    buckets.visit(
                            bucket,
                            (others, settled) ->
                                    emitPairs(side, rows, otherSide, others, settled::set));
                }
            }
            next = bucket;
        }
    }

    /** Joins rows of the bundle with rows of the bundle. */
    private void emitPairs(
            IntervalSide side, List<RowData> rows, IntervalSide otherSide, List<RowData> others) {
        emitPairs(side, rows, otherSide, others, other -> otherSide.matched(others.get(other)));
    }

    /**
     * @param rows by ascending time, of the bundle
     * @param others in any order
     * @param otherMatched told of those of an outer side that match
     */
    private void emitPairs(
            IntervalSide side,
            List<RowData> rows,
            IntervalSide otherSide,
            List<RowData> others,
            IntConsumer otherMatched) {
        for (int o = 0; o < others.size(); o++) {
            RowData other = others.get(o);
            if (otherSide.buckets.isOver(other, bundleTime())) {
                continue;
            }
            long latest = otherSide.latestMatch(other);
            int i = side.firstNotBefore(otherSide.earliestMatch(other), rows);
            for (; i < rows.size() && side.timeOf(rows.get(i)) <= latest; i++) {
                RowData leftRow = side.isLeft ? rows.get(i) : other;
                RowData rightRow = side.isLeft ? other : rows.get(i);
                if (condition.apply(leftRow, rightRow)) {
                    collector.collect(
                            joined.replace(left.asItCame(leftRow), right.asItCame(rightRow)));
                    side.matched(rows.get(i));
                    if (otherSide.isOuter) {
                        otherMatched.accept(o);
                    }
                }
            }
        }
    }

    /**
     * A chunk is not needed any more, unless the interval has become longer in a restore, or rows
     * of it are without a match now.
     */
    @Override
    public void onEventTime(InternalTimer<RowData, Tuple2<Long, Integer>> timer) throws Exception {
        expire(timer, timers.currentWatermark());
    }

    @Override
    public void onProcessingTime(InternalTimer<RowData, Tuple2<Long, Integer>> timer)
            throws Exception {
        RowData key = timer.getKey();
        KeyRows rows = bundle.remove(key);
        if (rows != null) {
            visit(key, rows);
        }
        expire(timer, timer.getTimestamp());
    }

    private void expire(InternalTimer<RowData, Tuple2<Long, Integer>> timer, long now)
            throws Exception {
        Tuple2<Long, Integer> chunk = timer.getNamespace();
        IntervalSide side = TimeBuckets.isOfLeftSide(chunk) ? left : right;
        side.buckets.begin(timer.getKey());
        side.buckets.expire(chunk, timer.getTimestamp(), now, row -> pad(side, row));
    }

    @Override
    protected boolean timersMayBeInterrupted() {
        return true;
    }

    @Override
    public void close() throws Exception {
        if (condition != null) {
            condition.close();
        }
        super.close();
    }

    /** The buffered rows of one join key. */
    private static final class KeyRows {
        final SideRows left = new SideRows();
        final SideRows right = new SideRows();
    }
}
