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
package io.stateaccel.operators.window.group;

import org.apache.flink.metrics.Meter;
import org.apache.flink.metrics.MeterView;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.TimestampedCollector;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.TableStreamOperator;
import org.apache.flink.table.runtime.operators.window.TimeWindow;

/**
 * An aggregate of {@code GROUP BY TUMBLE(...)}, {@code HOP(...)} or {@code SESSION(...)} whose
 * windows are on the heap before they are in the state. Takes the place of Flink's {@code
 * WindowOperator}, and has its states, timers and metrics.
 */
abstract class HeapGroupWindows extends TableStreamOperator<RowData>
        implements OneInputStreamOperator<RowData, RowData>, Triggerable<RowData, TimeWindow> {

    private static final long serialVersionUID = 1L;

    /** Where results go. */
    protected transient TimestampedCollector<RowData> collector;

    private transient InternalTimerService<TimeWindow> timers;
    private transient Meter lateRows;

    /**
     * @param stateTimers those of the state
     */
    protected abstract void open(InternalTimerService<TimeWindow> stateTimers) throws Exception;

    /**
     * @return whether the row is late, and dropped
     */
    protected abstract boolean add(RowData row) throws Exception;

    /** Works off what is due on the heap, which comes before the timers of the state. */
    protected abstract void advance(long time) throws Exception;

    @Override
    public void open() throws Exception {
        super.open();
        collector = new TimestampedCollector<>(output);
        collector.eraseTimestamp();
        timers = getInternalTimerService("window-timers", new TimeWindow.Serializer(), this);
        open(timers);
        lateRows =
                metrics.meter(
                        "lateRecordsDroppedRate",
                        new MeterView(metrics.counter("numLateRecordsDropped")));
        metrics.gauge("watermarkLatency", this::watermarkLatency);
    }

    private long watermarkLatency() {
        long watermark = timers.currentWatermark();
        return watermark < 0 ? 0 : timers.currentProcessingTime() - watermark;
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        if (add(element.getValue())) {
            lateRows.markEvent();
        }
    }

    @Override
    public void processWatermark(Watermark mark) throws Exception {
        advance(mark.getTimestamp());
        super.processWatermark(mark);
    }
}
