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
package io.stateaccel.flink.operator;

import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.OutputTag;
import org.apache.flink.util.function.RunnableWithException;

/** An output that lets rows go out before a status, and holds watermarks back. */
final class StatusBehindRows implements Output<StreamRecord<RowData>> {

    private final Output<StreamRecord<RowData>> out;
    private final long delay;
    private final RunnableWithException beforeStatus;

    /**
     * @param delay of watermarks, in milliseconds
     * @param beforeStatus called before a status goes on, and may put rows out
     */
    StatusBehindRows(
            Output<StreamRecord<RowData>> out, long delay, RunnableWithException beforeStatus) {
        this.out = out;
        this.delay = delay;
        this.beforeStatus = beforeStatus;
    }

    @Override
    public void emitWatermark(Watermark mark) {
        out.emitWatermark(delay == 0 ? mark : new Watermark(mark.getTimestamp() - delay));
    }

    @Override
    public void emitWatermarkStatus(WatermarkStatus status) {
        try {
            beforeStatus.run();
        } catch (Exception e) {
            ExceptionUtils.rethrow(e);
        }
        out.emitWatermarkStatus(status);
    }

    @Override
    public void collect(StreamRecord<RowData> row) {
        out.collect(row);
    }

    @Override
    public <X> void collect(OutputTag<X> tag, StreamRecord<X> row) {
        out.collect(tag, row);
    }

    @Override
    public void emitLatencyMarker(LatencyMarker marker) {
        out.emitLatencyMarker(marker);
    }

    @Override
    public void emitRecordAttributes(RecordAttributes attributes) {
        out.emitRecordAttributes(attributes);
    }

    @Override
    public void close() {
        out.close();
    }
}
