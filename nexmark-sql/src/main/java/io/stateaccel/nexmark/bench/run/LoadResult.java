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
package io.stateaccel.nexmark.bench.run;

import io.stateaccel.nexmark.bench.measure.CheckpointTimes;
import io.stateaccel.nexmark.bench.measure.Footprint;
import io.stateaccel.nexmark.bench.measure.LatencyStats;
import java.util.List;

/**
 * What one run under a {@link Load} measured.
 *
 * @param variant name of the variant
 * @param run number of the run, from 1
 * @param rowsPerSecond rows that the source emitted per second of the measured time; null if it was
 *     too short to tell
 * @param cpuSeconds CPU time in the measured time of the process that ran the job, the JobManager's
 *     part included
 * @param latency how long results took; null if the job was cancelled
 * @param checkpoints those that were triggered in the measured time
 * @param footprints what the job occupied over time, warm-up included; empty if nobody asked
 */
public record LoadResult(
        String variant,
        int run,
        Double rowsPerSecond,
        double cpuSeconds,
        LatencyStats latency,
        CheckpointTimes checkpoints,
        List<Footprint> footprints) {

    public LoadResult asRun(int number) {
        return new LoadResult(
                variant, number, rowsPerSecond, cpuSeconds, latency, checkpoints, footprints);
    }
}
