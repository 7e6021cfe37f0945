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

import io.stateaccel.flink.operator.SessionRowsOperator;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.runtime.state.internal.InternalMapState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/**
 * Flink's operator, made as ours is in each line, which tells what it gets wrong. Where two
 * sessions become one, the rows of both are kept by the window of one of them, and those of the
 * other stay in the state as well. Should a row open just that window again, its session has them
 * too: they come a second time.
 */
final class StockSessionRows extends SessionRowsOperator {

    private static final long serialVersionUID = 1L;

    private final RowDataSerializer rowSerializer;
    private final transient Consumer<RowData> leftovers;

    private transient MapState<TimeWindow, TimeWindow> windows;
    private transient InternalMapState<RowData, TimeWindow, Long, RowData> rows;

    /**
     * @param leftovers takes each row that gets into a session that it is not of
     */
    StockSessionRows(
            SessionWindows windows, RowDataSerializer rowSerializer, Consumer<RowData> leftovers) {
        super(
                HeapSessionRows.assigner(windows),
                rowSerializer,
                windows.timeIndex(),
                windows.shiftTimeZone());
        this.rowSerializer = rowSerializer;
        this.leftovers = leftovers;
    }

    @Override
    @SuppressWarnings("unchecked")
    public void open() throws Exception {
        super.open();
        TimeWindow.Serializer serializer = new TimeWindow.Serializer();
        windows =
                getKeyedStateBackend()
                        .getPartitionedState(
                                VoidNamespace.INSTANCE,
                                VoidNamespaceSerializer.INSTANCE,
                                new MapStateDescriptor<>(
                                        "session-window-mapping", serializer, serializer));
        rows =
                (InternalMapState<RowData, TimeWindow, Long, RowData>)
                        this
                                .<TimeWindow, MapState<Long, RowData>, Map<Long, RowData>>
                                        getOrCreateKeyedState(
                                                serializer,
                                                new MapStateDescriptor<>(
                                                        "session-window-tvf-acc",
                                                        LongSerializer.INSTANCE,
                                                        rowSerializer));
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        Set<TimeWindow> before = stateWindows();
        super.processElement(element);
        Set<TimeWindow> opened = stateWindows();
        opened.removeAll(before);
        for (TimeWindow window : opened) {
            rows.setCurrentNamespace(window);
            long newest = Long.MIN_VALUE;
            for (long number : rows.keys()) {
                newest = Math.max(newest, number);
            }
            for (Map.Entry<Long, RowData> row : rows.entries()) {
                if (row.getKey() != newest) {
                    leftovers.accept(row.getValue());
                }
            }
        }
    }

    /** By which the state knows the rows of the sessions of the current key. */
    private Set<TimeWindow> stateWindows() throws Exception {
        Set<TimeWindow> all = new HashSet<>();
        windows.values().forEach(all::add);
        return all;
    }
}
