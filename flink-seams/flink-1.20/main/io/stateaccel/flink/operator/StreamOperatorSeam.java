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

import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.table.data.RowData;

/**
 * As in later lines, but without generalized watermarks, and with the status of two inputs taken in
 * by a method that cannot be overridden: what comes of it is met on its way out.
 */
public abstract class StreamOperatorSeam extends AbstractStreamOperator<RowData> {

    private static final long serialVersionUID = 1L;

    private final long watermarkDelay;

    /**
     * @param watermarkDelay by how many milliseconds watermarks are held back
     */
    protected StreamOperatorSeam(long watermarkDelay) {
        this.watermarkDelay = watermarkDelay;
    }

    /** Called before a generalized watermark goes on, in the lines that have such. */
    protected abstract void beforeWatermark() throws Exception;

    /** Called before the status of the inputs goes on. */
    protected abstract void beforeStatus() throws Exception;

    /** Whether Flink may take in other mail between two timers. */
    protected abstract boolean timersMayBeInterrupted();

    @Override
    public void setup(
            StreamTask<?, ?> task, StreamConfig config, Output<StreamRecord<RowData>> out) {
        Output<StreamRecord<RowData>> delayed =
                watermarkDelay == 0 ? out : new DelayedWatermarks(out, watermarkDelay);
        super.setup(task, config, new StatusBehindRows(delayed, this::beforeStatus));
    }

    @Override
    public final boolean useSplittableTimers() {
        return timersMayBeInterrupted();
    }
}
