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
import io.stateaccel.views.time.AgedValue;
import io.stateaccel.views.time.Lifetime;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.table.data.RowData;

/**
 * One value per key, as an {@link AgedValue}. Used by the task thread.
 *
 * @param <V> the type of the values
 */
public final class LoadableAgedValue<V> implements Loadable<V> {

    private final ReadsAhead<RowData> backend;
    private final String name;
    private final AgedValue<VoidNamespace, V> state;

    private LoadableAgedValue(
            ReadsAhead<RowData> backend, String name, AgedValue<VoidNamespace, V> state) {
        this.backend = backend;
        this.name = name;
        this.state = state;
    }

    /**
     * Opens a state under the operator's name.
     *
     * @param context where the state is kept
     * @param name of the state
     * @param values serializes values
     * @param lifetime of a value after it was written
     */
    public static <V> LoadableAgedValue<V> open(
            ViewContext context, String name, TypeSerializer<V> values, Lifetime lifetime)
            throws Exception {
        AgedValue<VoidNamespace, V> state =
                AgedValue.open(
                        context.backend(),
                        VoidNamespaceSerializer.INSTANCE,
                        name,
                        values,
                        lifetime);
        state.setCurrentNamespace(VoidNamespace.INSTANCE);
        return new LoadableAgedValue<>(ReadsAhead.of(context.backend()), name, state);
    }

    @Override
    public Loaded<V> load(List<RowData> keys) throws Exception {
        backend.readAhead(name, keys);
        return this;
    }

    @Override
    @Nullable
    public V value() throws Exception {
        return state.value();
    }

    /**
     * Sets the value of the current key.
     *
     * @param lastWrite when it became that, in milliseconds of the operator's clock; ignored where
     *     values live for ever
     */
    public void update(V value, long lastWrite) throws Exception {
        state.update(value, lastWrite);
    }
}
