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

import io.stateaccel.nexmark.bench.measure.CheckpointStats;
import io.stateaccel.nexmark.bench.measure.ResourceUse;
import io.stateaccel.nexmark.bench.measure.Sample;
import io.stateaccel.nexmark.checksum.Checksum;
import java.util.List;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What one run measured.
 *
 * @param variant name of the variant
 * @param run number of the run, from 1
 * @param events events read
 * @param wallSeconds from the job's start to the end of its input, by the cluster's clocks
 * @param cpuSeconds CPU time of the process that ran the tasks, from just before the job was
 *     submitted to its end; of all task managers if the cluster is remote
 * @param checksum digest of the query's final result
 * @param changes changes the sink received for it
 * @param checkpoints the run's checkpoints
 * @param resources what else the process used
 * @param recoverySeconds from the submission of a job that starts from a checkpoint to the moment
 *     all its tasks run; null if the query does not measure it, or was too short to
 * @param samples the run's curve
 */
public record RunResult(
        String variant,
        int run,
        long events,
        double wallSeconds,
        double cpuSeconds,
        String checksum,
        long changes,
        CheckpointStats checkpoints,
        ResourceUse resources,
        Double recoverySeconds,
        List<Sample> samples) {

    /** A result of which nothing is known but its cost. */
    static RunResult of(RunSpec spec, double wallSeconds, double cpuSeconds, Checksum checksum) {
        return new RunResult(
                spec.variant(),
                0,
                spec.events(),
                wallSeconds,
                cpuSeconds,
                checksum.digest(),
                checksum.changes(),
                null,
                null,
                null,
                List.of());
    }

    @JsonProperty
    public double eventsPerCoreSecond() {
        return events / cpuSeconds;
    }

    public RunResult asRun(int number) {
        return new RunResult(
                variant,
                number,
                events,
                wallSeconds,
                cpuSeconds,
                checksum,
                changes,
                checkpoints,
                resources,
                recoverySeconds,
                samples);
    }

    RunResult with(CheckpointStats checkpoints, ResourceUse resources, List<Sample> samples) {
        return new RunResult(
                variant,
                run,
                events,
                wallSeconds,
                cpuSeconds,
                checksum,
                changes,
                checkpoints,
                resources,
                recoverySeconds,
                samples);
    }

    /** This run with a result that the job has left elsewhere. */
    RunResult withResult(String digest, long changesOfIt) {
        return new RunResult(
                variant,
                run,
                events,
                wallSeconds,
                cpuSeconds,
                digest,
                changesOfIt,
                checkpoints,
                resources,
                recoverySeconds,
                samples);
    }

    RunResult withRecovery(double seconds) {
        return new RunResult(
                variant,
                run,
                events,
                wallSeconds,
                cpuSeconds,
                checksum,
                changes,
                checkpoints,
                resources,
                seconds,
                samples);
    }
}
