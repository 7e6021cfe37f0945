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
package io.stateaccel.benchmarks;

import io.stateaccel.views.join.interval.TimeBuckets;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.HdrHistogram.Histogram;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalListState;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * Reads the state of a join's left side from outside the operator, through Flink's state API, and
 * times each access by itself with {@link System#nanoTime}: finding the key, in our state cache or
 * in RocksDB, and deserialising what is there. It chooses its keys by random numbers of its own, so
 * that all variants are asked for the same ones, and knows what is to be found.
 *
 * <p>Must not be used while a bundle is under way. Used by the task thread.
 */
abstract sealed class WideJoinProbe {

    /** What is timed. Seek and next are there in maps only: a list is read as a whole. */
    enum Access {
        /**
         * All rows of one time (of a map), or of the bucket of one time, of a key that is there.
         */
        GET,

        /** The same of a key that is not there. */
        ABSENT_GET,

        /**
         * From opening an iterator over a key's map to knowing that there is an entry; Flink's, and
         * ours, read up to 128 of them in that.
         */
        SEEK,

        /** The same of a key that is not there. */
        ABSENT_SEEK,

        /** Another entry of a busy key, and its value. */
        NEXT,

        /** What the operator reads for a right row of now that has one match. */
        MATCHES,

        /** The same where the left side has no such key. */
        ABSENT_MATCHES,

        /** The same for a busy key. */
        BUSY_MATCHES
    }

    private static final String LEFT_STATE = "IntervalJoinLeftCache";
    private static final LongColumn KEY_OF = new LongColumn(0);
    private static final int DIGITS = 3;

    private final KeyedStateBackend<RowData> backend;
    private final WideJoinStream stream;
    private final Random choice = new Random(7);
    private final Map<Access, Histogram> nanos = new EnumMap<>(Access.class);

    private WideJoinProbe(KeyedStateBackend<RowData> backend, WideJoinStream stream) {
        this.backend = backend;
        this.stream = stream;
        for (Access access : Access.values()) {
            nanos.put(access, new Histogram(DIGITS));
        }
    }

    /**
     * @param join whose state is read
     * @param backend holds it
     * @param stream what the operator has been fed with
     */
    static WideJoinProbe of(
            IntervalJoin join,
            KeyedStateBackend<RowData> backend,
            WideJoinStream stream,
            long interval)
            throws Exception {
        return switch (join) {
            case STOCK -> new OfMap(backend, stream, interval);
            case MINI_BATCH -> new OfBuckets(backend, stream, interval);
        };
    }

    /**
     * Times each access once.
     *
     * @throws IllegalStateException when something is not there, or there, that should not be
     */
    final void probe() throws Exception {
        long present = stream.timeOfSomeLeftRow(choice);
        long now = stream.time();

        BinaryRowData key = setKey(WideJoinStream.ownKey(present));
        long start = System.nanoTime();
        int found = get(key, present);
        record(Access.GET, start);
        check(found == 1);

        key = setKey(WideJoinStream.absentKey(choice));
        start = System.nanoTime();
        found = get(key, present);
        record(Access.ABSENT_GET, start);
        check(found == 0);

        key = setKey(WideJoinStream.ownKey(stream.timeOfSomeLeftRow(choice)));
        start = System.nanoTime();
        found = matches(key, now);
        record(Access.MATCHES, start);
        check(found == 1);

        key = setKey(WideJoinStream.absentKey(choice));
        start = System.nanoTime();
        found = matches(key, now);
        record(Access.ABSENT_MATCHES, start);
        check(found == 0);

        key = setKey(stream.someBusyKey(choice));
        start = System.nanoTime();
        matches(key, now);
        record(Access.BUSY_MATCHES, start);

        // Drawn even where they are not needed, so that all variants go on alike.
        iterate(
                WideJoinStream.ownKey(stream.timeOfSomeLeftRow(choice)),
                WideJoinStream.absentKey(choice),
                stream.someBusyKey(choice));
    }

    /** What was measured so far, in nanoseconds. */
    final Map<Access, Histogram> nanos() {
        return nanos;
    }

    /** The rows found with, or in the bucket of, a time of the current key. */
    abstract int get(BinaryRowData key, long time) throws Exception;

    /** The rows of the current key that a right row of this time matches. */
    abstract int matches(BinaryRowData key, long time) throws Exception;

    /**
     * Times seeks and nexts, if there are any, at keys of which there are one, no and some rows.
     */
    abstract void iterate(long present, long absent, long busy) throws Exception;

    final BinaryRowData setKey(long key) {
        BinaryRowData row = (BinaryRowData) KEY_OF.getKey(GenericRowData.of(key));
        backend.setCurrentKey(row);
        return row;
    }

    final void record(Access access, long start) {
        nanos.get(access).recordValue(System.nanoTime() - start);
    }

    static void check(boolean isRight) {
        if (!isRight) {
            throw new IllegalStateException("a read returned the wrong thing");
        }
    }

    /** Flink's operator: per key a map from time to the rows of that time. */
    private static final class OfMap extends WideJoinProbe {
        private final long interval;
        private final MapState<Long, List<Tuple2<RowData, Boolean>>> rows;

        OfMap(KeyedStateBackend<RowData> backend, WideJoinStream stream, long interval)
                throws Exception {
            super(backend, stream);
            this.interval = interval;
            // The operator has registered it: of the descriptor only the name is looked at.
            rows =
                    backend.getPartitionedState(
                            VoidNamespace.INSTANCE,
                            VoidNamespaceSerializer.INSTANCE,
                            new MapStateDescriptor<>(
                                    LEFT_STATE,
                                    Types.LONG,
                                    Types.LIST(Types.TUPLE(IntervalStream.ROW, Types.BOOLEAN))));
        }

        @Override
        int get(BinaryRowData key, long time) throws Exception {
            List<?> found = rows.get(time);
            return found == null ? 0 : found.size();
        }

        @Override
        int matches(BinaryRowData key, long time) throws Exception {
            int matches = 0;
            for (Map.Entry<Long, List<Tuple2<RowData, Boolean>>> entry : rows.entries()) {
                if (Math.abs(entry.getKey() - time) <= interval) {
                    matches += entry.getValue().size();
                }
            }
            return matches;
        }

        @Override
        void iterate(long present, long absent, long busy) throws Exception {
            setKey(present);
            check(seek(Access.SEEK));
            setKey(absent);
            check(!seek(Access.ABSENT_SEEK));
            setKey(busy);
            Iterator<Map.Entry<Long, List<Tuple2<RowData, Boolean>>>> entries = rows.iterator();
            if (entries.hasNext()) {
                entries.next();
            }
            long start = System.nanoTime();
            while (entries.hasNext()) {
                check(!entries.next().getValue().isEmpty());
                record(Access.NEXT, start);
                start = System.nanoTime();
            }
        }

        private boolean seek(Access access) throws Exception {
            long start = System.nanoTime();
            boolean found = rows.iterator().hasNext();
            record(access, start);
            return found;
        }
    }

    /** Our operator: per key and bucket of time a list. */
    private static final class OfBuckets extends WideJoinProbe {
        private final long interval;
        private final InternalListState<?, Tuple2<Long, Integer>, RowData> rows;

        @SuppressWarnings("unchecked")
        OfBuckets(KeyedStateBackend<RowData> backend, WideJoinStream stream, long interval)
                throws Exception {
            super(backend, stream);
            this.interval = interval;
            // The operator has registered it: of the descriptor only the name is looked at.
            rows =
                    (InternalListState<?, Tuple2<Long, Integer>, RowData>)
                            backend.getOrCreateKeyedState(
                                    TimeBuckets.CHUNK_SERIALIZER,
                                    new ListStateDescriptor<>(LEFT_STATE, IntervalStream.ROW));
        }

        @Override
        int get(BinaryRowData key, long time) throws Exception {
            return matchesIn(bucketOf(key, time), time);
        }

        @Override
        int matches(BinaryRowData key, long time) throws Exception {
            int matches = 0;
            long last = bucketOf(key, time + interval);
            for (long bucket = bucketOf(key, time - interval); bucket <= last; bucket++) {
                matches += matchesIn(bucket, time);
            }
            return matches;
        }

        @Override
        void iterate(long present, long absent, long busy) {}

        /** No bucket of this stream is long enough to have more than the first chunk. */
        private int matchesIn(long bucket, long time) throws Exception {
            rows.setCurrentNamespace(Tuple2.of(bucket << 1, 0));
            Iterable<RowData> found = rows.get();
            int matches = 0;
            if (found != null) {
                for (RowData row : found) {
                    if (Math.abs(row.getLong(IntervalStream.TIME) - time) <= interval) {
                        matches++;
                    }
                }
            }
            return matches;
        }

        /** As {@link TimeBuckets} numbers them; with other numbers no row would be found. */
        private long bucketOf(BinaryRowData key, long time) {
            long width = 2 * interval + 1;
            long offset = Math.floorMod(key.hashCode() * 0x9E3779B97F4A7C15L, width);
            return Math.floorDiv(time + offset, width);
        }
    }
}
