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
package io.stateaccel.nexmark.connector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.stateaccel.nexmark.generator.GeneratorConfig;
import io.stateaccel.nexmark.latency.WallClock;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import java.util.stream.LongStream;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.core.io.InputStatus;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When events are due, and that they come then and in all. */
class TimetableSourceTest {

    private static final long START = WallClock.micros(Instant.parse("2026-01-02T03:04:05Z"));
    private static final int EVENTS = 20_321;

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 10, 1_000, 50_000, 9_999_999})
    void eventsAreDueAtASteadyRate(int rate) {
        LongUnaryOperator due = due(rate, 0);
        assertThat(due.applyAsLong(0)).isEqualTo(START);
        for (long number : new long[] {1, 2, 999, 1_000_000, 1_000_000_007L}) {
            assertThat((double) (due.applyAsLong(number) - START))
                    .isCloseTo(number * 1e6 / rate, within(1.0));
        }
    }

    @Test
    void theyComeAtHalfTheRateAtFirst() {
        LongUnaryOperator due = due(1_000, 4_000_000);
        assertThat(due.applyAsLong(1)).isEqualTo(START + 2_000);
        assertThat(due.applyAsLong(2_000)).isEqualTo(START + 4_000_000);
        assertThat(due.applyAsLong(2_001)).isEqualTo(START + 4_001_000);
        assertThat(due.applyAsLong(5_000)).isEqualTo(START + 7_000_000);
    }

    @Test
    void ratesThatAlternateDoSoByTheClock() {
        GeneratorConfig config = GeneratorConfig.DEFAULT;
        LongUnaryOperator due =
                new Timetable(
                                new GeneratorConfig(
                                        100,
                                        1_000,
                                        10,
                                        config.baseTimeMillis(),
                                        1,
                                        3,
                                        46,
                                        0,
                                        0,
                                        0,
                                        2,
                                        4,
                                        4),
                                START,
                                0)
                        .dueMicros();
        assertThat(due.applyAsLong(500)).isEqualTo(START + 5_000_000);
        assertThat(due.applyAsLong(501)).isEqualTo(START + 5_001_000);
        assertThat(due.applyAsLong(5_500)).isEqualTo(START + 10_000_000);
        assertThat(due.applyAsLong(5_501)).isEqualTo(START + 10_010_000);
    }

    @Test
    void noneComesBeforeItIsDueAndAllThatAreDueCome() throws Exception {
        // Ten per second, two lanes: events 1, 3, 5 are due after 100, 300 and 500 milliseconds.
        TestReader reader = new TestReader(due(10, 0), 6);
        reader.lanes(new EventLane(1, 2));
        reader.clock = START + 99_999;
        assertThat(reader.poll()).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        reader.clock = START + 100_000;
        assertThat(reader.poll()).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        assertThat(reader.emitted).containsExactly(1L);
        reader.clock = START + 600_000;
        assertThat(reader.poll()).isEqualTo(InputStatus.END_OF_INPUT);
        assertThat(reader.emitted).containsExactly(1L, 3L, 5L);
    }

    @Test
    void whatIsDueWithinAMillisecondComesTogether() throws Exception {
        TestReader reader = new TestReader(due(100_000, 0), 1_000);
        reader.lanes(new EventLane(0, 1));
        reader.clock = START + 1_000;
        assertThat(reader.pollAll()).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        assertThat(reader.emitted).isEqualTo(LongStream.rangeClosed(0, 100).boxed().toList());
    }

    @Test
    void aReaderThatWasHeldUpCatchesUp() throws Exception {
        TestReader reader = new TestReader(due(1_000, 0), 10_000);
        reader.lanes(new EventLane(0, 1));
        reader.clock = START + 2_000_000;
        reader.pollAll();
        assertThat(reader.emitted).hasSize(2_001);
        reader.clock += 10_000;
        reader.pollAll();
        assertThat(reader.emitted).hasSize(2_011);
    }

    @Test
    void lanesOfOneReaderAreMergedInOrder() throws Exception {
        TestReader reader = new TestReader(due(1_000, 0), 11);
        reader.lanes(new EventLane(2, 3), new EventLane(0, 3), new EventLane(1, 3));
        reader.clock = START + 5_000;
        reader.pollAll();
        assertThat(reader.reader.snapshotState(1))
                .containsExactlyInAnyOrder(
                        new EventLane(6, 3), new EventLane(7, 3), new EventLane(8, 3));
        reader.clock = START + 60_000;
        assertThat(reader.pollAll()).isEqualTo(InputStatus.END_OF_INPUT);
        assertThat(reader.emitted).isEqualTo(LongStream.range(0, 11).boxed().toList());
    }

    @Test
    void aReaderWakesWhenTheNextEventIsDue() throws Exception {
        TestReader reader = new TestReader(due(20, 0), 2);
        reader.lanes(new EventLane(1, 2));
        reader.clock = START;
        assertThat(reader.poll()).isEqualTo(InputStatus.NOTHING_AVAILABLE);
        reader.reader.isAvailable().get(1, TimeUnit.MINUTES);
        reader.clock = START + 50_000;
        assertThat(reader.poll()).isEqualTo(InputStatus.END_OF_INPUT);
        assertThat(reader.emitted).containsExactly(1L);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void theStreamIsTheSameForAnyParallelism(int parallelism) throws Exception {
        SimulatedJob<Long, EventLane, List<EventLane>> job = job(parallelism, new Random(1));
        List<String> emitted = new ArrayList<>();
        while (job.step(emitted)) {}
        assertAll(emitted);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void aCheckpointRestoresExactlyAtAnyParallelism(int restoredParallelism) throws Exception {
        SimulatedJob<Long, EventLane, List<EventLane>> job = job(3, new Random(42));
        List<String> emitted = new ArrayList<>();
        for (int checkpoint = 0; checkpoint < 3; checkpoint++) {
            // The first one is so early that some lanes have not been asked for.
            for (int i = 0; i < 1 + 200 * checkpoint; i++) {
                job.step(emitted);
            }
            SimulatedJob.Snapshot snapshot = job.snapshot();
            // What is emitted after the checkpoint is lost with the failure.
            for (int i = 0; i < 100; i++) {
                job.step(new ArrayList<>());
            }
            job = job.restore(restoredParallelism, snapshot);
        }
        while (job.step(emitted)) {}
        assertAll(emitted);
    }

    @Test
    void lanesOfAFailedReaderGoBackToIt() throws Exception {
        List<EventLane> assigned = new ArrayList<>();
        List<Integer> done = new ArrayList<>();
        SplitEnumerator<EventLane, List<EventLane>> enumerator =
                source().createEnumerator(
                                SimulatedJob.enumeratorContext(
                                        2, (subtask, lane) -> assigned.add(lane), done::add));
        enumerator.handleSplitRequest(1, null);
        assertThat(assigned).containsExactly(new EventLane(1, 2));
        enumerator.addSplitsBack(List.of(new EventLane(11, 2)), 1);
        assertThat(enumerator.snapshotState(1))
                .containsExactlyInAnyOrder(new EventLane(0, 2), new EventLane(11, 2));
        enumerator.handleSplitRequest(1, null);
        assertThat(assigned).containsExactly(new EventLane(1, 2), new EventLane(11, 2));
        assertThat(done).containsExactly(1, 1);
    }

    @Test
    void unknownFormatsAreRefused() {
        assertThatThrownBy(() -> new EventLaneSerializer().deserialize(9, new byte[16]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("9");
        assertThatThrownBy(() -> new EventLaneSerializer.OfMany().deserialize(9, new byte[16]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("9");
    }

    private static LongUnaryOperator due(int rate, long rampMicros) {
        return new Timetable(GeneratorConfig.DEFAULT.withEventRate(rate), START, rampMicros)
                .dueMicros();
    }

    /** All of its events are late. */
    private static TimetableSource<Long> source() {
        return new TimetableSource<>(
                () -> number -> number, EVENTS, new Timetable(GeneratorConfig.DEFAULT, 0, 0));
    }

    private static SimulatedJob<Long, EventLane, List<EventLane>> job(
            int parallelism, Random random) throws Exception {
        return new SimulatedJob<>(source(), String::valueOf, parallelism, random);
    }

    private static void assertAll(List<String> emitted) {
        assertThat(emitted.stream().map(Long::valueOf).sorted().toList())
                .isEqualTo(LongStream.range(0, EVENTS).boxed().toList());
    }

    /** A reader with a clock that the test sets. */
    private static final class TestReader {
        private final EventLaneReader<Long> reader;
        private final List<Long> emitted = new ArrayList<>();
        private long clock = START;

        private TestReader(LongUnaryOperator due, long end) {
            reader =
                    new EventLaneReader<>(
                            SimulatedJob.readerContext(() -> {}),
                            number -> number,
                            due,
                            end,
                            () -> clock);
            reader.start();
        }

        private void lanes(EventLane... lanes) {
            reader.addSplits(List.of(lanes));
            reader.notifyNoMoreSplits();
        }

        private InputStatus pollAll() throws Exception {
            InputStatus status = poll();
            while (status == InputStatus.MORE_AVAILABLE) {
                status = poll();
            }
            return status;
        }

        private InputStatus poll() throws Exception {
            return reader.pollNext(SimulatedJob.output(emitted::add));
        }
    }
}
