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

import io.stateaccel.nexmark.latency.WallClock;
import java.util.List;
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
 * Events that are functions of their numbers, each at the time at which it is due, or as soon after
 * that as the job takes it: a source that never waits for the job. Its splits are {@link
 * EventLane}s.
 *
 * @param <T> type of the events
 */
final class TimetableSource<T> implements Source<T, EventLane, List<EventLane>> {

    private static final long serialVersionUID = 1L;

    private final SerializableSupplier<LongFunction<T>> generators;
    private final long events;
    private final Timetable timetable;

    /**
     * @param generators makes the generator of a reader, which one thread uses: from an event's
     *     number, counted from 0, to a new event
     * @param events number of events, 0 for endless
     * @param timetable when they are due
     */
    TimetableSource(
            SerializableSupplier<LongFunction<T>> generators, long events, Timetable timetable) {
        this.generators = generators;
        this.events = events;
        this.timetable = timetable;
    }

    @Override
    public Boundedness getBoundedness() {
        return events == 0 ? Boundedness.CONTINUOUS_UNBOUNDED : Boundedness.BOUNDED;
    }

    @Override
    public SourceReader<T, EventLane> createReader(SourceReaderContext context) {
        return new EventLaneReader<>(
                context,
                generators.get(),
                timetable.dueMicros(),
                events == 0 ? Long.MAX_VALUE : events,
                WallClock.steady());
    }

    @Override
    public SplitEnumerator<EventLane, List<EventLane>> createEnumerator(
            SplitEnumeratorContext<EventLane> context) {
        return restoreEnumerator(context, EventLaneEnumerator.all(context.currentParallelism()));
    }

    @Override
    public SplitEnumerator<EventLane, List<EventLane>> restoreEnumerator(
            SplitEnumeratorContext<EventLane> context, List<EventLane> pending) {
        return new EventLaneEnumerator(context, pending);
    }

    @Override
    public SimpleVersionedSerializer<EventLane> getSplitSerializer() {
        return new EventLaneSerializer();
    }

    @Override
    public SimpleVersionedSerializer<List<EventLane>> getEnumeratorCheckpointSerializer() {
        return new EventLaneSerializer.OfMany();
    }
}
