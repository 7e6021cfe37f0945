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
import io.stateaccel.operators.window.slice.SingleRowStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.StateDescriptor;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * The backend of the operator, but for the accumulators of windows, which are {@link HeapSlices}. A
 * proxy, as Flink lines differ in what else a backend has; what it is asked for at every row does
 * not go through it.
 */
final class HeapStateBackend implements InvocationHandler {

    /** As Flink calls the state of the accumulators. */
    private static final String ACCUMULATORS = "window-aggs";

    private final CurrentKey key;
    private final HeapSlices<RowData> slices;
    private final LogicalType[] accumulatorTypes;
    private final boolean mayLackTimers;

    /**
     * @param accumulatorTypes the fields of an accumulator
     * @param mayLackTimers whether there may be slices in the state that no timer tells of
     */
    HeapStateBackend(
            CurrentKey key,
            HeapSlices<RowData> slices,
            LogicalType[] accumulatorTypes,
            boolean mayLackTimers) {
        this.key = key;
        this.slices = slices;
        this.accumulatorTypes = accumulatorTypes;
        this.mayLackTimers = mayLackTimers;
    }

    @SuppressWarnings("unchecked")
    KeyedStateBackend<RowData> asBackend() {
        return (KeyedStateBackend<RowData>)
                Proxy.newProxyInstance(
                        KeyedStateBackend.class.getClassLoader(),
                        new Class<?>[] {KeyedStateBackend.class},
                        this);
    }

    @Override
    @SuppressWarnings("unchecked")
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
        if (method.getName().equals("getCurrentKey")) {
            return key.get();
        }
        Object result;
        try {
            result = method.invoke(key.backend(), arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
        if (method.getName().equals("getOrCreateKeyedState")) {
            if (((StateDescriptor<?, ?>) arguments[1]).getName().equals(ACCUMULATORS)) {
                InternalValueState<RowData, Long, RowData> state =
                        (InternalValueState<RowData, Long, RowData>) result;
                slices.spillTo(
                        new SingleRowStore<>(
                                state,
                                Long::valueOf,
                                accumulatorTypes,
                                !key.backend().isSafeToReuseKVState()));
                if (mayLackTimers) {
                    findStored();
                }
                return new HeapSliceState(slices, key, state);
            }
            slices.hasViews();
        }
        return result;
    }

    private void findStored() {
        try (Stream<Tuple2<RowData, Long>> stored =
                key.backend().getKeysAndNamespaces(ACCUMULATORS)) {
            stored.forEach(keyAndSlice -> slices.stored(keyAndSlice.f1));
        }
    }
}
