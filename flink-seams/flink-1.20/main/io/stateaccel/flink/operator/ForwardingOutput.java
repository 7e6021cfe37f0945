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
import org.apache.flink.util.OutputTag;

/** Hands everything on to another output. */
public class ForwardingOutput implements Output<StreamRecord<RowData>> {

    private final Output<StreamRecord<RowData>> out;

    public ForwardingOutput(Output<StreamRecord<RowData>> out) {
        this.out = out;
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
    public void emitWatermark(Watermark watermark) {
        out.emitWatermark(watermark);
    }

    @Override
    public void emitWatermarkStatus(WatermarkStatus status) {
        out.emitWatermarkStatus(status);
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
