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
 */
final class WindowFunctions extends GeneratedNamespaceAggsHandleFunction<Long> {

    static final LogicalType[] ACCUMULATOR = {
        new BigIntType(), new BigIntType(), VarCharType.STRING_TYPE
    };

    private static final long serialVersionUID = 1L;
    private static final int TEXT_LENGTH = 20;

    private final int offset;
    private final boolean countsDistinct;

    /**
     * @param offset of the first field of an accumulator in what is merged
     * @param countsDistinct only where nothing is merged
     */
    WindowFunctions(int offset, boolean countsDistinct) {
        super("WindowFunctions", "", new Object[0]);
        this.offset = offset;
        this.countsDistinct = countsDistinct;
    }

    @Override
    public NamespaceAggsHandleFunction<Long> newInstance(ClassLoader classLoader) {
        return new Functions(offset, countsDistinct);
    }

    private static final class Functions implements NamespaceAggsHandleFunction<Long> {

        private final int offset;
        private final boolean countsDistinct;
        private StateMapView<Long, Long, Long> distinct;
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
        public void setAccumulators(Long windowEnd, RowData accumulator) {
            count = accumulator.getLong(0);
            sum = accumulator.getLong(1);
            text = accumulator.getString(2).toString();
            if (countsDistinct) {
                distinct.setCurrentNamespace(windowEnd);
            }
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
                Long before = distinct.get(value);
                long after = (before == null ? 0 : before) + sign;
                if (after == 0) {
                    distinct.remove(value);
                } else {
                    distinct.put(value, after);
                }
            }
        }

        private void append(String more) {
            text = (text + more).substring(0, Math.min(TEXT_LENGTH, (text + more).length()));
        }

        @Override
        public void merge(Long windowEnd, RowData other) {
            count += other.getLong(offset);
            sum += other.getLong(offset + 1);
            append(other.getString(offset + 2).toString());
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
        public RowData getValue(Long windowEnd) throws Exception {
            long values = 0;
            if (countsDistinct) {
                for (Long ignored : distinct.keys()) {
                    values++;
                }
            }
            return GenericRowData.of(count, sum, StringData.fromString(text), values, windowEnd);
        }

        @Override
        public void cleanup(Long windowEnd) {
            if (countsDistinct) {
                distinct.setCurrentNamespace(windowEnd);
                distinct.clear();
            }
        }

        @Override
        public void close() {}
    }
}
