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

import io.stateaccel.flink.operator.ForwardingOutput;
import java.lang.reflect.Field;
import java.util.function.Consumer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;

/** Hands each row that an operator emits to a consumer; Flink's harness would keep all of them. */
public final class RowOutput extends ForwardingOutput {

    private final Consumer<RowData> consumer;

    private RowOutput(Consumer<RowData> consumer) {
        super(null);
        this.consumer = consumer;
    }

    /**
     * Sets the harness up and puts the output into its operator, in a way that every Flink line
     * has. To be called after the state backend is set, and before the operator is opened.
     */
    public static void of(
            AbstractStreamOperatorTestHarness<RowData> harness, Consumer<RowData> consumer)
            throws ReflectiveOperationException {
        harness.setup();
        Field output = AbstractStreamOperator.class.getDeclaredField("output");
        output.setAccessible(true);
        output.set(harness.getOperator(), new RowOutput(consumer));
    }

    @Override
    public void collect(StreamRecord<RowData> row) {
        consumer.accept(row.getValue());
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
    public void close() {}
}
