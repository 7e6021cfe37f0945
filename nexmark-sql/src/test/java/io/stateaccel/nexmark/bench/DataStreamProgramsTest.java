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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.nexmark.NexmarkCluster;
import io.stateaccel.nexmark.bench.variants.Variant;
import io.stateaccel.nexmark.checksum.Checksum;
import io.stateaccel.nexmark.checksum.ChecksumSink;
import io.stateaccel.nexmark.generator.DeviceEvent;
import io.stateaccel.nexmark.generator.DeviceEvents;
import io.stateaccel.nexmark.generator.SampleEvent;
import io.stateaccel.nexmark.generator.SampleEvent.Action;
import io.stateaccel.nexmark.generator.SampleEvent.Kind;
import io.stateaccel.nexmark.generator.SampleEvents;
import io.stateaccel.nexmark.workload.DataStreamProgram;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.VarCharType;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The DataStream workloads end, with the result of a few lines of Java over the same events. */
class DataStreamProgramsTest {

    private static final long EVENTS = 25_000;

    @RegisterExtension
    private static final MiniClusterExtension CLUSTER = NexmarkCluster.extension();

    @ParameterizedTest
    @CsvSource({"stock, 1", "stock, 2", "accel, 1", "accel, 2", "hashmap, 2"})
    void sampleJoinGathersEachSample(String variant, int parallelism) throws Exception {
        Checksum checksum = run(DataStreamProgram.SAMPLE_JOIN, variant, parallelism);
        assertThat(checksum.digest()).isEqualTo(checksumOf(naiveSamples()).digest());
        assertThat(checksum.rows()).isEqualTo(EVENTS / 4);
        assertThat(checksum.changes()).as("each sample is emitted once").isEqualTo(EVENTS / 4);
    }

    @ParameterizedTest
    @CsvSource({"stock, 1", "stock, 2", "accel, 1", "accel, 2", "hashmap, 2"})
    void iotLastSeenKeepsTheLatestTimes(String variant, int parallelism) throws Exception {
        Checksum checksum = run(DataStreamProgram.IOT_LAST_SEEN, variant, parallelism);
        List<GenericRowData> expected = naiveLastSeen();
        assertThat(checksum.digest()).isEqualTo(checksumOf(expected).digest());
        assertThat(checksum.changes()).as("some are updated").isGreaterThan(expected.size());
    }

    @Test
    void aProgramIsToldItsBackend() {
        String backend = "state.backend.type";
        String ours = "io.stateaccel.rocksdb.StateAccelRocksDBStateBackendFactory";
        assertThat(Variant.named("accel").ofProgram().settings())
                .containsEntry(backend, ours)
                .containsEntry("table.exec.state-accel.enabled", "true");
        assertThat(Variant.named("accel-changelog").ofProgram().settings())
                .containsEntry(backend, ours)
                .containsEntry("state.changelog.enabled", "true");
        for (String same : List.of("stock", "hashmap", "forst", "accel-planner", "accel-backend")) {
            assertThat(Variant.named(same).ofProgram()).isEqualTo(Variant.named(same));
        }
    }

    @Test
    void flinkRunIsToldWhatIsWrong() {
        assertThatThrownBy(() -> DataStreamProgram.main(new String[] {"q4", "5"}))
                .hasMessage("Unknown program 'q4'; known are sample-join, iot-last-seen");
        assertThatThrownBy(() -> DataStreamProgram.main(new String[] {"sample-join"}))
                .hasMessage("Expected a program and a number of events");
    }

    private static List<GenericRowData> naiveSamples() {
        SampleEvents generator = new SampleEvents();
        Map<String, List<SampleEvent>> samples =
                LongStream.range(0, EVENTS)
                        .mapToObj(generator::event)
                        .collect(Collectors.groupingBy(event -> event.sample));
        return samples.entrySet().stream()
                .map(sample -> naiveSample(sample.getKey(), sample.getValue()))
                .toList();
    }

