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
package io.stateaccel.nexmark.bench.measure;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks now and then at what the job of this process occupies. A look collects the garbage of the
 * whole heap. Used by one thread.
 */
public final class FootprintMeter {

    private final List<Path> stateDirectories;
    private final Instant from;
    private final Duration every;
    private final List<Footprint> footprints = new ArrayList<>();
    private Instant next = Instant.MIN;

    /**
     * @param stateDirectories where the state's local files are; need not exist
     * @param from when the measured time begins
     * @param every how long to wait from one look to the next
     */
    public FootprintMeter(List<Path> stateDirectories, Instant from, Duration every) {
        this.stateDirectories = stateDirectories;
        this.from = from;
        this.every = every;
    }

    /** Looks, if it is time to; to be called more often than that. */
    public void sample(Instant now) {
        if (!now.isBefore(next)) {
            next = now.plus(every);
            look(now);
        }
    }

    /** Looks. */
    public void look(Instant now) {
        StateFiles files = StateFiles.in(stateDirectories);
        footprints.add(
                new Footprint(
                        Duration.between(from, now).toMillis() / 1e3,
                        files.bytes(),
                        files.count(),
                        liveHeapBytes()));
    }

    /** What was seen so far. */
    public List<Footprint> footprints() {
        return List.copyOf(footprints);
    }

    private static long liveHeapBytes() {
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }
}
