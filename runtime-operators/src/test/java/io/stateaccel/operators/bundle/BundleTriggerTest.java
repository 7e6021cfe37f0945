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
import java.util.function.BooleanSupplier;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.streaming.runtime.tasks.TestProcessingTimeService;
import org.apache.flink.util.clock.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When bundles end, by a clock that the test turns and a task that is idle when the test says. */
class BundleTriggerTest {

    private static final long SIZE = 100;
    private static final long LATENCY = 1000;
    private static final MemorySize BYTES = new MemorySize(10_000);

    private final TestProcessingTimeService time = new TestProcessingTimeService();
    private final ManualClock clock = new ManualClock();
    private final Task task = new Task();

    /** Reason, rows, and how long the oldest has waited. */
    private final List<String> flushes = new ArrayList<>();

    /** What a flush takes, and how much of that the output holds it up for. */
    private long flushMillis;

    private long heldUpMillis;

    private BundleTrigger trigger;

    @BeforeEach
    void followTheLoad() throws Exception {
        time.setCurrentTime(0);
        trigger = trigger(true);
    }

    private BundleTrigger trigger(boolean followsLoad) {
        return new BundleTrigger(
                new BundleSettings(SIZE, LATENCY, BYTES, followsLoad, true),
                time,
                clock,
                task,
                (reason, rows, waitedMillis) -> {
                    flushes.add(reason + " " + rows + " " + waitedMillis);
                    clock.advanceTime(Duration.ofMillis(flushMillis));
                    task.heldUpMillis += heldUpMillis;
                });
    }

    @AfterEach
    void close() {
        trigger.close();
        assertThat(time.getNumActiveTimers()).isZero();
        assertThat(task.isClosed).isTrue();
    }

    @Test
    void rowsOfAnIdleTaskWaitForNothing() throws Exception {
        add(3);
        task.idle();
        add(1);
        pass(7);
        add(1);
        task.idle();

        assertThat(flushes).containsExactly("idle 3 0", "idle 2 7");
        assertThat(task.sent).containsExactly(3L, 2L);
        assertThat(task.isWaitedFor.getAsBoolean()).isFalse();
    }

    @Test
    void afterAFlushThatTookLongRowsGather() throws Exception {
        flushMillis = 10;
        add(1);
        task.idle();
        add(1);
        task.idle();
        assertThat(flushes).containsExactly("idle 1 0");

        // The task is told of idleness again when it is time to.
        pass(89);
        task.idle();
        add(1);
        task.idle();
        assertThat(flushes).hasSize(1);
        pass(1);
        task.idle();

        assertThat(flushes).containsExactly("idle 1 0", "idle 2 90");
    }

    @Test
    void timeThatTheOutputTakesIsNoReasonToGather() throws Exception {
        flushMillis = 10;
        heldUpMillis = 10;
        add(1);
        task.idle();
        add(1);
        task.idle();

        assertThat(flushes).containsExactly("idle 1 0", "idle 1 0");
    }

    @Test
    void bundlesAreSmallWhereTheOutputIsSlow() throws Exception {
        flushMillis = 200;
        heldUpMillis = 200;
        add((int) SIZE);
        assertThat(trigger.size()).isEqualTo(SIZE / 2);
        add((int) SIZE / 2);

        assertThat(flushes).containsExactly("full 100 0", "full 50 0");
        assertThat(trigger.size()).isEqualTo(SIZE / 4);
    }

    @Test
    void anIdleTaskWaitsALittleForTheOtherHalfOfAnUpdate() throws Exception {
        trigger.rowAdded(1, true);
        task.idle();
        assertThat(flushes).isEmpty();
        trigger.rowAdded(1, false);
        pass(1);
        task.idle();

        assertThat(flushes).containsExactly("idle 2 1");
    }

    @Test
    void theOtherHalfOfAnUpdateMayNeverCome() throws Exception {
        trigger.rowAdded(1, true);
        task.idle();
        pass(1);
        task.idle();

        assertThat(flushes).containsExactly("idle 1 1");
    }

    @Test
    void busyTasksEndBundlesByRowsBytesAndLatency() throws Exception {
        add((int) SIZE);
        trigger.rowAdded(BYTES.getBytes() - 1, false);
        trigger.rowAdded(1, false);
        add(1);
        pass(LATENCY - 1);
        assertThat(flushes).hasSize(2);
        pass(1);

        assertThat(flushes).containsExactly("full 100 0", "bytes 2 0", "latency 1 1000");
        assertThat(task.sent).isEmpty();
    }

    @Test
    void theTimerOfABundleThatHasEndedServesTheNext() throws Exception {
        add(1);
        pass(400);
        trigger.flush(FlushReason.WATERMARK);
        add(1);
        assertThat(time.getNumActiveTimers()).isEqualTo(1);
        pass(600);
        assertThat(time.getNumActiveTimers()).isEqualTo(1);
        pass(400);
        assertThat(flushes).containsExactly("watermark 1 400", "latency 1 1000");

        // None is left when there is nothing to wait for.
        assertThat(time.getNumActiveTimers()).isZero();
        add(1);
        trigger.flush(FlushReason.CHECKPOINT);
        pass(LATENCY);
        assertThat(time.getNumActiveTimers()).isZero();
    }

    @Test
    void settingsThatAreToRuleDo() throws Exception {
        trigger.close();
        trigger = trigger(false);
        heldUpMillis = 200;
        add(1);
        task.idle();
        assertThat(flushes).isEmpty();
        pass(LATENCY);
        add((int) SIZE);

        assertThat(flushes).containsExactly("latency 1 1000", "full 100 0");
        assertThat(trigger.size()).isEqualTo(SIZE);
    }

    private void add(int rows) throws Exception {
        for (int row = 0; row < rows; row++) {
            trigger.rowAdded(1, false);
        }
    }

    private void pass(long millis) throws Exception {
        clock.advanceTime(Duration.ofMillis(millis));
        time.advance(millis);
    }

    private static final class Task implements TaskActivity {

        private BooleanSupplier isWaitedFor = () -> false;
        private Idle idle;
        private boolean isBusy;
        private boolean isClosed;
        private long heldUpMillis;

        /** Rows of bundles whose results were not to wait. */
        private final List<Long> sent = new ArrayList<>();

        void idle() throws Exception {
            if (!isBusy && isWaitedFor.getAsBoolean()) {
                isBusy = !idle.taskIsIdle();
            }
        }

        @Override
        public void flushBegins() {
            heldUpMillis = 0;
        }

        @Override
        public long flushEnds(long tookNanos) {
            return Duration.ofMillis(heldUpMillis).toNanos();
        }

        @Override
        public HoldUpTolerance tolerance() {
            return new HoldUpTolerance(100, 0);
        }

        @Override
        public void whenIdle(BooleanSupplier isWaitedFor, Idle idle) {
            this.isWaitedFor = isWaitedFor;
            this.idle = idle;
        }

        @Override
        public void sendResults(long rows) {
            sent.add(rows);
        }

        @Override
        public void resume() {
            isBusy = false;
        }

        @Override
        public void close() {
            isWaitedFor = () -> false;
            isClosed = true;
        }
    }
}
