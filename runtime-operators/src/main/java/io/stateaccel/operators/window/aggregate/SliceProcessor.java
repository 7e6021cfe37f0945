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

import java.time.ZoneId;
import java.util.function.Consumer;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.memory.MemoryManager;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedNamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.operators.aggregate.window.buffers.WindowBuffer;
import org.apache.flink.table.runtime.operators.aggregate.window.processors.SliceSharedSyncStateWindowAggProcessor;
import org.apache.flink.table.runtime.operators.aggregate.window.processors.SliceUnsharedSyncStateWindowAggProcessor;
import org.apache.flink.table.runtime.operators.window.tvf.common.WindowAggOperator;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.SliceAssigner;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.SliceSharedAssigner;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.SliceUnsharedAssigner;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.SlicingSyncStateWindowProcessor;

/**
 * Flink's processor of the slices of windows, on a state backend and timers that stand before those
 * of the operator. Its interface and its classes have other names before Flink 2.0.
 */
abstract class SliceProcessor implements SlicingSyncStateWindowProcessor<Long> {

    private static final long serialVersionUID = 1L;

    private final GeneratedNamespaceAggsHandleFunction<Long> functions;
    private final SliceAssigner assigner;
    private final TypeSerializer<RowData> accumulatorSerializer;
    private final int indexOfCountStar;
    private final ZoneId shiftTimeZone;

    private transient SlicingSyncStateWindowProcessor<Long> flinks;

    /**
     * @param functions aggregate slices to windows
     * @param assigner says to which slice a row belongs
     * @param indexOfCountStar of the field of accumulators that counts rows, negative if none does
     * @param shiftTimeZone of the windows
     */
    protected SliceProcessor(
            GeneratedNamespaceAggsHandleFunction<Long> functions,
            SliceAssigner assigner,
            TypeSerializer<RowData> accumulatorSerializer,
            int indexOfCountStar,
            ZoneId shiftTimeZone) {
        this.functions = functions;
        this.assigner = assigner;
        this.accumulatorSerializer = accumulatorSerializer;
        this.indexOfCountStar = indexOfCountStar;
        this.shiftTimeZone = shiftTimeZone;
    }

    /** Makes Flink's operator, which runs this processor. */
    public OneInputStreamOperator<RowData, RowData> operator() {
        return new WindowAggOperator<RowData, Long>(this, assigner.isEventTime());
    }

    /**
     * @param backend of the operator
     * @param timers of the operator
     * @return what Flink's processor is to use instead
     */
    protected abstract Parts replace(
            KeyedStateBackend<RowData> backend, InternalTimerService<Long> timers) throws Exception;

    /**
     * @param buffers make what rows are aggregated by
     */
    public record Parts(
            KeyedStateBackend<RowData> backend,
            InternalTimerService<Long> timers,
            WindowBuffer.Factory buffers) {}

    @Override
    public void open(SyncStateContext<Long> context) throws Exception {
        Parts parts = replace(context.getKeyedStateBackend(), context.getTimerService());
        if (assigner instanceof SliceSharedAssigner shared) {
            flinks =
                    new SliceSharedSyncStateWindowAggProcessor(
                            functions,
                            parts.buffers(),
                            shared,
                            accumulatorSerializer,
                            indexOfCountStar,
                            shiftTimeZone);
        } else {
            flinks =
                    new SliceUnsharedSyncStateWindowAggProcessor(
                            functions,
                            parts.buffers(),
                            (SliceUnsharedAssigner) assigner,
                            accumulatorSerializer,
                            indexOfCountStar,
                            shiftTimeZone);
        }
        flinks.open(new ContextOfParts(context, parts, results(context)));
    }

    /**
     * Where results go.
     *
     * @param operator emits what it is given
     */
    protected Consumer<RowData> results(SyncStateContext<Long> operator) {
        return operator::output;
    }

    @Override
    public void initializeWatermark(long watermark) {
        flinks.initializeWatermark(watermark);
    }

    @Override
    public boolean processElement(RowData key, RowData row) throws Exception {
        return flinks.processElement(key, row);
    }

    @Override
    public void advanceProgress(long progress) throws Exception {
        flinks.advanceProgress(progress);
    }

    @Override
    public void prepareCheckpoint() throws Exception {
        flinks.prepareCheckpoint();
    }

    @Override
    public void fireWindow(long timerTimestamp, Long windowEnd) throws Exception {
        flinks.fireWindow(timerTimestamp, windowEnd);
    }

    @Override
    public void clearWindow(long timerTimestamp, Long windowEnd) throws Exception {
        flinks.clearWindow(timerTimestamp, windowEnd);
    }

    @Override
    public void close() throws Exception {
        if (flinks != null) {
            flinks.close();
        }
    }

    @Override
    public TypeSerializer<Long> createWindowSerializer() {
        return LongSerializer.INSTANCE;
    }

    /** The operator's, with parts of ours. */
    private record ContextOfParts(
            SyncStateContext<Long> context, Parts parts, Consumer<RowData> results)
            implements SyncStateContext<Long> {

        @Override
        public KeyedStateBackend<RowData> getKeyedStateBackend() {
            return parts.backend();
        }

        @Override
        public InternalTimerService<Long> getTimerService() {
            return parts.timers();
        }

        @Override
        public Object getOperatorOwner() {
            return context.getOperatorOwner();
        }

        @Override
        public MemoryManager getMemoryManager() {
            return context.getMemoryManager();
        }

        @Override
        public long getMemorySize() {
            return context.getMemorySize();
        }

        @Override
        public RuntimeContext getRuntimeContext() {
            return context.getRuntimeContext();
        }

        @Override
        public void output(RowData result) {
            results.accept(result);
        }
    }
}
