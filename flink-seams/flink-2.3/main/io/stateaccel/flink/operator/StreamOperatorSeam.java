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

import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.streaming.api.graph.StreamConfig;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.StreamTask;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.table.data.RowData;

/**
 * What an operator that holds rows back needs of {@link AbstractStreamOperator} and what is not the
 * same in all Flink lines: a call before what has to follow the rows, where the method that passes
 * it on differs, watermarks that are held back, and timers that may be interrupted.
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

    /** Called before the status of one of two inputs is taken in. */
    protected abstract void beforeStatus() throws Exception;

    /** Whether Flink may take in other mail between two timers. */
    protected abstract boolean timersMayBeInterrupted();

    @Override
    protected void setup(
            StreamTask<?, ?> task, StreamConfig config, Output<StreamRecord<RowData>> out) {
        super.setup(
                task,
                config,
                watermarkDelay == 0 ? out : new DelayedWatermarks(out, watermarkDelay));
    }

    /** As Flink 2.3 asks. */
    public final boolean useInterruptibleTimers(ReadableConfig config) {
        return timersMayBeInterrupted();
    }

    /** As Flink 2.2 asks. */
    public final boolean useInterruptibleTimers() {
        return timersMayBeInterrupted();
    }

    /** As Flink 2.0 and 2.1 ask. */
    public final boolean useSplittableTimers() {
        return timersMayBeInterrupted();
    }

    @Override
    public final void processWatermark(WatermarkEvent mark) throws Exception {
        beforeWatermark();
        super.processWatermark(mark);
    }

    @Override
    public final void processWatermark1(WatermarkEvent mark) throws Exception {
        beforeWatermark();
        super.processWatermark1(mark);
    }

    @Override
    public final void processWatermark2(WatermarkEvent mark) throws Exception {
        beforeWatermark();
        super.processWatermark2(mark);
    }

    /** What comes of it may also be the other input's watermark. */
    @Override
    protected final void processWatermarkStatus(WatermarkStatus status, int input)
            throws Exception {
        beforeStatus();
        super.processWatermarkStatus(status, input);
    }
}
