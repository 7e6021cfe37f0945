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
import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.MergedRecordView;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.RowLogs;
import io.stateaccel.views.join.records.MergedRecordViews;
import io.stateaccel.views.layout.StateLayout;
import io.stateaccel.views.time.SaturatedMath;
import java.util.List;
import java.util.function.ObjLongConsumer;
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
        this.view =
                MergedRecordViews.appended(
                        RowLogs.dropped(
                                context, stateName, state, this::namespaceOf, this::scheduleDrop),
                        spec.type.toRowSize());
    }

    /**
     * What the rows of a side are and how long they are kept.
     *
     * @param isLeft the side; no two have the same within an operator
     * @param type the rows of the side
     * @param timeColumn where a row has its time, in milliseconds, of any sign
     * @param width milliseconds of a bucket, the same as long as the state lives; less than two are
     *     two
     * @param retention milliseconds from a row's time to when it may be dropped
     */
    public record Spec(
            boolean isLeft,
            InternalTypeInfo<RowData> type,
            int timeColumn,
            long width,
            long retention) {}

    /**
     * @param context where the state is kept
     * @param stateName the name stock Flink gives this side's state, so that restoring a savepoint
     *     of the stock operator is refused by the backend and never starts empty
     * @param dropAt told of a chunk and of the event time, in milliseconds, at which it is to be
     *     {@link #dropUnlessLater dropped} with the current key as key; the same chunk is named
     *     again whenever something is added to it, with the same time
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
                                StateLayout.TIME_BUCKETS,
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

    /**
     * The rows of a bucket that is not dropped yet.
     *
     * @return what is valid until another bucket, or another key, is asked for
     */
    public LiveRows rows(long bucket) throws Exception {
        return view.records(enter(bucket));
    }

    /**
     * Appends rows without reading.
     *
     * @param rows {@code BinaryRowData} by ascending time; they belong to the view from now on
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
     * Drops a chunk, or schedules it anew if rows are kept longer than when it was scheduled.
     *
     * @param now the event time for which it was scheduled
     */
    public void dropUnlessLater(Tuple2<Long, Integer> chunk, long now) {
        long due = dropTime(chunk.f0 >> 1);
        if (due > now) {
            dropAt.accept(chunk, due);
            return;
        }
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

    private void scheduleDrop(int chunk) {
        dropAt.accept(namespaceOf(chunk), dropTime(bucket));
    }

    @SuppressWarnings("unchecked")
    private static TypeSerializer<Tuple2<Long, Integer>> chunkSerializer() {
        return new TupleSerializer<>(
                (Class<Tuple2<Long, Integer>>) (Class<?>) Tuple2.class,
                new TypeSerializer<?>[] {LongSerializer.INSTANCE, IntSerializer.INSTANCE});
    }
}
