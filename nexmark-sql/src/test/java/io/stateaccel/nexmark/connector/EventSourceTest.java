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

import io.stateaccel.nexmark.generator.DeviceEvents;
import io.stateaccel.nexmark.generator.GeneratorConfig;
import io.stateaccel.nexmark.generator.SampleEvents;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.function.LongFunction;
import java.util.stream.LongStream;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonProcessingException;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.function.SerializableSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers and enumerator together, without a cluster. */
class EventSourceTest {

    private static final int EVENTS = 95_432;

    /** Fewer, as events of workloads are wide. */
    private static final int WORKLOAD_EVENTS = 35_432;

    private static final RowType TABLE =
            (RowType)
                    DataTypes.ROW(
                                    DataTypes.FIELD("event_type", DataTypes.INT()),
                                    DataTypes.FIELD(
                                            "bid",
                                            DataTypes.ROW(
                                                    DataTypes.FIELD("auction", DataTypes.BIGINT()),
                                                    DataTypes.FIELD("price", DataTypes.BIGINT()),
                                                    DataTypes.FIELD("url", DataTypes.STRING()))),
                                    DataTypes.FIELD(
                                            "auction",
                                            DataTypes.ROW(
                                                    DataTypes.FIELD("id", DataTypes.BIGINT()),
                                                    DataTypes.FIELD("extra", DataTypes.STRING()))))
                            .getLogicalType();
    private static final int[][] WHOLE = {{0}, {1}, {2}};
    private static final int[][] NESTED = {{1, 1}, {0}, {2, 0}, {2}};

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final EventSource<RowData> SOURCE = source(EVENTS);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7})
    void theStreamIsTheSameForAnyParallelism(int parallelism) throws Exception {
        SimulatedJob<RowData, EventRange, PendingEvents> job =
                new SimulatedJob<>(
                        SOURCE, SimulatedJob::asText, parallelism, new Random(parallelism));
        List<String> emitted = new ArrayList<>();
        while (job.step(emitted)) {}
        assertThat(sorted(emitted)).isEqualTo(sorted(expected()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void eventsOfWorkloadsAreTheSameForAnySplit(int parallelism) throws Exception {
        SampleEvents samples = new SampleEvents();
        checkSplits(() -> new SampleEvents()::event, samples::event, parallelism);
        DeviceEvents devices = new DeviceEvents();
        checkSplits(() -> new DeviceEvents()::event, devices::event, parallelism);
    }

    @Test
    void oneReaderEmitsInOrder() throws Exception {
        SimulatedJob<RowData, EventRange, PendingEvents> job =
                new SimulatedJob<>(SOURCE, SimulatedJob::asText, 1, new Random(0));
        List<String> emitted = new ArrayList<>();
        while (job.step(emitted)) {}
        assertThat(emitted).isEqualTo(expected());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void aCheckpointRestoresExactlyAtAnyParallelism(int restoredParallelism) throws Exception {
        Random random = new Random(42);
        SimulatedJob<RowData, EventRange, PendingEvents> job =
                new SimulatedJob<>(SOURCE, SimulatedJob::asText, 3, random);
        List<String> emitted = new ArrayList<>();
        for (int checkpoint = 0; checkpoint < 3; checkpoint++) {
            for (int i = 0; i < 1000; i++) {
                job.step(emitted);
            }
            SimulatedJob.Snapshot snapshot = job.snapshot();
            // What is emitted after the checkpoint is lost with the failure.
            for (int i = 0; i < 500; i++) {
                job.step(new ArrayList<>());
            }
            job = job.restore(restoredParallelism, snapshot);
        }
        while (job.step(emitted)) {}
        assertThat(sorted(emitted)).isEqualTo(sorted(expected()));
    }

    @Test
    void rangesOfAFailedReaderAreHandedOutFirst() throws Exception {
        Queue<EventRange> assigned = new ArrayDeque<>();
        SplitEnumerator<EventRange, PendingEvents> enumerator =
                SOURCE.createEnumerator(
                        SimulatedJob.enumeratorContext(
                                1, (subtask, range) -> assigned.add(range), subtask -> {}));
        enumerator.handleSplitRequest(0, null);
        enumerator.handleSplitRequest(0, null);
        List<EventRange> lost = List.copyOf(assigned);
        assigned.clear();
        enumerator.addSplitsBack(lost, 0);
        PendingEvents snapshot = enumerator.snapshotState(1);
        assertThat(snapshot.returned()).isEqualTo(lost);
        assertThat(copy(snapshot)).isEqualTo(snapshot);
        enumerator.handleSplitRequest(1, null);
        assertThat(assigned).containsExactly(lost.get(0));
    }

    @Test
    void anEndlessStreamDoesNotEnd() throws Exception {
        EventSource<RowData> endless = source(0);
        List<EventRange> assigned = new ArrayList<>();
        List<Integer> done = new ArrayList<>();
        SplitEnumerator<EventRange, PendingEvents> enumerator =
                endless.restoreEnumerator(
                        SimulatedJob.enumeratorContext(
                                1, (subtask, range) -> assigned.add(range), done::add),
                        new PendingEvents(1_000_000_000_000L, List.of()));
        enumerator.handleSplitRequest(0, null);
        assertThat(assigned)
                .containsExactly(new EventRange(1_000_000_000_000L, 1_000_000_010_000L));
        assertThat(done).isEmpty();
    }

    @Test
    void projectedFieldsAreThoseOfWholeRows() {
        EventEncoder whole = new EventEncoder(GeneratorConfig.DEFAULT, TABLE, WHOLE);
        EventEncoder nested = new EventEncoder(GeneratorConfig.DEFAULT, TABLE, NESTED);
        for (long n = 0; n < 200; n++) {
            RowData row = whole.encode(n);
            RowData projected = nested.encode(n);
            assertThat(projected.getInt(1)).isEqualTo(row.getInt(0));
            assertThat(projected.isNullAt(0)).isEqualTo(row.isNullAt(1));
            assertThat(projected.isNullAt(2)).isEqualTo(row.isNullAt(2));
            if (!row.isNullAt(1)) {
                assertThat(projected.getLong(0)).isEqualTo(row.getRow(1, 3).getLong(1));
            }
            if (!row.isNullAt(2)) {
                assertThat(projected.getLong(2)).isEqualTo(row.getRow(2, 2).getLong(0));
                assertThat(projected.getRow(3, 2)).isEqualTo(row.getRow(2, 2));
            }
        }
    }

    @Test
    void unknownFormatsAreRefused() {
        assertThatThrownBy(() -> new EventRangeSerializer().deserialize(9, new byte[16]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("9");
        assertThatThrownBy(() -> new PendingEvents.Serializer().deserialize(9, new byte[16]))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("9");
    }

    private static <T> void checkSplits(
            SerializableSupplier<LongFunction<T>> generators,
            LongFunction<T> generator,
            int parallelism)
            throws Exception {
        SimulatedJob<T, EventRange, PendingEvents> job =
                new SimulatedJob<>(
                        new EventSource<>(generators, WORKLOAD_EVENTS),
                        EventSourceTest::asJson,
                        parallelism,
                        new Random(parallelism));
        List<String> emitted = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            job.step(emitted);
        }
        job = job.restore(parallelism + 1, job.snapshot());
        while (job.step(emitted)) {}
        assertThat(sorted(emitted))
                .isEqualTo(
                        sorted(
                                LongStream.range(0, WORKLOAD_EVENTS)
                                        .mapToObj(generator)
                                        .map(EventSourceTest::asJson)
                                        .toList()));
    }

    private static String asJson(Object event) {
        try {
            return JSON.writeValueAsString(event);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static EventSource<RowData> source(long events) {
        return new EventSource<>(
                () -> new EventEncoder(GeneratorConfig.DEFAULT, TABLE, WHOLE)::encode, events);
    }

    private static PendingEvents copy(PendingEvents pending) throws IOException {
        PendingEvents.Serializer serializer = new PendingEvents.Serializer();
        return serializer.deserialize(serializer.getVersion(), serializer.serialize(pending));
    }

    private static List<String> expected() {
        EventEncoder encoder = new EventEncoder(GeneratorConfig.DEFAULT, TABLE, WHOLE);
        return LongStream.range(0, EVENTS)
                .mapToObj(n -> SimulatedJob.asText(encoder.encode(n)))
                .toList();
    }

    private static List<String> sorted(List<String> rows) {
        return rows.stream().sorted(Comparator.naturalOrder()).toList();
    }
}
