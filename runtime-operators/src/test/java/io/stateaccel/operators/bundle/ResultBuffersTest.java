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

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.runtime.tasks.TestProcessingTimeService;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ResultBuffersTest {

    private static final int MOST_BUFFERS = 50;
    private static final int TIMEOUT_MILLIS = 100;

    private final TestProcessingTimeService time = new TestProcessingTimeService();
    private final ManualClock clock = new ManualClock();

    /** When buffers were sent. */
    private final List<Long> sent = new ArrayList<>();

    private ResultBuffers buffers = withTimeout(TIMEOUT_MILLIS);

    private ResultBuffers withTimeout(long millis) {
        return new ResultBuffers(
                () -> sent.add(time.getCurrentProcessingTime()), MOST_BUFFERS, millis, time, clock);
    }

    @BeforeEach
    void begin() throws Exception {
        time.setCurrentTime(0);
    }

    @AfterEach
    void close() {
        buffers.close();
        assertThat(time.getNumActiveTimers()).isZero();
    }

    @Test
    void areSentAtOnceWhereThatIsSeldom() throws Exception {
        buffers.send(1);
        pass(20);
        buffers.send(1);
        pass(1000);
        buffers.send(1);

        assertThat(sent).containsExactly(0L, 20L, 1020L);
    }

    @Test
    void waitForOneAnotherALittleWhereItIsNot() throws Exception {
        buffers.send(1);
        pass(1);
        buffers.send(1);
        buffers.send(1);
        pass(18);
        assertThat(sent).containsExactly(0L);
        pass(1);
        assertThat(sent).containsExactly(0L, 20L);
        pass(1000);

        assertThat(sent).hasSize(2);
    }

    @Test
    void ofManyRowsAreManySoTheNextOnesWaitForLonger() throws Exception {
        buffers.send(30);
        pass(1);
        buffers.send(1000);
        pass(28);
        assertThat(sent).containsExactly(0L);
        pass(1);
        assertThat(sent).containsExactly(0L, 30L);

        // There are no more buffers than sub-partitions.
        buffers.send(1);
        pass(MOST_BUFFERS);
        assertThat(sent).containsExactly(0L, 30L, 80L);
    }

    @Test
    void areLeftToFlinkWhereItSendsThemSooner() throws Exception {
        buffers.close();
        buffers = withTimeout(MOST_BUFFERS);
        buffers.send(1000);
        buffers.send(1);

        assertThat(time.getNumActiveTimers()).isZero();
        pass(MOST_BUFFERS);
        buffers.send(1);
        assertThat(sent).containsExactly(0L, 50L);
    }

    @Test
    void areSentByFlinkAloneWhereItHardlyWaitsOrIsToFillThem() throws Exception {
        for (long timeoutMillis : new long[] {-1, 0, 20}) {
            withTimeout(timeoutMillis).send(1);
        }

        assertThat(sent).isEmpty();
    }

    private void pass(long millis) throws Exception {
        clock.advanceTime(Duration.ofMillis(millis));
        time.advance(millis);
    }
}
