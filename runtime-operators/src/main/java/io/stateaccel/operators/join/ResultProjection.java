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
import org.apache.flink.table.runtime.generated.GeneratedFunction;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;
import org.apache.flink.util.ExceptionUtils;

/**
 * Projects and filters the results of a join for what follows it in the same operator. Used by the
 * task thread.
 */
public final class ResultProjection implements AutoCloseable {

    @Nullable private final FlatMapFunction<RowData, RowData> calc;

    private RowKind kind;

    private ResultProjection(@Nullable FlatMapFunction<RowData, RowData> calc) {
        this.calc = calc;
    }

    /**
     * @param calc null when results go on as they are
     */
    public static ResultProjection open(
            @Nullable GeneratedFunction<FlatMapFunction<RowData, RowData>> calc,
            RuntimeContext context)
            throws Exception {
        if (calc == null) {
            return new ResultProjection(null);
        }
        FlatMapFunction<RowData, RowData> function =
                calc.newInstance(context.getUserCodeClassLoader());
        FunctionUtils.setFunctionRuntimeContext(function, context);
        FunctionUtils.openFunction(function, DefaultOpenContext.INSTANCE);
        return new ResultProjection(function);
    }

    /**
     * Where the join's results go.
     *
     * @param next takes what becomes of them, rows that are used again
     */
    public Collector<RowData> into(RowConsumer next) {
        if (calc == null) {
            return new RowCollector(next);
        }
        // The calc does not know of kinds of rows.
        Collector<RowData> withKind =
                new RowCollector(
                        row -> {
                            row.setRowKind(kind);
                            next.accept(row);
                        });
        return new RowCollector(
                row -> {
                    kind = row.getRowKind();
                    calc.flatMap(row, withKind);
                });
    }

    @Override
    public void close() throws Exception {
        if (calc != null) {
            FunctionUtils.closeFunction(calc);
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
