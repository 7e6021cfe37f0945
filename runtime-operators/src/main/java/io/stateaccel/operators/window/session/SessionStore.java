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

import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.window.TimeWindow;

/**
 * The windows of sessions by key, as Flink has them, each with the one that its value is known by.
 * What is read and written is that of the backend's current key.
 */
final class SessionStore {

    private final MapState<TimeWindow, TimeWindow> windows;

    SessionStore(KeyedStateBackend<RowData> backend) throws Exception {
        TimeWindow.Serializer serializer = new TimeWindow.Serializer();
        windows =
                backend.getPartitionedState(
                        VoidNamespace.INSTANCE,
                        VoidNamespaceSerializer.INSTANCE,
                        new MapStateDescriptor<>("session-window-mapping", serializer, serializer));
    }

    /** All windows of the key, with what their values are known by. */
    Iterable<Map.Entry<TimeWindow, TimeWindow>> windows() throws Exception {
        return windows.entries();
    }

    /** What the value of a window is known by, null if there is no such window. */
    @Nullable
    TimeWindow stateWindow(TimeWindow window) throws Exception {
        return windows.get(window);
    }

    void put(TimeWindow window, TimeWindow stateWindow) throws Exception {
        windows.put(window, stateWindow);
    }

    void remove(TimeWindow window) throws Exception {
        windows.remove(window);
    }
}
