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
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.function.RunnableWithException;

/** Lets rows go out before a status. */
final class StatusBehindRows extends ForwardingOutput {

    private final RunnableWithException beforeStatus;

    /**
     * @param beforeStatus called before a status goes on, and may put rows out
     */
    StatusBehindRows(Output<StreamRecord<RowData>> out, RunnableWithException beforeStatus) {
        super(out);
        this.beforeStatus = beforeStatus;
    }

    @Override
    public void emitWatermarkStatus(WatermarkStatus status) {
        try {
            beforeStatus.run();
        } catch (Exception e) {
            ExceptionUtils.rethrow(e);
        }
        super.emitWatermarkStatus(status);
    }
}
