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
package io.stateaccel.operators.aggregate;

import io.stateaccel.operators.join.JoinCase;
import java.util.HashMap;
import java.util.Map;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.table.api.dataview.MapView;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RawValueData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.dataview.StateDataViewStore;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RawType;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * Aggregates of the results of a {@link JoinCase}, as the planner would generate them. The first
 * field of all accumulators and results counts rows.
 */
public final class TestAggregates extends GeneratedAggsHandleFunction {

    /** What {@link Kind#TEXT} makes of each group. */
    public static final int TEXT_LENGTH = 8_000;

    public enum Kind {
        /** {@code SUM(l.v)}. */
        SUM,

        /** A long text, the same for all rows. */
        TEXT,

        /** {@code COUNT(DISTINCT l.id), MIN(l.id)} over a view in state. */
        DISTINCT,

        /** How often there is which {@code l.id}, on the heap. */
        IDS_ON_HEAP;

        public LogicalType[] accumulatorTypes() {
            return new LogicalType[] {
                new BigIntType(),
                switch (this) {
                    case SUM, DISTINCT -> new BigIntType();
                    case TEXT -> VarCharType.STRING_TYPE;
                    case IDS_ON_HEAP -> rawMap();
                }
            };
        }

        /** Of the result. */
        public LogicalType[] valueTypes() {
            return this == DISTINCT
                    ? new LogicalType[] {new BigIntType(), new BigIntType(), new BigIntType()}
                    : accumulatorTypes();
        }

        @SuppressWarnings({"rawtypes", "unchecked"})
        private static LogicalType rawMap() {
            return new RawType(
                    HashMap.class, new KryoSerializer<>(HashMap.class, new SerializerConfigImpl()));
        }
    }

    private static final long serialVersionUID = 1L;

    private final Kind kind;

    public TestAggregates(Kind kind) {
        super("TestAggregates", "", new Object[0]);
        this.kind = kind;
    }

    @Override
    public AggsHandleFunction newInstance(ClassLoader classLoader) {
        return switch (kind) {
            case SUM -> new Sum();
            case TEXT -> new Text();
            case DISTINCT -> new Distinct();
            case IDS_ON_HEAP -> new IdsOnHeap();
        };
    }

    /** Counts rows; what else there is of a group is the second field. */
    private abstract static class Counting implements AggsHandleFunction {

        long count;

        abstract Object second();

        abstract void setSecond(RowData accumulator);

        abstract void add(RowData row, int sign) throws Exception;

        @Override
        public void open(StateDataViewStore store) throws Exception {}

        @Override
        public void accumulate(RowData row) throws Exception {
            count++;
            add(row, 1);
        }

        @Override
        public void retract(RowData row) throws Exception {
            count--;
            add(row, -1);
        }

        @Override
        public void merge(RowData accumulator) {
            throw new UnsupportedOperationException("Not a second phase");
        }

        @Override
        public void setAccumulators(RowData accumulator) {
            count = accumulator.getLong(0);
            setSecond(accumulator);
        }

        @Override
        public RowData getAccumulators() {
            return GenericRowData.of(count, second());
        }

        @Override
        public RowData createAccumulators() {
            return GenericRowData.of(0L, 0L);
        }

        @Override
        public void resetAccumulators() throws Exception {
            setAccumulators(createAccumulators());
        }

        @Override
        public RowData getValue() throws Exception {
            return getAccumulators();
        }

        @Override
        public void setWindowSize(int windowSize) {}

        @Override
        public void cleanup() throws Exception {}

        @Override
        public void close() {}
    }

    private static final class Sum extends Counting {
        private long sum;

        @Override
        Object second() {
            return sum;
        }

        @Override
        void setSecond(RowData accumulator) {
            sum = accumulator.getLong(1);
        }

        @Override
        void add(RowData row, int sign) {
            sum += sign * row.getInt(JoinCase.VALUE);
        }
    }

    private static final class Text extends Counting {
        private StringData text;

        @Override
        Object second() {
            return text;
        }

        @Override
        void setSecond(RowData accumulator) {
            text = accumulator.isNullAt(1) ? null : accumulator.getString(1);
        }

        @Override
        public RowData createAccumulators() {
            return GenericRowData.of(0L, null);
        }

        @Override
        void add(RowData row, int sign) {
            if (text == null) {
                text = StringData.fromBytes(new byte[TEXT_LENGTH]);
            }
        }
    }

    private static final class Distinct extends Counting {
        private MapView<Long, Long> ids;
        private long distinct;

        @Override
        public void open(StateDataViewStore store) throws Exception {
            ids =
                    store.getStateMapView(
                            "ids", true, LongSerializer.INSTANCE, LongSerializer.INSTANCE);
        }

        @Override
        Object second() {
            return distinct;
        }

        @Override
        void setSecond(RowData accumulator) {
            distinct = accumulator.getLong(1);
        }

        @Override
        void add(RowData row, int sign) throws Exception {
            long id = row.getLong(JoinCase.ID);
            Long before = ids.get(id);
            long after = (before == null ? 0 : before) + sign;
            if (before == null) {
                distinct++;
            }
            if (after == 0) {
                distinct--;
                ids.remove(id);
            } else {
                ids.put(id, after);
            }
        }

        @Override
        public RowData getValue() throws Exception {
            Long least = null;
            for (long id : ids.keys()) {
                least = least == null || id < least ? Long.valueOf(id) : least;
            }
            return GenericRowData.of(count, distinct, least);
        }

        @Override
        public void cleanup() {
            ids.clear();
        }
    }

    private static final class IdsOnHeap extends Counting {
        private Map<Long, Long> ids;

        @Override
        Object second() {
            return RawValueData.fromObject(ids);
        }

        @Override
        void setSecond(RowData accumulator) {
            ids = idsOf(accumulator, 1);
        }

        @Override
        public RowData createAccumulators() {
            return GenericRowData.of(0L, RawValueData.fromObject(new HashMap<>()));
        }

        @Override
        void add(RowData row, int sign) {
            ids.merge(row.getLong(JoinCase.ID), (long) sign, Long::sum);
        }
    }

    /** Reads a field that {@link Kind#IDS_ON_HEAP} has made. */
    public static Map<Long, Long> idsOf(RowData row, int field) {
        return row.<Map<Long, Long>>getRawValue(field).toObject(null);
    }
}
