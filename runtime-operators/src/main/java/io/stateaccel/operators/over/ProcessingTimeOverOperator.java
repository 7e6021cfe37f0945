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

import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.operators.bundle.BundlingOperator;
import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.bundle.OperatorKind;
import io.stateaccel.operators.bundle.RowKeeper;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.dataview.PerKeyStateDataViewStore;
import org.apache.flink.table.runtime.generated.AggsHandleFunction;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.util.Collector;

/**
 * OVER aggregate by processing time. Rows are gathered in bundles, and each partition of a bundle
 * is visited once: what is aggregated of it is read and written once, whatever the number of its
 * rows, of which each is emitted with a result of its own. A row keeps the millisecond in which it
 * came, and whatever goes by its time goes by that and not by when its bundle ends.
 *
 * <p>Runs in the task thread, on any keyed state backend.
 */
public abstract class ProcessingTimeOverOperator extends BundlingOperator
        implements OneInputStreamOperator<RowData, RowData> {

    private static final long serialVersionUID = 1L;

    private final ProcessingTimeOverSpec spec;

    private transient RowDataKeySelector keySelector;
    private transient RowKeeper keeper;
    private transient AggsHandleFunction function;
    private transient Map<RowData, ArrivedRows> bundle;

    /** When the last row came. */
    private transient long lastCame;

    ProcessingTimeOverOperator(OperatorKind kind, ProcessingTimeOverSpec spec) {
        super(kind, spec.bundle(), spec.keySelector().getProducedType());
        this.spec = spec;
    }

    /** The operator for a frame. */
    public static ProcessingTimeOverOperator of(ProcessingTimeOverSpec spec) {
        return spec.isBounded()
                ? new BoundedProcessingTimeOverOperator(spec)
                : new UnboundedProcessingTimeOverOperator(spec);
    }

    @Override
    public void open() throws Exception {
        super.open();
        keySelector = KeySelectors.copy(spec.keySelector());
        keeper = new RowKeeper(spec.inputType(), getExecutionConfig().isObjectReuseEnabled());
        function = spec.aggregates().newInstance(getRuntimeContext().getUserCodeClassLoader());
        function.open(new PerKeyStateDataViewStore(getRuntimeContext()));
        bundle = new LinkedHashMap<>();
        Collector<RowData> collector = collector();
        JoinedRowData joined = new JoinedRowData();
        openStates(function, (row, result) -> collector.collect(joined.replace(row, result)));
    }

    /**
     * @param aggregates opened
     * @param results where each row goes
     */
    abstract void openStates(AggsHandleFunction aggregates, OverFrame.Results results)
            throws Exception;

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        RowData received = element.getValue();
        RowData key = keySelector.getKey(received);
        lastCame = processingTime();
        ArrivedRows rows = bundle.get(key);
        long bytes = 0;
        if (rows == null) {
            rows = rowsOf(key);
            bytes = HeapBytes.ofKey(key);
        }
        rowAdded(key, bytes + rows.add(lastCame, keeper.keep(received)));
    }

    final long processingTime() {
        return getProcessingTimeService().getCurrentProcessingTime();
    }

    /** When the last row came. */
    final long lastCame() {
        return lastCame;
    }

    /** Rows of a partition that are in the state came then. */
    final void hasCome(RowData key, long time) {
        lastCame = Math.max(lastCame, time);
        rowsOf(key).areInState(time);
    }

    /** The rows of a partition in the bundle, which come to it if they are not there. */
    private ArrivedRows rowsOf(RowData key) {
        return bundle.computeIfAbsent(key, ArrivedRows::new);
    }

    /** The rows of the bundle by partition, in the order of their first ones. */
    final Map<RowData, ArrivedRows> bundle() {
        return bundle;
    }

    @Override
    public void close() throws Exception {
        if (function != null) {
            function.close();
        }
        super.close();
    }
}
