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

import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Counter;

/**
 * Emits the events of its lanes, in order, none before it is due. What is late is emitted as fast
 * as it is taken. All methods are called by the task's thread.
 *
 * <p>Between events the task's thread is free, and a timer of the JDK wakes it, after at least a
 * millisecond: where events are due more often, those of a millisecond come together.
 */
final class EventLaneReader<T> implements SourceReader<T, EventLane> {

    /** Enough to make looking at the clock cheap, few enough (microseconds) to be no delay. */
    private static final int EVENTS_PER_POLL = 16;

    /** To be woken takes tens of microseconds of CPU. */
    private static final long SHORTEST_WAIT_MICROS = 1_000;

    /** A lane, mutable. */
    private static final class Lane {
        private final long step;
        private long next;

        private Lane(EventLane lane) {
            this.next = lane.next();
            this.step = lane.step();
        }

        private long next() {
            return next;
        }
    }

    private final SourceReaderContext context;
    private final LongFunction<T> generator;
    private final LongUnaryOperator dueMicros;
    private final long end;
    private final LongSupplier clock;
    private final Counter eventsRead;

    /** Lanes in which there are events left, that of the next one first. */
    private final PriorityQueue<Lane> lanes =
            new PriorityQueue<>(Comparator.comparingLong(Lane::next));

    private boolean noMoreLanes;
    private CompletableFuture<Void> available = new CompletableFuture<>();

    /**
     * @param generator makes the event of a number
     * @param dueMicros when an event is due, by its number
     * @param end event number after the last one
     * @param clock microseconds since the epoch
     */
    EventLaneReader(
            SourceReaderContext context,
            LongFunction<T> generator,
            LongUnaryOperator dueMicros,
            long end,
            LongSupplier clock) {
        this.context = context;
        this.generator = generator;
        this.dueMicros = dueMicros;
        this.end = end;
        this.clock = clock;
        this.eventsRead = context.metricGroup().getIOMetricGroup().getNumRecordsInCounter();
    }

    @Override
    public void start() {
        context.sendSplitRequest();
    }

    @Override
    public InputStatus pollNext(ReaderOutput<T> output) {
        long now = clock.getAsLong();
        for (int i = 0; i < EVENTS_PER_POLL; i++) {
            Lane lane = lanes.peek();
            if (lane == null) {
                return noMoreLanes ? InputStatus.END_OF_INPUT : waitUntilWoken();
            }
            long due = dueMicros.applyAsLong(lane.next);
            if (due > now) {
                return waitFor(Math.max(due - now, SHORTEST_WAIT_MICROS));
            }
            long number = lane.next;
            advance(lane);
            eventsRead.inc();
            output.collect(generator.apply(number));
        }
        return InputStatus.MORE_AVAILABLE;
    }

    private void advance(Lane lane) {
        if (lanes.size() == 1 && lane.next + lane.step < end) {
            // The only one stays the first one.
            lane.next += lane.step;
            return;
        }
        lanes.poll();
        lane.next += lane.step;
        if (lane.next < end) {
            lanes.add(lane);
        }
    }

    private InputStatus waitFor(long micros) {
        waitUntilWoken();
        CompletableFuture<Void> woken = available;
        CompletableFuture.delayedExecutor(micros, TimeUnit.MICROSECONDS, Runnable::run)
                .execute(() -> woken.complete(null));
        return InputStatus.NOTHING_AVAILABLE;
    }

    private InputStatus waitUntilWoken() {
        // Never replace a future that the runtime may be waiting for.
        if (available.isDone()) {
            available = new CompletableFuture<>();
        }
        return InputStatus.NOTHING_AVAILABLE;
    }

    @Override
    public List<EventLane> snapshotState(long checkpointId) {
        return lanes.stream().map(lane -> new EventLane(lane.next, lane.step)).toList();
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return available;
    }

    @Override
    public void addSplits(List<EventLane> added) {
        for (EventLane lane : added) {
            if (lane.next() < end) {
                lanes.add(new Lane(lane));
            }
        }
        available.complete(null);
    }

    @Override
    public void notifyNoMoreSplits() {
        noMoreLanes = true;
        available.complete(null);
    }

    @Override
    public void close() {}
}
