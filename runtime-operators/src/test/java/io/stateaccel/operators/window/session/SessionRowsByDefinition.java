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

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.TimestampData;
import org.apache.flink.table.data.utils.JoinedRowData;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.runtime.util.TimeWindowUtil;
import org.apache.flink.util.Collector;

/**
 * The rows of {@code SESSION} by what a session is: the rows of a key of which each comes no later
 * than the gap after one before it. A row is late whose session has ended; any other comes once,
 * when its session ends. Nothing is kept but the rows, of which the sessions are made anew each
 * time.
 */
final class SessionRowsByDefinition extends KeyedProcessFunction<RowData, RowData, RowData> {

    private static final long serialVersionUID = 1L;

    private final SessionWindows windows;
    private final RowDataSerializer rowSerializer;

    /** Those that have not come yet, by their number. */
    private transient MapState<Long, RowData> rows;

    /** Of these, in the zone. */
    private transient MapState<Long, Long> times;

    private transient Counter late;

    SessionRowsByDefinition(SessionWindows windows, RowDataSerializer rowSerializer) {
        this.windows = windows;
        this.rowSerializer = rowSerializer;
    }

    @Override
    public void open(OpenContext context) {
        rows =
                getRuntimeContext()
                        .getMapState(
                                new MapStateDescriptor<>(
                                        "rows", LongSerializer.INSTANCE, rowSerializer));
        times =
                getRuntimeContext()
                        .getMapState(
                                new MapStateDescriptor<>(
                                        "times", LongSerializer.INSTANCE, LongSerializer.INSTANCE));
        late = getRuntimeContext().getMetricGroup().counter("numLateRecordsDropped");
    }

    @Override
    public void processElement(RowData row, Context context, Collector<RowData> results)
            throws Exception {
        long number = 0;
        for (long earlier : times.keys()) {
            number = Math.max(number, earlier + 1);
        }
        rows.put(number, row);
        times.put(
                number,
                TimeWindowUtil.toUtcTimestampMills(
                        windows.isEventTime()
                                ? row.getTimestamp(windows.timeIndex(), 3).getMillisecond()
                                : context.timerService().currentProcessingTime(),
                        windows.shiftTimeZone()));
        long end = windows.timeOf(sessionOf(number).window().getEnd());
        if (!windows.isEventTime()) {
            context.timerService().registerProcessingTimeTimer(end);
        } else if (end > context.timerService().currentWatermark()) {
            context.timerService().registerEventTimeTimer(end);
        } else {
            late.inc();
            remove(number);
        }
    }

    @Override
    public void onTimer(long time, OnTimerContext context, Collector<RowData> results)
            throws Exception {
        for (Session session : sessions()) {
            if (windows.timeOf(session.window().getEnd()) <= time) {
                for (long number : session.rows().stream().sorted().toList()) {
                    results.collect(result(rows.get(number), session.window()));
                    remove(number);
                }
            }
        }
    }

    private RowData result(RowData row, TimeWindow window) {
        RowData times =
                GenericRowData.of(
                        TimestampData.fromEpochMillis(window.getStart()),
                        TimestampData.fromEpochMillis(window.getEnd()),
                        TimestampData.fromEpochMillis(
                                TimeWindowUtil.toEpochMills(
                                        window.maxTimestamp(), windows.shiftTimeZone())));
        return new JoinedRowData(row.getRowKind(), row, times);
    }

    private void remove(long number) throws Exception {
        rows.remove(number);
        times.remove(number);
    }

    private Session sessionOf(long number) throws Exception {
        return sessions().stream()
                .filter(session -> session.rows().contains(number))
                .findFirst()
                .orElseThrow();
    }

    /** As they end. */
    private List<Session> sessions() throws Exception {
        List<Map.Entry<Long, Long>> byTime = new ArrayList<>();
        times.entries().forEach(entry -> byTime.add(Map.entry(entry.getKey(), entry.getValue())));
        byTime.sort(Comparator.comparingLong(Map.Entry::getValue));
        List<Session> sessions = new ArrayList<>();
        for (Map.Entry<Long, Long> row : byTime) {
            long time = row.getValue();
            Session last = sessions.isEmpty() ? null : sessions.get(sessions.size() - 1);
            TimeWindow window = new TimeWindow(time, time + windows.gap());
            if (last != null && time <= last.window().getEnd()) {
                window = last.window().cover(window);
                sessions.remove(last);
            } else {
                last = new Session(window, List.of());
            }
            List<Long> numbers = new ArrayList<>(last.rows());
            numbers.add(row.getKey());
            sessions.add(new Session(window, numbers));
        }
        return sessions;
    }

    /**
     * @param rows their numbers
     */
    private record Session(TimeWindow window, List<Long> rows) {}
}
