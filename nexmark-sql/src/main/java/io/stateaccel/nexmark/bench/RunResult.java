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
package io.stateaccel.nexmark.bench;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What one run measured.
 *
 * @param variant name of the variant
 * @param run number of the run, from 1
 * @param events events read
 * @param wallSeconds from the job's start to its end, by the JobManager's clock
 * @param cpuSeconds CPU time of the process that ran the tasks, from just before the job was
 *     submitted to its end
 * @param checkpoints completed checkpoints
 * @param checksum digest of the query's final result
 * @param changes changes the sink received for it
 */
record RunResult(
        String variant,
        int run,
        long events,
        double wallSeconds,
        double cpuSeconds,
        long checkpoints,
        String checksum,
        long changes) {

    @JsonProperty
    double eventsPerCoreSecond() {
        return events / cpuSeconds;
    }

    RunResult asRun(int number) {
        return new RunResult(
                variant, number, events, wallSeconds, cpuSeconds, checkpoints, checksum, changes);
    }
}
