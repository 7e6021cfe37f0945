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

import org.apache.flink.configuration.Configuration;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.dataview.StateDataViewStore;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.generated.GeneratedTableAggsHandleFunction;
import org.apache.flink.table.runtime.generated.TableAggsHandleFunction;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/**
 * A table aggregate, as the planner would generate it, that emits the fields of what {@link
 * TestAggregates} come to one by one, each with its place.
 */
final class TestTableAggregate extends GeneratedTableAggsHandleFunction {

    /** Of what is emitted, behind the group. */
    static final LogicalType[] VALUE_TYPES = {new IntType(), new BigIntType()};

    private static final long serialVersionUID = 1L;

    private final TestAggregates aggregates;

    /**
     * @param kind with numbers only
     */
    TestTableAggregate(TestAggregates.Kind kind) {
        super("TestTableAggregate", "", new Object[0], new Configuration());
        this.aggregates = new TestAggregates(kind);
    }

    @Override
    public TableAggsHandleFunction newInstance(ClassLoader classLoader) {
        return new FieldByField(aggregates.newInstance(classLoader));
    }

    private record FieldByField(AggsHandleFunction function) implements TableAggsHandleFunction {

        @Override
        public void emitValue(Collector<RowData> out, RowData key, boolean isRetract)
                throws Exception {
            GenericRowData value = (GenericRowData) function.getValue();
            // One object, as generated code has it.
            JoinedRowData row = new JoinedRowData();
            row.setRowKind(isRetract ? RowKind.DELETE : RowKind.INSERT);
            for (int field = 0; field < value.getArity(); field++) {
                out.collect(row.replace(key, GenericRowData.of(field, value.getField(field))));
            }
        }

        @Override
        public void open(StateDataViewStore store) throws Exception {
            function.open(store);
        }

        @Override
        public void accumulate(RowData row) throws Exception {
            function.accumulate(row);
        }

        @Override
        public void retract(RowData row) throws Exception {
            function.retract(row);
        }

        @Override
        public void merge(RowData accumulator) throws Exception {
            function.merge(accumulator);
        }

        @Override
        public void setAccumulators(RowData accumulator) throws Exception {
            function.setAccumulators(accumulator);
        }

        @Override
        public void resetAccumulators() throws Exception {
            function.resetAccumulators();
        }

        @Override
        public RowData getAccumulators() throws Exception {
            return function.getAccumulators();
        }

        @Override
        public RowData createAccumulators() throws Exception {
            return function.createAccumulators();
        }

        @Override
        public void cleanup() throws Exception {
            function.cleanup();
        }

        @Override
        public void close() throws Exception {
            function.close();
        }
    }
}