    private static GenericRowData naiveSample(String id, List<SampleEvent> events) {
        SampleEvent served = events.stream().filter(is(Kind.SERVED)).findFirst().orElseThrow();
        List<SampleEvent> exposures = events.stream().filter(is(Kind.EXPOSURE)).toList();
        List<SampleEvent> followUps = events.stream().filter(is(Kind.FOLLOW_UP)).toList();
        long[] exposed = new long[SampleEvents.EXPOSED_FEATURES];
        Arrays.setAll(exposed, i -> exposures.stream().mapToLong(e -> e.features[i]).sum());
        GenericRowData row = new GenericRowData(14);
        row.setField(0, StringData.fromString(id));
        row.setField(1, served.user);
        row.setField(2, served.item);
        row.setField(3, digest(served.features));
        row.setField(4, digest(exposed));
        row.setField(5, (long) exposures.size());
        row.setField(6, events.stream().filter(is(Kind.CLICK)).count());
        for (Action action : Action.values()) {
            row.setField(
                    7 + action.ordinal(),
                    followUps.stream().filter(event -> event.action == action).count());
        }
        row.setField(11, followUps.stream().mapToLong(e -> e.watchedMillis).sum());
        row.setField(12, followUps.stream().mapToLong(e -> e.watchedMillis).max().orElse(0));
        row.setField(13, events.stream().mapToLong(event -> event.time).max().orElseThrow());
        return row;
    }

    private static Predicate<SampleEvent> is(Kind kind) {
        return event -> event.kind == kind;
    }

    private static long digest(long[] features) {
        return LongStream.of(features)
                .reduce(features.length, (digest, feature) -> 31 * digest + feature);
    }

    private static List<GenericRowData> naiveLastSeen() {
        DeviceEvents generator = new DeviceEvents();
        Map<List<String>, Long> lastSeen = new HashMap<>();
        for (long n = 0; n < EVENTS; n++) {
            DeviceEvent event = generator.event(n);
            lastSeen.merge(List.of(event.device, event.type), event.time, Math::max);
        }
        return lastSeen.entrySet().stream()
                .map(
                        entry ->
                                GenericRowData.of(
                                        StringData.fromString(entry.getKey().get(0)),
                                        StringData.fromString(entry.getKey().get(1)),
                                        entry.getValue()))
                .toList();
    }

    /** What the rows, of strings and longs, add up to in a checksum. */
    private static Checksum checksumOf(List<GenericRowData> rows) throws Exception {
        GenericRowData first = rows.get(0);
        LogicalType[] types =
                Stream.iterate(0, i -> i < first.getArity(), i -> i + 1)
                        .map(
                                i ->
                                        first.getField(i) instanceof Long
                                                ? new BigIntType()
                                                : VarCharType.STRING_TYPE)
                        .toArray(LogicalType[]::new);
        RowType type = RowType.of(types);
        StreamExecutionEnvironment environment = environment(Map.of(), 1);
        List<RowData> data = List.copyOf(rows);
        ChecksumSink.add(environment.fromData(data, InternalTypeInfo.of(type)), "expected", type);
        return checksum(environment);
    }

    private static Checksum run(DataStreamProgram program, String variant, int parallelism)
            throws Exception {
        StreamExecutionEnvironment environment =
                environment(Variant.named(variant).ofProgram().settings(), parallelism);
        program.build(environment, EVENTS);
        return checksum(environment);
    }

    private static StreamExecutionEnvironment environment(
            Map<String, String> settings, int parallelism) {
        Configuration configuration = new Configuration();
        settings.forEach(configuration::setString);
        configuration.set(CoreOptions.DEFAULT_PARALLELISM, parallelism);
        configuration.set(PipelineOptions.GENERIC_TYPES, false);
        return StreamExecutionEnvironment.getExecutionEnvironment(configuration);
    }

    private static Checksum checksum(StreamExecutionEnvironment environment) throws Exception {
        return Checksum.fromAccumulators(environment.execute().getAllAccumulatorResults())
                .values()
                .iterator()
                .next();
    }
}
