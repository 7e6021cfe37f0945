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
package io.stateaccel.views.join.interval;

import io.stateaccel.views.ViewContext;
import io.stateaccel.views.join.LiveRows.Cursor;
import io.stateaccel.views.join.MergedRecordView;
import io.stateaccel.views.join.SettledRecordView;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.RowLogs;
import io.stateaccel.views.join.log.SettledRows;
import io.stateaccel.views.join.log.StoredRows;
import io.stateaccel.views.join.records.MergedRecordViews;
import io.stateaccel.views.layout.StateLayout;
import io.stateaccel.views.time.SaturatedMath;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ObjLongConsumer;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * The rows of one side of an interval join, per join key in <em>buckets</em> of time: a row is
 * appended blind, a row of the other side finds its matches in one or two buckets, and a bucket is
 * dropped as a whole. Takes the place of the {@code MapState<time, List<row>>} of Flink's {@code
 * TimeIntervalJoin}, which is read from one end to the other for every row.
 *
 * <p>A bucket is one list in the state, under the join key and a namespace that says which bucket.
 * One that outgrows {@link RowLog#CHUNK_BYTES} is spread over chunks and read chunk by chunk, as in
 * the views of a regular join; each chunk has a namespace of its own, and is dropped on its own, so
 * that nobody needs to read a bucket to know what there is to drop.
 *
 * <p>Of a side whose rows an outer join keeps, a row is there until its own time is over and no
 * longer, as it is padded then, unless it is <em>settled</em>: it has had a match. That is appended
 * to the rows' chunk too, once it has been read for the match.
 *
 * <p>Buckets of different keys begin at different times, so that they do not all end at once.
 *
 * <p>Used by one task thread. Every call acts on the key that the operator has set as current and
 * has begun.
 */
public final class TimeBuckets {

    /** Of the namespace of a chunk: bucket and side, and the number of the chunk. */
    public static final TypeSerializer<Tuple2<Long, Integer>> CHUNK_SERIALIZER = chunkSerializer();

    /** The bucket shares a long with the side. */
    private static final long LEAST_WIDTH = 2;

    private final boolean isLeft;
    private final int timeColumn;
    private final long width;
    private final long retention;
    private final InternalListState<?, Tuple2<Long, Integer>, RowData> state;
    private final MergedRecordView view;

    /** The view, where rows are settled. */
    @Nullable private final SettledRecordView settledView;

    private final int arity;
    private final ObjLongConsumer<Tuple2<Long, Integer>> dropAt;

    private RowData joinKey;

    /** How much earlier than those of other keys the buckets of this key begin. */
    private long offset;

    private long bucket;

    private TimeBuckets(
            ViewContext context,
            String stateName,
            Spec spec,
            InternalListState<?, Tuple2<Long, Integer>, RowData> state,
            ObjLongConsumer<Tuple2<Long, Integer>> dropAt) {
        this.isLeft = spec.isLeft;
        this.timeColumn = spec.timeColumn;
        this.width = Math.max(LEAST_WIDTH, spec.width);
        this.retention = spec.retention;
        this.state = state;
        this.dropAt = dropAt;
        this.arity = spec.type.toRowSize();
        RowLog log = RowLogs.dropped(context, stateName, state, this::namespaceOf, this::schedule);
        this.settledView = spec.isOuter ? MergedRecordViews.settled(log, arity) : null;
        this.view = spec.isOuter ? settledView : MergedRecordViews.appended(log, arity);
    }

    /**
     * What the rows of a side are and how long they are kept.
     *
     * @param isLeft the side; no two have the same within an operator
     * @param isOuter whether rows without a match are wanted, so that rows are settled
     * @param type the rows of the side
     * @param timeColumn where a row has its time, in milliseconds, of any sign
     * @param width milliseconds of a bucket, the same as long as the state lives; less than two are
     *     two
     * @param retention milliseconds from a row's time to when it may be dropped
     */
    public record Spec(
            boolean isLeft,
            boolean isOuter,
            InternalTypeInfo<RowData> type,
            int timeColumn,
            long width,
            long retention) {}

    /**
     * @param context where the state is kept
     * @param stateName the name stock Flink gives this side's state, so that restoring a savepoint
     *     of the stock operator is refused by the backend and never starts empty
     * @param dropAt told of a chunk and of the time, in milliseconds, at which it is to be {@link
     *     #expire expired} with the current key as key; the same chunk may be named again whenever
     *     something is added to it
     * @throws io.stateaccel.views.layout.StateRefusedException when a snapshot holds the state in
     *     another layout
     */
    public static TimeBuckets create(
            ViewContext context,
            String stateName,
            Spec spec,
            ObjLongConsumer<Tuple2<Long, Integer>> dropAt)
            throws Exception {
        return new TimeBuckets(
                context,
                stateName,
                spec,
                context.layouts()
                        .open(
                                stateName,
                                spec.isOuter
                                        ? StateLayout.SETTLED_TIME_BUCKETS
                                        : StateLayout.TIME_BUCKETS,
                                () -> state(context, stateName, spec.type)),
                dropAt);
    }

    @SuppressWarnings("unchecked")
    private static InternalListState<?, Tuple2<Long, Integer>, RowData> state(
            ViewContext context, String stateName, InternalTypeInfo<RowData> type)
            throws Exception {
        return (InternalListState<?, Tuple2<Long, Integer>, RowData>)
                context.backend()
                        .getOrCreateKeyedState(
                                CHUNK_SERIALIZER,
                                new ListStateDescriptor<>(stateName, type.toRowSerializer()));
    }

    /** Whether a chunk that is due is one of a left side. */
    public static boolean isOfLeftSide(Tuple2<Long, Integer> chunk) {
        return (chunk.f0 & 1) == 0;
    }

    /**
     * Starts a key.
     *
     * @param joinKey the current key; may be kept
     */
    public void begin(RowData joinKey) {
        this.joinKey = joinKey;
        // Part of where a row is stored: the hash of a key's bytes is the same in every JVM.
        offset = Math.floorMod(joinKey.hashCode() * 0x9E3779B97F4A7C15L, width);
    }

    /**
     * The bucket of a time; buckets of later times have larger numbers, and neighbours differ by
     * one.
     */
    public long bucketOf(long time) {
        return Math.floorDiv(SaturatedMath.add(time, offset), width);
    }

    /** When a bucket is dropped: the rows of an earlier one are not there any more. */
    public long dropTime(long bucket) {
        // Beyond it the end of the bucket overflows.
        boolean isLast = bucket >= Math.floorDiv(Long.MAX_VALUE, width) - 1;
        return isLast
                ? Long.MAX_VALUE
                : SaturatedMath.add((bucket + 1) * width - offset - 1, retention);
    }

    /** Whether a row of an outer side is padded by now, or would be; of others buckets tell. */
    public boolean isOver(RowData row, long watermark) {
        return settledView != null && dueOf(row) <= watermark;
    }

    private long dueOf(RowData row) {
        return SaturatedMath.add(timeOf(row), retention);
    }

    /**
     * Goes through the rows of a bucket that is not dropped yet.
     *
     * @param visitor sees the chunks; of a side that is not outer it settles none
     */
    public void visit(long bucket, SettledRecordView.Visitor visitor) throws Exception {
        RowData entered = enter(bucket);
        if (settledView != null) {
            settledView.visit(entered, visitor);
            return;
        }
        Cursor cursor = view.records(entered).open();
        BitSet none = new BitSet(0);
        List<RowData> chunk;
        while ((chunk = cursor.next()) != null) {
            visitor.visit(chunk, none);
        }
    }

    /**
     * Appends rows without reading.
     *
     * @param rows {@code BinaryRowData} by ascending time; they belong to the view from now on. Of
     *     an outer side they are settled if {@link SettledRows#isSettled} says so
     */
    public void append(List<RowData> rows) throws Exception {
        int from = 0;
        while (from < rows.size()) {
            long first = bucketOf(timeOf(rows.get(from)));
            int to = from + 1;
            while (to < rows.size() && bucketOf(timeOf(rows.get(to))) == first) {
                to++;
            }
            view.apply(enter(first), rows.subList(from, to));
            from = to;
        }
    }

    /**
     * Drops a chunk, or schedules it anew if rows are kept longer than when it was scheduled, or if
     * some are that were not the first to be over.
     *
     * @param time for which it was scheduled
     * @param watermark not before that
     * @param unmatched takes the rows of an outer side that are over and have had no match
     */
    public void expire(
            Tuple2<Long, Integer> chunk, long time, long watermark, Consumer<RowData> unmatched)
            throws Exception {
        long end = dropTime(chunk.f0 >> 1);
        if (settledView != null) {
            expireRows(chunk, end, watermark, unmatched);
        } else if (end > time) {
            dropAt.accept(chunk, end);
        } else {
            drop(chunk);
        }
    }

    private void expireRows(
            Tuple2<Long, Integer> chunk, long end, long watermark, Consumer<RowData> unmatched)
            throws Exception {
        state.setCurrentNamespace(chunk);
        Iterable<RowData> stored = state.get();
        if (stored == null) {
            return;
        }
        List<RowData> records = new ArrayList<>();
        stored.forEach(records::add);
        SettledRows rows = SettledRows.of(records);
        // Where other chunks are is known as long as the bucket is there.
        boolean isNeeded = StoredRows.isMarker(records.get(0)) && end > watermark;
        long next = Long.MAX_VALUE;
        for (int i = 0; i < rows.rows().size(); i++) {
            RowData row = rows.rows().get(i);
            boolean isSettled = rows.settled().get(i);
            if (dueOf(row) > watermark) {
                isNeeded = true;
                next = isSettled ? next : Math.min(next, dueOf(row));
            } else if (!isSettled) {
                unmatched.accept(row);
                rows.settled().set(i);
            }
        }
        if (!isNeeded) {
            drop(chunk);
            return;
        }
        List<RowData> news = rows.news(arity);
        if (!news.isEmpty()) {
            state.setCurrentNamespace(chunk);
            state.addAll(news);
        }
        dropAt.accept(chunk, Math.min(next, end));
    }

    private void drop(Tuple2<Long, Integer> chunk) {
        state.setCurrentNamespace(chunk);
        state.clear();
    }

    private long timeOf(RowData row) {
        return row.getLong(timeColumn);
    }

    /** Returns what tells the bucket from all others of this side. */
    private RowData enter(long bucket) {
        this.bucket = bucket;
        return new JoinedRowData(joinKey, GenericRowData.of(bucket));
    }

    private Tuple2<Long, Integer> namespaceOf(int chunk) {
        return Tuple2.of(bucket << 1 | (isLeft ? 0 : 1), chunk);
    }

    /** A chunk is due when the first of its rows is that is not settled, else with its bucket. */
    private void schedule(List<RowData> written, int chunk) {
        long due = dropTime(bucket);
        boolean isDue = settledView == null;
        if (settledView != null) {
            for (RowData record : written) {
                if (!SettledRows.isRow(record)) {
                    isDue |= StoredRows.isMarker(record);
                    continue;
                }
                isDue = true;
                if (!SettledRows.isSettled(record)) {
                    due = Math.min(due, dueOf(record));
                }
            }
        }
        if (isDue) {
            dropAt.accept(namespaceOf(chunk), due);
        }
    }

    @SuppressWarnings("unchecked")
    private static TypeSerializer<Tuple2<Long, Integer>> chunkSerializer() {
        return new TupleSerializer<>(
                (Class<Tuple2<Long, Integer>>) (Class<?>) Tuple2.class,
                new TypeSerializer<?>[] {LongSerializer.INSTANCE, IntSerializer.INSTANCE});
    }
}
