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
package io.stateaccel.nexmark.workload;

import java.util.Arrays;
import java.util.function.ObjLongConsumer;
import java.util.stream.Collectors;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/**
 * The workloads that are DataStream programs. Each reads a bounded stream and ends in a checksum,
 * see {@link io.stateaccel.nexmark.checksum.ChecksumSink}.
 */
public enum DataStreamProgram {
    SAMPLE_JOIN(
            SampleJoin.NAME,
            "several streams gathered in one object per sample, emitted by a timer (Weibo on"
                    + " Gemini)",
            SampleJoin::build),
    IOT_LAST_SEEN(
            IotLastSeen.NAME,
            "a map from event type to latest time per device (IoT post-mortem)",
            IotLastSeen::build);

    private final String title;
    private final String about;
    private final ObjLongConsumer<StreamExecutionEnvironment> builder;

    DataStreamProgram(
            String title, String about, ObjLongConsumer<StreamExecutionEnvironment> builder) {
        this.title = title;
        this.about = about;
        this.builder = builder;
    }

    /** What the user calls it; also the name of its checksum. */
    public String title() {
        return title;
    }

    /** What it is, in a few words. */
    public String about() {
        return about;
    }

    /**
     * Adds the job to an environment, which says everything else: parallelism, state backend,
     * checkpoints.
     *
     * @param events number of events to read
     */
    public void build(StreamExecutionEnvironment environment, long events) {
        builder.accept(environment, events);
    }

    /**
     * For {@code flink run}: builds a program and executes it.
     *
     * @param args the program's title and the number of events
     * @throws IllegalArgumentException if they are something else
     */
    public static void main(String[] args) throws Exception {
        if (args.length != 2) {
            throw new IllegalArgumentException("Expected a program and a number of events");
        }
        DataStreamProgram program =
                Arrays.stream(values())
                        .filter(known -> known.title.equals(args[0]))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new IllegalArgumentException(
                                                "Unknown program '"
                                                        + args[0]
                                                        + "'; known are "
                                                        + Arrays.stream(values())
                                                                .map(DataStreamProgram::title)
                                                                .collect(
                                                                        Collectors.joining(", "))));
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        program.build(environment, Long.parseLong(args[1]));
        environment.execute(program.title);
    }
}
