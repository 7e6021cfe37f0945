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
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;

/** Holds watermarks back. Flink 2.3 has such an output of its own, the other lines do not. */
final class DelayedWatermarks extends ForwardingOutput {

    private final long delay;

    /**
     * @param delay in milliseconds
     */
    DelayedWatermarks(Output<StreamRecord<RowData>> out, long delay) {
        super(out);
        this.delay = delay;
    }

    @Override
    public void emitWatermark(Watermark watermark) {
        super.emitWatermark(new Watermark(watermark.getTimestamp() - delay));
    }
}
