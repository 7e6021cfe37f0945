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
package io.stateaccel.operators;

import java.util.function.Consumer;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.OutputTag;

/** Hands each row that an operator emits to a consumer; Flink's harness would keep all of them. */
public record RowOutput(Consumer<RowData> consumer) implements Output<StreamRecord<RowData>> {

    @Override
    public void collect(StreamRecord<RowData> row) {
        consumer.accept(row.getValue());
    }

    @Override
    public <X> void collect(OutputTag<X> tag, StreamRecord<X> row) {
        throw new UnsupportedOperationException("There is no side output");
    }

    @Override
    public void emitWatermark(Watermark watermark) {}

    @Override
    public void emitWatermarkStatus(WatermarkStatus status) {}

    @Override
    public void emitLatencyMarker(LatencyMarker marker) {}

    @Override
    public void emitRecordAttributes(RecordAttributes attributes) {}

    @Override
    public void emitWatermark(WatermarkEvent watermark) {}

    @Override
    public void close() {}
}
