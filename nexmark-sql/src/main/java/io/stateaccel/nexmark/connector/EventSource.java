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

import java.util.function.LongFunction;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.util.function.SerializableSupplier;

/**
 * Events that are functions of their numbers as a FLIP-27 source; its splits are {@link
 * EventRange}s.
 *
 * <p>Flink's own {@code DataGeneratorSource} gives each reader one contiguous share of all numbers,
 * so that event times of the readers lie far apart; here they advance together.
 *
 * @param <T> type of the events
 */
public final class EventSource<T> implements Source<T, EventRange, PendingEvents> {

    private static final long serialVersionUID = 1L;

    private final SerializableSupplier<LongFunction<T>> generators;
    private final long events;

    /**
     * @param generators makes the generator of a reader, which one thread uses: from an event's
     *     number, counted from 0, to a new event
     * @param events number of events, 0 for endless
     */
    public EventSource(SerializableSupplier<LongFunction<T>> generators, long events) {
        this.generators = generators;
        this.events = events;
    }

    @Override
    public Boundedness getBoundedness() {
        return events == 0 ? Boundedness.CONTINUOUS_UNBOUNDED : Boundedness.BOUNDED;
    }

    @Override
    public SourceReader<T, EventRange> createReader(SourceReaderContext context) {
        return new EventReader<>(context, generators.get());
    }

    @Override
    public SplitEnumerator<EventRange, PendingEvents> createEnumerator(
            SplitEnumeratorContext<EventRange> context) {
        return restoreEnumerator(context, PendingEvents.ALL);
    }

    @Override
    public SplitEnumerator<EventRange, PendingEvents> restoreEnumerator(
            SplitEnumeratorContext<EventRange> context, PendingEvents pending) {
        return new EventRangeEnumerator(context, events == 0 ? Long.MAX_VALUE : events, pending);
    }

    @Override
    public SimpleVersionedSerializer<EventRange> getSplitSerializer() {
        return new EventRangeSerializer();
    }

    @Override
    public SimpleVersionedSerializer<PendingEvents> getEnumeratorCheckpointSerializer() {
        return new PendingEvents.Serializer();
    }
}
