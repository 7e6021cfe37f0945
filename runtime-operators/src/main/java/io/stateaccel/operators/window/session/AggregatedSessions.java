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
package io.stateaccel.operators.window.session;

import io.stateaccel.operators.aggregate.AccumulatorBytes;
import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.operators.window.WindowResults;
import io.stateaccel.operators.window.slice.CurrentKey;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.runtime.dataview.PerWindowStateDataViewStore;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunctionBase;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/** An accumulator for each session, in the state as Flink has it. */
final class AggregatedSessions implements SessionContents<RowData> {

    private final CurrentKey key;
    private final NamespaceAggsHandleFunctionBase<TimeWindow> functions;
    private final boolean hasViews;
    private final AccumulatorBytes accumulatorBytes;
    private final WindowResults results;

    private final InternalValueState<RowData, TimeWindow, RowData> accumulators;
    private final RowDataSerializer serializer;
    private final boolean holdsObjects;

    private AggregatedSessions(
            SessionSpec spec,
            CurrentKey key,
            NamespaceAggsHandleFunctionBase<TimeWindow> functions,
            InternalValueState<RowData, TimeWindow, RowData> accumulators,
            RowDataSerializer serializer,
            WindowResults results) {
        this.key = key;
        this.functions = functions;
        this.hasViews = spec.hasViews();
        this.accumulatorBytes = new AccumulatorBytes(spec.accumulatorTypes());
        this.results = results;
        this.accumulators = accumulators;
        this.serializer = serializer;
        this.holdsObjects = !key.backend().isSafeToReuseKVState();
    }

    /**
     * @param results takes what sessions come to, rows that are reused
     */
    @SuppressWarnings("unchecked")
    static AggregatedSessions open(
            SessionSpec spec, CurrentKey key, RuntimeContext runtime, Consumer<RowData> results)
            throws Exception {
        KeyedStateBackend<RowData> backend = key.backend();
        TimeWindow.Serializer windows = new TimeWindow.Serializer();
        NamespaceAggsHandleFunctionBase<TimeWindow> functions =
                spec.functions().newInstance(runtime.getUserCodeClassLoader());
        functions.open(new PerWindowStateDataViewStore(backend, windows, runtime));
        RowDataSerializer serializer = new RowDataSerializer(spec.accumulatorTypes());
        return new AggregatedSessions(
                spec,
                key,
                functions,
                (InternalValueState<RowData, TimeWindow, RowData>)
                        backend.getOrCreateKeyedState(
                                windows, new ValueStateDescriptor<>("window-aggs", serializer)),
                serializer,
                WindowResults.of(functions, spec.indexOfCountStar(), results));
    }

    @Override
    public long bytesOfEach() {
        return accumulatorBytes.ofFields();
    }

    @Override
    public void add(Session<RowData> session, RowData row) throws Exception {
        setAccumulators(session);
        if (RowDataUtil.isAccumulateMsg(row)) {
            functions.accumulate(row);
        } else {
            functions.retract(row);
        }
        accumulated(session, HeapBytes.ofValues(row));
    }

    @Override
    public void merge(Session<RowData> merged, Session<RowData> target) throws Exception {
        load(merged);
        setAccumulators(target);
        if (merged.value() != null) {
            functions.merge(merged.stateWindow(), merged.value());
        }
        accumulated(target, merged.valueBytes());
    }

    private void setAccumulators(Session<RowData> session) throws Exception {
        load(session);
        functions.setAccumulators(
                session.stateWindow(),
                session.value() == null ? functions.createAccumulators() : session.value());
    }

    private void load(Session<RowData> session) throws Exception {
        if (!session.isKnown()) {
            key.tellBackend();
            RowData accumulator = stored(session.stateWindow());
            session.set(accumulator);
            if (accumulator != null) {
                session.valueBytes(
                        accumulatorBytes.ofGrowing(
                                accumulator, 0, HeapBytes.ofValues(accumulator)));
            }
        }
    }

    private void accumulated(Session<RowData> session, long rowBytes) throws Exception {
        RowData accumulator = functions.getAccumulators();
        session.set(accumulator);
        session.changed(true);
        session.valueBytes(accumulatorBytes.ofGrowing(accumulator, session.valueBytes(), rowBytes));
    }

    @Override
    public void emit(Session<RowData> session) throws Exception {
        if (hasViews) {
            key.tellBackend();
        }
        setAccumulators(session);
        results.emit(key.get(), session.window());
    }

    @Override
    public void emitStored(TimeWindow window, TimeWindow stateWindow) throws Exception {
        RowData accumulator = stored(stateWindow);
        functions.setAccumulators(
                stateWindow, accumulator == null ? functions.createAccumulators() : accumulator);
        results.emit(key.get(), window);
    }

    @Nullable
    private RowData stored(TimeWindow stateWindow) throws Exception {
        accumulators.setCurrentNamespace(stateWindow);
        RowData accumulator = accumulators.value();
        return accumulator == null ? null : own(accumulator);
    }

    @Override
    public void write(KeySessions<RowData> sessions) throws Exception {
        for (Session<RowData> session : sessions.sessions()) {
            if (session.isChanged()) {
                accumulators.setCurrentNamespace(session.stateWindow());
                // It goes on changing on the heap.
                accumulators.update(own(session.value()));
                session.changed(false);
            }
        }
    }

    private RowData own(RowData accumulator) {
        return holdsObjects ? serializer.copy(accumulator) : accumulator;
    }

    @Override
    public void remove(TimeWindow stateWindow, boolean isStored) throws Exception {
        if (isStored) {
            key.tellBackend();
            accumulators.setCurrentNamespace(stateWindow);
            accumulators.clear();
        }
        if (hasViews) {
            key.tellBackend();
            functions.cleanup(stateWindow);
        }
    }

    @Override
    public void close() throws Exception {
        functions.close();
    }
}
