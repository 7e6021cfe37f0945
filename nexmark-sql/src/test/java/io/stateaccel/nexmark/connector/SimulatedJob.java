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

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SourceSplit;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * A source job on one thread: a random reader polls at each step, requests and assignments travel
 * with a delay of some steps.
 *
 * @param <T> type of the events
 * @param <S> type of the splits
 * @param <C> type of the enumerator's checkpoint
 */
final class SimulatedJob<T, S extends SourceSplit, C> {

    /** Serialised, as in a checkpoint. */
    record Snapshot(byte[] enumerator, List<byte[]> ranges) {}

    private final Source<T, S, C> source;
    private final Function<T, String> asText;
    private final Random random;
    private final List<SourceReader<T, S>> readers = new ArrayList<>();
    private final List<Boolean> finished = new ArrayList<>();
    private final Queue<Runnable> inFlight = new ArrayDeque<>();
    private final SplitEnumerator<S, C> enumerator;

    SimulatedJob(Source<T, S, C> source, Function<T, String> asText, int parallelism, Random random)
            throws Exception {
        this(source, asText, parallelism, random, null);
    }

    private SimulatedJob(
            Source<T, S, C> source,
            Function<T, String> asText,
            int parallelism,
            Random random,
            Snapshot snapshot)
            throws Exception {
        this.source = source;
        this.asText = asText;
        this.random = random;
        SplitEnumeratorContext<S> context =
                enumeratorContext(
                        parallelism,
                        (subtask, range) ->
                                inFlight.add(() -> readers.get(subtask).addSplits(List.of(range))),
                        subtask -> inFlight.add(() -> readers.get(subtask).notifyNoMoreSplits()));
        enumerator =
                snapshot == null
                        ? source.createEnumerator(context)
                        : source.restoreEnumerator(
                                context,
                                source.getEnumeratorCheckpointSerializer()
                                        .deserialize(1, snapshot.enumerator));
        for (int i = 0; i < parallelism; i++) {
            int subtask = i;
            readers.add(
                    source.createReader(
                            readerContext(
                                    () ->
                                            inFlight.add(
                                                    () ->
                                                            enumerator.handleSplitRequest(
                                                                    subtask, null)))));
            finished.add(false);
        }
        if (snapshot != null) {
            for (int i = 0; i < snapshot.ranges.size(); i++) {
                readers.get(i % parallelism)
                        .addSplits(
                                List.of(
                                        source.getSplitSerializer()
                                                .deserialize(1, snapshot.ranges.get(i))));
            }
        }
        for (int i = 0; i < parallelism; i++) {
            enumerator.addReader(i);
            readers.get(i).start();
        }
    }

    /** The job that starts from a snapshot of this one. */
    SimulatedJob<T, S, C> restore(int parallelism, Snapshot snapshot) throws Exception {
        return new SimulatedJob<>(source, asText, parallelism, random, snapshot);
    }

    /** Polls one reader; returns false when all have ended. */
    boolean step(List<String> emitted) throws Exception {
        if (random.nextInt(3) > 0 && !inFlight.isEmpty()) {
            inFlight.poll().run();
        }
        if (!finished.contains(false)) {
            return false;
        }
        int i = random.nextInt(readers.size());
        if (!finished.get(i)) {
            InputStatus status =
                    readers.get(i).pollNext(output(event -> emitted.add(asText.apply(event))));
            finished.set(i, status == InputStatus.END_OF_INPUT);
        }
        return true;
    }

    /** Takes a checkpoint; what is on its way arrives first, as Flink sees to it. */
    Snapshot snapshot() throws Exception {
        while (!inFlight.isEmpty()) {
            inFlight.poll().run();
        }
        List<byte[]> ranges = new ArrayList<>();
        for (SourceReader<T, S> reader : readers) {
            for (S range : reader.snapshotState(1)) {
                ranges.add(source.getSplitSerializer().serialize(range));
            }
        }
        return new Snapshot(
                source.getEnumeratorCheckpointSerializer().serialize(enumerator.snapshotState(1)),
                ranges);
    }

    static String asText(RowData row) {
        // Bytes of a binary row are its values.
        byte[] bytes = new byte[((BinaryRowData) row).getSizeInBytes()];
        ((BinaryRowData) row).getSegments()[0].get(((BinaryRowData) row).getOffset(), bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    @SuppressWarnings("unchecked")
    static <S extends SourceSplit> SplitEnumeratorContext<S> enumeratorContext(
            int parallelism, BiConsumer<Integer, S> assign, IntConsumer noMore) {
        return (SplitEnumeratorContext<S>)
                Proxy.newProxyInstance(
                        SimulatedJob.class.getClassLoader(),
                        new Class<?>[] {SplitEnumeratorContext.class},
                        (proxy, method, arguments) -> {
                            switch (method.getName()) {
                                case "currentParallelism" -> {
                                    return parallelism;
                                }
                                case "assignSplit" ->
                                        assign.accept((Integer) arguments[1], (S) arguments[0]);
                                case "signalNoMoreSplits" -> noMore.accept((Integer) arguments[0]);
                                default ->
                                        throw new UnsupportedOperationException(method.getName());
                            }
                            return null;
                        });
    }

    static SourceReaderContext readerContext(Runnable onSplitRequest) {
        return (SourceReaderContext)
                Proxy.newProxyInstance(
                        SimulatedJob.class.getClassLoader(),
                        new Class<?>[] {SourceReaderContext.class},
                        (proxy, method, arguments) ->
                                switch (method.getName()) {
                                    case "metricGroup" ->
                                            UnregisteredMetricsGroup
                                                    .createSourceReaderMetricGroup();
                                    case "sendSplitRequest" -> {
                                        onSplitRequest.run();
                                        yield null;
                                    }
                                    default ->
                                            throw new UnsupportedOperationException(
                                                    method.getName());
                                });
    }

    @SuppressWarnings("unchecked")
    static <T> ReaderOutput<T> output(Consumer<T> events) {
        return (ReaderOutput<T>)
                Proxy.newProxyInstance(
                        SimulatedJob.class.getClassLoader(),
                        new Class<?>[] {ReaderOutput.class},
                        (proxy, method, arguments) -> {
                            events.accept((T) arguments[0]);
                            return null;
                        });
    }
}
