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
package io.stateaccel.views.time;

import javax.annotation.Nullable;
import org.apache.flink.runtime.state.internal.InternalValueState;

/** Values that live for ever. */
final class LastingValue<N, V> implements AgedValue<N, V> {

    private final InternalValueState<?, N, V> state;

    LastingValue(InternalValueState<?, N, V> state) {
        this.state = state;
    }

    @Override
    public void setCurrentNamespace(N namespace) {
        state.setCurrentNamespace(namespace);
    }

    @Override
    @Nullable
    public V value() throws Exception {
        return state.value();
    }

    @Override
    public void update(V value, long lastWrite) throws Exception {
        state.update(value);
    }

    @Override
    public void clear() {
        state.clear();
    }
}
