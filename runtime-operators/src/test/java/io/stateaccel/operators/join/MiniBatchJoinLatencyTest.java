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
package io.stateaccel.operators.join;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.join.JoinScenario.ColumnSelector;
import io.stateaccel.operators.join.JoinScenario.Side;
import io.stateaccel.operators.join.JoinScenario.UniqueKey;
import io.stateaccel.views.join.InputChangelog;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * How long a result is held back at ten rows a second with the default settings, and that the timer
 * does nothing in vain. Time is the harness's own, so what is measured is what the operator decides
 * and not how fast a machine is. Every row has one match, so every bundle that is flushed is seen.
 */
class MiniBatchJoinLatencyTest {

    private static final long SIZE = StateAccelOptions.MINI_BATCH_SIZE.defaultValue();
    private static final long LATENCY =
            StateAccelOptions.MINI_BATCH_ALLOW_LATENCY.defaultValue().toMillis();
    private static final long TOLERANCE = 50;

    private static final long BETWEEN_ROWS = 100;
    private static final long TICK = 5;
    private static final int ROWS = 300;
    private static final int KEYS = 7;

    private KeyedTwoInputStreamOperatorTestHarness<RowData, RowData, RowData, RowData> harness;

    /** When a row came that has not been joined yet. */
    private final Map<String, Long> arrivals = new HashMap<>();

    private long now;
    private int sent;
    private int read;
    private int firings;
    private int bundlesFlushedByTimer;
    private long longestWait;

    @BeforeEach
    void openWithOneMatchForEveryKey() throws Exception {
        Side appends = new Side(2, 0, UniqueKey.NONE, InputChangelog.INSERT_ONLY, 0);
        ColumnSelector key = new ColumnSelector(0);
        harness =
                new KeyedTwoInputStreamOperatorTestHarness<>(
                        new MiniBatchJoinOperator(
                                new MiniBatchJoinSpec(
                                        FlinkJoinType.INNER,
                                        appends.accelerated(),
                                        appends.accelerated(),
                                        new JoinScenario.NoCondition(),
                                        new boolean[] {true},
                                        true,
                                        new BundleSettings(SIZE, LATENCY))),
                        key,
                        key,
                        key.getProducedType());
        harness.open();
        for (int i = 0; i < KEYS; i++) {
            harness.processElement1(
                    new StreamRecord<>(JoinScenario.parse("+I key-" + i + ", match")));
        }
        harness.prepareSnapshotPreBarrier(1);
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void resultsOfAnIdleStreamAreOutInTime() throws Exception {
        while (sent < ROWS) {
            send();
            passTime(BETWEEN_ROWS);
        }
        passTime(LATENCY);

        assertThat(arrivals).as("rows that have not been joined").isEmpty();
        assertThat(longestWait).isBetween(1L, LATENCY + TOLERANCE);
        assertThat(firings).isEqualTo(bundlesFlushedByTimer).isPositive();
    }

    @Test
    void singleRowOfAnIdleStreamIsOutInTime() throws Exception {
        for (int i = 0; i < 10; i++) {
            send();
            passTime(7 * LATENCY);
        }

        assertThat(arrivals).isEmpty();
        assertThat(longestWait).isBetween(1L, LATENCY + TOLERANCE);
        assertThat(firings).isEqualTo(10).isEqualTo(bundlesFlushedByTimer);
    }

    @Test
    void noTimerFlushesOnceSomethingElseHas() throws Exception {
        while (sent < ROWS) {
            send();
            passTime(BETWEEN_ROWS);
            if (sent % 9 == 0) {
                harness.processBothWatermarks(new Watermark(now));
                readResults();
                assertThat(harness.getProcessingTimeService().getNumActiveTimers())
                        .isLessThanOrEqualTo(1);
            }
        }

        assertThat(longestWait).isBetween(1L, 9 * BETWEEN_ROWS);
        assertThat(bundlesFlushedByTimer).isZero();
        assertThat(firings).isLessThanOrEqualTo((int) (now / (LATENCY - 9 * BETWEEN_ROWS)));
        passTime(LATENCY);
        assertThat(harness.getProcessingTimeService().getNumActiveTimers()).isZero();
    }

    @Test
    void oneTimerIsEnoughWhateverElseFlushes() throws Exception {
        Random random = new Random(42);
        long checkpoint = 1;
        while (sent < 10 * ROWS) {
            if (random.nextInt(3) > 0) {
                send();
            }
            switch (random.nextInt(30)) {
                case 0 -> harness.processBothWatermarks(new Watermark(now));
                case 1 -> harness.prepareSnapshotPreBarrier(++checkpoint);
                case 2 -> passTime(random.nextInt((int) (3 * LATENCY)));
                default -> passTime(BETWEEN_ROWS);
            }
            readResults();
            assertThat(harness.getProcessingTimeService().getNumActiveTimers())
                    .isLessThanOrEqualTo(1);
        }
        passTime(LATENCY);

        assertThat(arrivals).isEmpty();
        assertThat(longestWait).isBetween(1L, LATENCY + TOLERANCE);
        assertThat(bundlesFlushedByTimer).isPositive();
        assertThat(firings).isBetween(bundlesFlushedByTimer, (int) (3 * now / LATENCY));
    }

    private void send() throws Exception {
        String id = "row-" + sent;
        arrivals.put(id, now);
        harness.processElement2(
                new StreamRecord<>(JoinScenario.parse("+I key-" + sent % KEYS + ", " + id)));
        sent++;
    }

    private void passTime(long millis) throws Exception {
        for (long end = now + millis; now < end; ) {
            now = Math.min(end, now + TICK);
            int due =
                    (int)
                            harness.getProcessingTimeService().getActiveTimerTimestamps().stream()
                                    .filter(timestamp -> timestamp <= now)
                                    .count();
            harness.setProcessingTime(now);
            firings += due;
            if (readResults() > 0) {
                bundlesFlushedByTimer++;
            }
        }
    }

    /** Returns how many results have come since the last time. */
    private int readResults() {
        var results = harness.extractOutputValues();
        int before = read;
        for (; read < results.size(); read++) {
            long arrived = arrivals.remove(results.get(read).getString(3).toString());
            longestWait = Math.max(longestWait, now - arrived);
        }
        return read - before;
    }
}
