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

import io.stateaccel.nexmark.generator.GeneratorConfig;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimitedSourceReader;
import org.apache.flink.api.connector.source.util.ratelimit.RateLimiterStrategy;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;

/** The events as a FLIP-27 source; its splits are {@link EventRange}s. */
final class NexmarkSource implements Source<RowData, EventRange, PendingEvents> {

    private static final long serialVersionUID = 1L;

    /** As events per second: no limit. */
    static final double UNLIMITED = Double.POSITIVE_INFINITY;

    /** Enough to make the call per poll cheap, few enough (microseconds) to be no delay. */
    private static final int EVENTS_PER_POLL = 16;

    private final GeneratorConfig config;
    private final RowType table;
    private final int[][] projection;
    private final long events;
    private final double eventsPerSecond;

    /**
     * @param table the declared physical columns
     * @param projection index paths into them, one per produced field
     * @param events number of events, 0 for endless
     * @param eventsPerSecond wall-clock limit for all sub-tasks together, or {@link #UNLIMITED}
     */
    NexmarkSource(
            GeneratorConfig config,
            RowType table,
            int[][] projection,
            long events,
            double eventsPerSecond) {
        this.config = config;
        this.table = table;
        this.projection = projection;
        this.events = events;
        this.eventsPerSecond = eventsPerSecond;
    }

    @Override
    public Boundedness getBoundedness() {
        return events == 0 ? Boundedness.CONTINUOUS_UNBOUNDED : Boundedness.BOUNDED;
    }

    @Override
    public SourceReader<RowData, EventRange> createReader(SourceReaderContext context) {
        EventEncoder encoder = new EventEncoder(config, table, projection);
        if (eventsPerSecond == UNLIMITED) {
            return new EventReader(context, encoder, EVENTS_PER_POLL);
        }
        return new RateLimitedSourceReader<>(
                new EventReader(context, encoder, 1),
                RateLimiterStrategy.<EventRange>perSecond(eventsPerSecond)
                        .createRateLimiter(context.currentParallelism()));
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
