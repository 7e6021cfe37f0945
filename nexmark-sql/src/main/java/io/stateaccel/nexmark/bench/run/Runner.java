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

import java.util.function.Consumer;

/** A place where runs can happen. */
public interface Runner extends AutoCloseable {

    /**
     * Does one run from a fresh start.
     *
     * @param spec what to run
     * @param progress told about once a second how far the run is
     * @return the measurements, as run 0
     * @throws RunFailure if the run does not end well
     */
    RunResult run(RunSpec spec, Consumer<Progress> progress);

    /** Stops what is still running and deletes what was written. May be called from any thread. */
    @Override
    void close();
}
