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
package io.stateaccel.operators.join;

import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.functions.util.FunctionUtils;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.ProjectedRowData;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;
import org.apache.flink.util.ExceptionUtils;

/**
 * Projects and filters the results of a join for what follows it in the same operator. Used by the
 * task thread.
 */
public final class ResultProjection implements AutoCloseable {

    @Nullable private final FlatMapFunction<RowData, RowData> function;

    @Nullable private final int[] columns;

    private RowKind kind;

    private ResultProjection(
            @Nullable FlatMapFunction<RowData, RowData> function, @Nullable int[] columns) {
        this.function = function;
        this.columns = columns;
    }

    /**
     * @param calc null when results go on as they are
     */
    public static ResultProjection open(@Nullable ResultCalc calc, RuntimeContext context)
            throws Exception {
        if (calc == null) {
            return new ResultProjection(null, null);
        }
        if (calc.function() == null) {
            return new ResultProjection(null, calc.columns());
        }
        FlatMapFunction<RowData, RowData> function =
                calc.function().newInstance(context.getUserCodeClassLoader());
        FunctionUtils.setFunctionRuntimeContext(function, context);
        FunctionUtils.openFunction(function, DefaultOpenContext.INSTANCE);
        return new ResultProjection(function, calc.columns());
    }

    /**
     * Where the join's results go.
     *
     * @param next takes what becomes of them, rows that are used again
     */
    public Collector<RowData> into(RowConsumer next) {
        RowConsumer selected = selected(next);
        if (function == null) {
            return new RowCollector(selected);
        }
        // The function does not know of kinds of rows.
        Collector<RowData> withKind =
                new RowCollector(
                        row -> {
                            row.setRowKind(kind);
                            selected.accept(row);
                        });
        return new RowCollector(
                row -> {
                    kind = row.getRowKind();
                    function.flatMap(row, withKind);
                });
    }

    private RowConsumer selected(RowConsumer next) {
        if (columns == null) {
            return next;
        }
        ProjectedRowData projected = ProjectedRowData.from(columns);
        return row -> next.accept(projected.replaceRow(row));
    }

    @Override
    public void close() throws Exception {
        if (function != null) {
            FunctionUtils.closeFunction(function);
        }
    }

    /** Takes a row. */
    public interface RowConsumer {
        void accept(RowData row) throws Exception;
    }

    /** A collector that may throw. */
    private record RowCollector(RowConsumer consumer) implements Collector<RowData> {

        @Override
        public void collect(RowData row) {
            try {
                consumer.accept(row);
            } catch (Exception e) {
                ExceptionUtils.rethrow(e);
            }
        }

        @Override
        public void close() {}
    }
}
