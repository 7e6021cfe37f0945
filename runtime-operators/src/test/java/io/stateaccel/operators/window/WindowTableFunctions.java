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

import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.dataview.StateDataViewStore;
import org.apache.flink.table.runtime.generated.GeneratedNamespaceTableAggsHandleFunction;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.generated.NamespaceTableAggsHandleFunction;
import org.apache.flink.util.Collector;

/**
 * A table aggregate function with the accumulators of {@link WindowFunctions}, and with up to three
 * results of a window, or none.
 *
 * @param <N> what windows are known by
 */
public final class WindowTableFunctions<N> extends GeneratedNamespaceTableAggsHandleFunction<N> {

    private static final long serialVersionUID = 1L;

    private final WindowFunctions<N> functions;

    /**
     * @param countsDistinct with a view in state
     */
    public WindowTableFunctions(boolean countsDistinct) {
        super("WindowTableFunctions", "", new Object[0]);
        this.functions = new WindowFunctions<>(0, countsDistinct);
    }

    @Override
    public NamespaceTableAggsHandleFunction<N> newInstance(ClassLoader classLoader) {
        return new TableFunctions<>(functions.newInstance(classLoader));
    }

    private record TableFunctions<N>(NamespaceAggsHandleFunction<N> functions)
            implements NamespaceTableAggsHandleFunction<N> {

        @Override
        public void open(StateDataViewStore store) throws Exception {
            functions.open(store);
        }

        @Override
        public void setAccumulators(N window, RowData accumulator) throws Exception {
            functions.setAccumulators(window, accumulator);
        }

        @Override
        public void accumulate(RowData row) throws Exception {
            functions.accumulate(row);
        }

        @Override
        public void retract(RowData row) throws Exception {
            functions.retract(row);
        }

        @Override
        public void merge(N window, RowData other) throws Exception {
            functions.merge(window, other);
        }

        @Override
        public RowData createAccumulators() throws Exception {
            return functions.createAccumulators();
        }

        @Override
        public RowData getAccumulators() throws Exception {
            return functions.getAccumulators();
        }

        @Override
        public void emitValue(N window, RowData key, Collector<RowData> results) throws Exception {
            RowData value = functions.getValue(window);
            JoinedRowData result = new JoinedRowData();
            for (long place = Math.floorMod(value.getLong(0), 4L); place > 0; place--) {
                results.collect(
                        result.replace(
                                key,
                                GenericRowData.of(
                                        place,
                                        value.getLong(1),
                                        value.getString(2),
                                        value.getLong(3),
                                        value.getString(4))));
            }
        }

        @Override
        public void cleanup(N window) throws Exception {
            functions.cleanup(window);
        }

        @Override
        public void close() throws Exception {
            functions.close();
        }
    }
}
