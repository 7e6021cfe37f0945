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
package io.stateaccel.views.batch;

import io.stateaccel.views.ViewContext;
import java.util.List;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.table.data.RowData;

/**
 * One value per key. Used by the task thread.
 *
 * @param <V> the type of the values
 */
public final class LoadableValue<V> implements Loadable<V> {

    private final ReadsAhead<RowData> backend;
    private final String name;
    private final ValueState<V> state;

    /**
     * @param context where the state is kept
     * @param name of the state
     * @param state opened on that backend, in whatever wrappers
     */
    public LoadableValue(ViewContext context, String name, ValueState<V> state) {
        this.backend = ReadsAhead.of(context.backend());
        this.name = name;
        this.state = state;
    }

    /** Opens a state under the operator's name. */
    public static <V> LoadableValue<V> open(
            ViewContext context, ValueStateDescriptor<V> descriptor) {
        return new LoadableValue<>(
                context, descriptor.getName(), context.runtime().getState(descriptor));
    }

    @Override
    public Loaded<V> load(List<RowData> keys) throws Exception {
        backend.readAhead(name, keys);
        return this;
    }

    @Override
    public V value() throws Exception {
        return state.value();
    }

    /** Sets the value of the current key. */
    public void update(V value) throws Exception {
        state.update(value);
    }

    /** Removes the value of the current key. */
    public void clear() {
        state.clear();
    }
}
