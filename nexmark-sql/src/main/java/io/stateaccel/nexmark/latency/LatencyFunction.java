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
package io.stateaccel.nexmark.latency;

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;

/**
 * Measures the latencies of results. They are the job's accumulators when it has finished; a job
 * that is cancelled or fails tells none. Emits nothing and keeps no state.
 */
final class LatencyFunction extends ProcessFunction<RowData, RowData> {

    private static final long serialVersionUID = 1L;

    private final LatencyColumns columns;
    private final long startMicros;
    private final long fromMicros;
    private final long untilMicros;
    private final double rowsPerSecond;

    private transient Arrivals arrivals;
    private transient Pace pace;

    /**
     * @param startMicros what creation times are told from, microseconds since the epoch, as are
     *     the others
     * @param fromMicros rows created earlier do not count
     * @param untilMicros nor do rows created then or later
     * @param rowsPerSecond how many changes all sub-tasks together take, 0 for as many as come
     */
    LatencyFunction(
            LatencyColumns columns,
            long startMicros,
            long fromMicros,
            long untilMicros,
            double rowsPerSecond) {
        this.columns = columns;
        this.startMicros = startMicros;
        this.fromMicros = fromMicros;
        this.untilMicros = untilMicros;
        this.rowsPerSecond = rowsPerSecond;
    }

    @Override
    public void open(OpenContext openContext) {
        arrivals = new Arrivals(fromMicros - startMicros, untilMicros - startMicros);
        if (rowsPerSecond > 0) {
            int subtasks = getRuntimeContext().getTaskInfo().getNumberOfParallelSubtasks();
            pace = new Pace(rowsPerSecond / subtasks, System.nanoTime());
        }
    }

    @Override
    public void processElement(RowData row, Context context, Collector<RowData> out)
            throws InterruptedException {
        if (pace != null) {
            Thread.sleep(pace.millisToWait(System.nanoTime()));
        }
        switch (row.getRowKind()) {
            case INSERT, UPDATE_AFTER ->
                    arrivals.arrived(
                            row.getLong(columns.key()),
                            row.getLong(columns.rows()),
                            row.getLong(columns.createdSum()),
                            WallClock.micros() - startMicros);
            case UPDATE_BEFORE, DELETE -> {}
        }
    }

    /** Notes that the input has ended. */
    void endInput() {
        // Not before: the accumulators of a running job are copied time and again.
        getRuntimeContext().addAccumulator(Latencies.OF_ROWS, arrivals.ofRows());
        getRuntimeContext().addAccumulator(Latencies.OF_RESULTS, arrivals.ofResults());
    }
}
