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

import io.stateaccel.operators.window.slice.CurrentKey;
import io.stateaccel.operators.window.slice.HeapSlices;
import io.stateaccel.operators.window.slice.HeapTimers;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.SliceSharedAssigner;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/**
 * Aggregates windows (TUMBLE, HOP, CUMULATE) slice by slice on the heap. Accumulators of a key and
 * slice, and the timers of its windows, get to the state at a checkpoint, or where the heap that
 * they may take is used up; a window whose time comes before that never does.
 *
 * <p>Where nothing is made of a result that has a better one, it is left out, among the results of
 * this sub-task that {@link HeapTimers#advance} has of a watermark ({@link BestResultsSpec}).
 *
 * <p>What a window is made of and when is decided by Flink's own processor, in Flink's own
 * operator, to which the heap is its state. So results, late rows, metrics and the layout of the
 * state are Flink's.
 */
public final class HeapWindowAggregate extends SliceProcessor {

    private static final long serialVersionUID = 1L;

    private final HeapWindowAggregateSpec spec;

    private transient HeapSlices<RowData> slices;
    private transient HeapTimers<RowData> timers;
    @Nullable private transient BestResults best;
    private transient boolean holdsResults;

    /**
     * @param spec what to aggregate and how
     */
    public HeapWindowAggregate(HeapWindowAggregateSpec spec) {
        super(
                spec.functions(),
                spec.assigner(),
                new RowDataSerializer(spec.accumulatorTypes()),
                spec.indexOfCountStar(),
                spec.shiftTimeZone());
        this.spec = spec;
    }

    @Override
    protected Parts replace(
            KeyedStateBackend<RowData> backend, InternalTimerService<Long> operatorTimers)
            throws Exception {
        CurrentKey key = new CurrentKey(backend);
        slices = new HeapSlices<>(key, spec.heapBytes());
        timers =
                new HeapTimers<>(
                        operatorTimers,
                        operatorTimers,
                        slices,
                        key,
                        spec.assigner().isEventTime(),
                        windowsShareSlices());
        slices.spillTimersTo(timers);
        return new Parts(
                new HeapStateBackend(key, slices, spec.accumulatorTypes(), mayLackTimers())
                        .asBackend(),
                timers,
                (owner, memory, size, runtime, windowTimers, keyedBackend, state, event, zone) ->
                        SliceBuffer.open(spec, slices, windowTimers, keyedBackend, runtime));
    }

    @Override
    protected Consumer<RowData> results(SyncStateContext<Long> operator) {
        if (spec.best() == null) {
            return super.results(operator);
        }
        best =
                new BestResults(
                        spec.best(),
                        operator.getRuntimeContext().getUserCodeClassLoader(),
                        operator::output);
        return result -> {
            if (holdsResults) {
                best.add(result);
            } else {
                operator.output(result);
            }
        };
    }

    /**
     * Where windows share slices, Flink does not go on to the next window of a key after one whose
     * rows are all retracted. Its slices stay; on processing time there is something in them, if
     * what was retracted had come in an earlier one.
     */
    private boolean mayLackTimers() {
        return spec.retracts() && windowsShareSlices();
    }

    private boolean windowsShareSlices() {
        return spec.assigner() instanceof SliceSharedAssigner;
    }

    @Override
    public void advanceProgress(long progress) throws Exception {
        super.advanceProgress(progress);
        holdsResults = best != null;
        timers.advance(
                progress,
                (time, windowEnd) -> {
                    fireWindow(time, windowEnd);
                    clearWindow(time, windowEnd);
                });
        if (holdsResults) {
            best.emit();
            // Nobody says when the timers are done that are left to Flink.
            holdsResults = false;
        }
    }

    @Override
    public void prepareCheckpoint() throws Exception {
        super.prepareCheckpoint();
        slices.writeBack();
    }

    @Override
    public void close() throws Exception {
        if (slices != null) {
            slices.close();
        }
        super.close();
    }
}
