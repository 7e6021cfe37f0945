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
package io.stateaccel.operators.bundle;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.CollectorOutput;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.Test;

/** What holds flushes up: a buffer, what is chained behind, or something else. */
class OutputHoldUpTest {

    private static final long TOLERATED = MILLISECONDS.toNanos(20);
    private static final long LONG = MILLISECONDS.toNanos(100);

    private long waitedForBuffers;
    private long usedProcessor;

    /** For how long a result is held up by what is chained behind. */
    private long sinkMillis;

    private final ManualClock clock = new ManualClock();

    private final WatchedOutput output =
            new WatchedOutput(
                    new CollectorOutput<>(new ArrayList<>()) {
                        @Override
                        public void collect(StreamRecord<RowData> result) {
                            clock.advanceTime(Duration.ofMillis(sinkMillis));
                        }
                    },
                    clock);

    private OutputHoldUp holdUp =
            new OutputHoldUp(() -> waitedForBuffers, () -> usedProcessor, output, TOLERATED);

    @Test
    void waitingForABufferCounts() {
        assertThat(flush(LONG, LONG, MILLISECONDS.toNanos(7))).isEqualTo(MILLISECONDS.toNanos(7));
    }

    /** From the second flush on: the first one of them is not watched. */
    @Test
    void waitingInTheOutputCounts() {
        sinkMillis = 60;
        assertThat(flush(LONG, 0, 0)).isZero();
        assertThat(flush(LONG, 0, 0)).isEqualTo(MILLISECONDS.toNanos(60));
        assertThat(flush(LONG, 0, 0)).isEqualTo(MILLISECONDS.toNanos(60));
    }

    @Test
    void waitingForSomethingElseDoesNot() {
        flush(LONG, 0, 0);
        assertThat(flush(LONG, 0, 0)).isZero();
    }

    @Test
    void workDoesNot() {
        sinkMillis = 60;
        flush(LONG, LONG / 4, 0);
        assertThat(flush(LONG, LONG / 4, 0)).isZero();
    }

    @Test
    void whatIsToleratedDoesNot() {
        sinkMillis = 15;
        flush(TOLERATED, 0, 0);
        assertThat(flush(TOLERATED, 0, 0)).isZero();
    }

    @Test
    void withoutTheTimeOfTheProcessorOnlyBuffersDo() {
        holdUp = new OutputHoldUp(() -> waitedForBuffers, () -> -1, output, TOLERATED);
        sinkMillis = 60;
        flush(LONG, 0, 0);
        assertThat(flush(LONG, 0, 3)).isEqualTo(3);
    }

    private long flush(long took, long worked, long waited) {
        holdUp.flushBegins();
        output.collect(GenericRowData.of(1));
        usedProcessor += worked;
        waitedForBuffers += waited;
        return holdUp.flushEnds(took);
    }
}
