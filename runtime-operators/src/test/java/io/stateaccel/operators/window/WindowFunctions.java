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
package io.stateaccel.operators.window;

import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.dataview.StateDataViewStore;
import org.apache.flink.table.runtime.dataview.StateMapView;
import org.apache.flink.table.runtime.generated.GeneratedNamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunction;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * Functions of a {@link WindowCase}, as the planner would generate them: {@code COUNT(*)}, {@code
 * SUM(v)}, the first characters of all values in the order in which they came, and with a view in
 * state how many different values there are.
 *
 * @param <N> what slices or windows are known by
 */
public final class WindowFunctions<N> extends GeneratedNamespaceAggsHandleFunction<N> {

    public static final LogicalType[] ACCUMULATOR = {
        new BigIntType(), new BigIntType(), VarCharType.STRING_TYPE
    };

    /** The fields of a result behind the key. */
    public static final LogicalType[] RESULT = {
        new BigIntType(),
        new BigIntType(),
        VarCharType.STRING_TYPE,
        new BigIntType(),
        VarCharType.STRING_TYPE
    };

    private static final long serialVersionUID = 1L;
    private static final int TEXT_LENGTH = 20;

    private final int offset;
    private final boolean countsDistinct;

    /**
     * @param offset of the first field of an accumulator in what is merged
     * @param countsDistinct only where the functions are those of what is merged too
     */
    public WindowFunctions(int offset, boolean countsDistinct) {
        super("WindowFunctions", "", new Object[0]);
        this.offset = offset;
        this.countsDistinct = countsDistinct;
    }

    @Override
    public NamespaceAggsHandleFunction<N> newInstance(ClassLoader classLoader) {
        return new Functions<>(offset, countsDistinct);
    }

    private static final class Functions<N> implements NamespaceAggsHandleFunction<N> {

        private final int offset;
        private final boolean countsDistinct;

        /** In the place of what is in the state, as long as there is no namespace. */
        private final Map<Long, Long> distinctOnHeap = new TreeMap<>();

        private StateMapView<N, Long, Long> distinct;
        private N namespace;
        private long count;
        private long sum;
        private String text;

        private Functions(int offset, boolean countsDistinct) {
            this.offset = offset;
            this.countsDistinct = countsDistinct;
        }

        @Override
        public void open(StateDataViewStore store) throws Exception {
            if (countsDistinct) {
                distinct =
                        store.getStateMapView(
                                "distinct",
                                false,
                                LongSerializer.INSTANCE,
                                LongSerializer.INSTANCE);
            }
        }

        @Override
        public void setAccumulators(N window, RowData accumulator) {
            namespace = window;
            count = accumulator.getLong(0);
            sum = accumulator.getLong(1);
            text = accumulator.getString(2).toString();
            if (countsDistinct && window != null) {
                distinct.setCurrentNamespace(window);
            }
            distinctOnHeap.clear();
        }

        @Override
        public void accumulate(RowData row) throws Exception {
            add(row, 1);
            append(row.getLong(WindowCase.VALUE) + ",");
        }

        @Override
        public void retract(RowData row) throws Exception {
            add(row, -1);
        }

        private void add(RowData row, int sign) throws Exception {
            long value = row.getLong(WindowCase.VALUE);
            count += sign;
            sum += sign * value;
            if (countsDistinct) {
                addDistinct(value, sign);
            }
        }

        private void addDistinct(long value, long sign) throws Exception {
            Long before = namespace == null ? distinctOnHeap.get(value) : distinct.get(value);
            long after = (before == null ? 0 : before) + sign;
            if (namespace == null) {
                distinctOnHeap.put(value, after);
            } else if (after == 0) {
                distinct.remove(value);
            } else {
                distinct.put(value, after);
            }
        }

        private void append(String more) {
            text = (text + more).substring(0, Math.min(TEXT_LENGTH, (text + more).length()));
        }

        @Override
        public void merge(N window, RowData other) throws Exception {
            count += other.getLong(offset);
            sum += other.getLong(offset + 1);
            append(other.getString(offset + 2).toString());
            if (countsDistinct) {
                Map<Long, Long> values = new TreeMap<>();
                distinct.setCurrentNamespace(window);
                for (Map.Entry<Long, Long> value : distinct.entries()) {
                    values.put(value.getKey(), value.getValue());
                }
                if (namespace != null) {
                    distinct.setCurrentNamespace(namespace);
                }
                for (Map.Entry<Long, Long> value : values.entrySet()) {
                    addDistinct(value.getKey(), value.getValue());
                }
            }
        }

        @Override
        public RowData createAccumulators() {
            return GenericRowData.of(0L, 0L, StringData.fromString(""));
        }

        @Override
        public RowData getAccumulators() {
            return GenericRowData.of(count, sum, StringData.fromString(text));
        }

        @Override
        public RowData getValue(N window) throws Exception {
            long values = distinctOnHeap.values().stream().filter(rows -> rows != 0).count();
            if (countsDistinct && namespace != null) {
                for (Long ignored : distinct.keys()) {
                    values++;
                }
            }
            return GenericRowData.of(
                    count,
                    sum,
                    StringData.fromString(text),
                    values,
                    StringData.fromString(window.toString()));
        }

        @Override
        public void cleanup(N window) {
            if (countsDistinct) {
                distinct.setCurrentNamespace(window);
                distinct.clear();
            }
        }

        @Override
        public void close() {}
    }

    /** A result as text, which begins with its key and its window. */
    public static String text(RowData result) {
        return "%s until %s: %s %d %d %s %d"
                .formatted(
                        result.getString(0),
                        result.getString(5),
                        result.getRowKind().shortString(),
                        result.getLong(1),
                        result.getLong(2),
                        result.getString(3),
                        result.getLong(4));
    }
}
