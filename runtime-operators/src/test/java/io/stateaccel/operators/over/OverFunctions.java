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
package io.stateaccel.operators.over;

import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.dataview.StateDataViewStore;
import org.apache.flink.table.runtime.dataview.StateMapView;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * Functions as the planner would generate them: {@code COUNT(*)}, {@code SUM(v)}, the values in the
 * order in which they came, and with a view in state how many different ones there are.
 */
final class OverFunctions extends GeneratedAggsHandleFunction {

    static final LogicalType[] ACCUMULATOR = {
        new BigIntType(), new BigIntType(), VarCharType.STRING_TYPE
    };

    private static final long serialVersionUID = 1L;

    private final boolean countsDistinct;

    OverFunctions(boolean countsDistinct) {
        super("OverFunctions", "", new Object[0]);
        this.countsDistinct = countsDistinct;
    }

    @Override
    public AggsHandleFunction newInstance(ClassLoader classLoader) {
        return new Functions(countsDistinct);
    }

    private static final class Functions implements AggsHandleFunction {

        private final boolean countsDistinct;
        private StateMapView<?, Long, Long> distinct;
        private long count;
        private long sum;
        private String text;

        private Functions(boolean countsDistinct) {
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
        public void accumulate(RowData row) throws Exception {
            add(row, 1);
            text += row.getLong(OverCase.VALUE) + ",";
        }

        @Override
        public void retract(RowData row) throws Exception {
            add(row, -1);
            text = ("," + text).replaceFirst("," + row.getLong(OverCase.VALUE) + ",", ",");
            text = text.substring(1);
        }

        private void add(RowData row, int sign) throws Exception {
            long value = row.getLong(OverCase.VALUE);
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

        @Override
        public void merge(RowData other) {
            throw new UnsupportedOperationException("Nothing is merged");
        }

        @Override
        public void setAccumulators(RowData accumulator) {
            count = accumulator.getLong(0);
            sum = accumulator.getLong(1);
            text = accumulator.getString(2).toString();
        }

        @Override
        public void resetAccumulators() {
            setAccumulators(createAccumulators());
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
        public RowData getValue() throws Exception {
            long values = 0;
            if (countsDistinct) {
                for (Long ignored : distinct.keys()) {
                    values++;
                }
            }
            return GenericRowData.of(count, sum, StringData.fromString(text), values);
        }

        @Override
        public void cleanup() {
            if (countsDistinct) {
                distinct.clear();
            }
        }

        @Override
        public void setWindowSize(int windowSize) {}

        @Override
        public void close() {}
    }
}
