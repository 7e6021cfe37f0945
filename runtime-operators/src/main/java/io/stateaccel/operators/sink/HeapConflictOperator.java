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
package io.stateaccel.operators.sink;

import io.stateaccel.flink.operator.WatermarkMaterializer;
import io.stateaccel.operators.bundle.HeapBudget;
import io.stateaccel.operators.bundle.RowKeeper;
import io.stateaccel.views.batch.ReadsAhead;
import io.stateaccel.views.time.TimeToLive;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.KeyedStateStore;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.StateInitializationContextImpl;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.TimerHeapInternalTimer;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;

/**
 * Flink's upsert materializer of a sink with {@code ON CONFLICT DO ERROR} or {@code DO NOTHING},
 * whose changes wait for the next watermark on the heap: then the row of a key that is in the sink
 * is read once, and written if it is another one. Flink reads and writes the list of all changes of
 * a key for every one of them, and has a timer for each key.
 *
 * <p>The changes get to Flink's states before a checkpoint, or where they take too much heap, with
 * Flink's timers. As long as there are some, what has come since goes there too when the watermark
 * comes, as Flink may work off the one before the other. States, timers, results and errors are
 * Flink's, as it is Flink's operator that works the changes off.
 */
public class HeapConflictOperator extends WatermarkMaterializer {

    private static final long serialVersionUID = 1L;

    private final HeapConflictSpec spec;

    private transient WaitingChanges changes;
    private transient HeapBudget budget;
    private transient RowKeeper keeper;
    private transient ReadsAhead<RowData> backend;

    /**
     * @param spec what the sink is
     */
    public HeapConflictOperator(HeapConflictSpec spec) {
        super(
                spec.ttl().config(),
                spec.failsOnConflict(),
                spec.rowType(),
                spec.rows(),
                spec.upsertKeys(),
                spec.upsertKey(),
                spec.primaryKey(),
                spec.primaryKeyNames());
        this.spec = spec;
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        TimeToLive ttl = spec.ttl();
        budget = HeapBudget.open(spec.heapBytes());
        changes =
                new WaitingChanges(
                        () -> (RowData) getCurrentKey(),
                        (ttl.isForever()
                                        ? ttl
                                        : new TimeToLive(ttl.millis() + CHANGES_OUTLIVE_MILLIS))
                                .by(getProcessingTimeService()::getCurrentProcessingTime),
                        budget);
        Long restored =
                context.getRestoredCheckpointId().isPresent()
                        ? context.getRestoredCheckpointId().getAsLong()
                        : null;
        super.initializeState(
                new StateInitializationContextImpl(
                        restored,
                        context.getOperatorStateStore(),
                        withChangesOnHeap(context.getKeyedStateStore(), restored),
                        context.getRawKeyedStateInputs(),
                        context.getRawOperatorStateInputs()));
    }

    /** A proxy, as Flink lines differ in what else a store has. */
    private KeyedStateStore withChangesOnHeap(KeyedStateStore states, @Nullable Long restored) {
        return (KeyedStateStore)
                Proxy.newProxyInstance(
                        KeyedStateStore.class.getClassLoader(),
                        new Class<?>[] {KeyedStateStore.class},
                        (proxy, method, arguments) ->
                                onHeap(call(states, method, arguments), arguments, restored));
    }

    private static Object call(KeyedStateStore states, Method method, Object[] arguments)
            throws Throwable {
        try {
            return method.invoke(states, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    @SuppressWarnings("unchecked")
    private Object onHeap(Object state, @Nullable Object[] arguments, @Nullable Long restored) {
        if (arguments != null && arguments[0] instanceof StateDescriptor<?, ?> descriptor) {
            if (descriptor.getName().equals(CHANGES)) {
                return changes.before((MapState<Long, List<RowData>>) state);
            }
            if (descriptor.getName().equals(RESTORED)) {
                return changes.asOf((ValueState<Long>) state, restored);
            }
        }
        return state;
    }

    @Override
    public void open() throws Exception {
        keeper = new RowKeeper(spec.rowType(), getExecutionConfig().isObjectReuseEnabled());
        backend = ReadsAhead.of(this.<RowData>getKeyedStateBackend());
        super.open();
        changes.findStored();
    }

    @Override
    public void close() throws Exception {
        if (budget != null) {
            budget.close();
        }
        super.close();
    }

    @Override
    @SuppressWarnings("unchecked")
    public <K, N> InternalTimerService<N> getInternalTimerService(
            String name, TypeSerializer<N> namespaceSerializer, Triggerable<K, N> triggerable) {
        // There is one, and it has no namespaces.
        return (InternalTimerService<N>)
                changes.timers(
                        (InternalTimerService<VoidNamespace>)
                                super.getInternalTimerService(
                                        name, namespaceSerializer, triggerable));
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        changes.comeAfter(currentWatermark);
        super.processElement(element.replace(keeper.keep(element.getValue())));
        if (budget.isExceeded()) {
            store();
        }
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        if (changes.mayBeInState()) {
            // Those that came before are to be worked off first.
            store();
        } else {
            workOff();
        }
        super.processWatermark(mark);
    }

    private void workOff() throws Exception {
        List<RowData> keys = changes.keys();
        for (int from = 0; from < keys.size(); from += ReadsAhead.KEYS) {
            List<RowData> some = keys.subList(from, Math.min(keys.size(), from + ReadsAhead.KEYS));
            backend.readAhead(ROW_IN_SINK, some);
            for (RowData key : some) {
                setCurrentKey(key);
                onEventTime(
                        new TimerHeapInternalTimer<>(changes.dueAt(), key, VoidNamespace.INSTANCE));
            }
        }
        changes.clearHeap();
    }

    /** So that the state has all that Flink's has. */
    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        store();
    }

    private void store() throws Exception {
        boolean mayBeInState = changes.mayBeInState();
        for (RowData key : mayBeInState ? changes.allKeys() : changes.keys()) {
            setCurrentKey(key);
            changes.store();
        }
        changes.clearHeap();
    }
}
