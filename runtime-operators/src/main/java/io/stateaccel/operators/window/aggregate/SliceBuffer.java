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
package io.stateaccel.operators.window.aggregate;

import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.window.slice.HeapSlices;
import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.dataview.PerWindowStateDataViewStore;
import org.apache.flink.table.runtime.generated.GeneratedNamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.operators.aggregate.window.buffers.WindowBuffer;
import org.apache.flink.table.runtime.operators.window.tvf.common.WindowTimerService;
import org.apache.flink.table.runtime.util.TimeWindowUtil;

/**
 * Stands for the buffer of Flink's processor and keeps no rows: each is aggregated as it comes. For
 * the task thread.
 */
final class SliceBuffer implements WindowBuffer {

    private final NamespaceAggsHandleFunction<Long> functions;
    @Nullable private final NamespaceAggsHandleFunction<Long> partialFunctions;
    private final HeapWindowAggregateSpec spec;
    private final HeapSlices<RowData> slices;
    private final WindowTimerService<Long> timers;

    private SliceBuffer(
            NamespaceAggsHandleFunction<Long> functions,
            @Nullable NamespaceAggsHandleFunction<Long> partialFunctions,
            HeapWindowAggregateSpec spec,
            HeapSlices<RowData> slices,
            WindowTimerService<Long> timers) {
        this.functions = functions;
        this.partialFunctions = partialFunctions;
        this.spec = spec;
        this.slices = slices;
        this.timers = timers;
    }

    static SliceBuffer open(
            HeapWindowAggregateSpec spec,
            HeapSlices<RowData> slices,
            WindowTimerService<Long> timers,
            KeyedStateBackend<RowData> backend,
            RuntimeContext runtime)
            throws Exception {
        return new SliceBuffer(
                open(spec.rowFunctions(), backend, runtime),
                spec.partialFunctions() == null
                        ? null
                        : open(spec.partialFunctions(), backend, runtime),
                spec,
                slices,
                timers);
    }

    private static NamespaceAggsHandleFunction<Long> open(
            GeneratedNamespaceAggsHandleFunction<Long> generated,
            KeyedStateBackend<RowData> backend,
            RuntimeContext runtime)
            throws Exception {
        NamespaceAggsHandleFunction<Long> functions =
                generated.newInstance(runtime.getUserCodeClassLoader());
        functions.open(new PerWindowStateDataViewStore(backend, LongSerializer.INSTANCE, runtime));
        return functions;
    }

    @Override
    public void addElement(RowData key, long sliceEnd, RowData row) throws Exception {
        HeapSlices.Entry<RowData> entry = slices.entry(key, sliceEnd);
        RowData accumulator = entry.value();
        functions.setAccumulators(
                sliceEnd, accumulator == null ? functions.createAccumulators() : accumulator);
        if (spec.ofPartials()) {
            functions.merge(sliceEnd, partial(sliceEnd, row));
        } else if (RowDataUtil.isAccumulateMsg(row)) {
            functions.accumulate(row);
        } else {
            functions.retract(row);
        }
        boolean hasTimer = entry.hasTimer();
        slices.set(entry, functions.getAccumulators(), HeapBytes.ofValues(row));
        // On processing time Flink's processor does so for every row.
        if (!hasTimer
                && spec.assigner().isEventTime()
                && !TimeWindowUtil.isWindowFired(
                        sliceEnd, timers.currentWatermark(), spec.shiftTimeZone())) {
            timers.registerEventTimeWindowTimer(sliceEnd);
        }
    }

    private RowData partial(long sliceEnd, RowData row) throws Exception {
        if (partialFunctions == null) {
            return row;
        }
        partialFunctions.setAccumulators(sliceEnd, partialFunctions.createAccumulators());
        partialFunctions.merge(sliceEnd, row);
        return partialFunctions.getAccumulators();
    }

    @Override
    public void advanceProgress(long progress) {}

    @Override
    public void flush() {}

    @Override
    public void close() throws Exception {
        functions.close();
        if (partialFunctions != null) {
            partialFunctions.close();
        }
    }
}
