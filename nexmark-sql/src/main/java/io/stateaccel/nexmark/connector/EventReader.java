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

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import org.apache.flink.api.connector.source.ReaderOutput;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.core.io.InputStatus;
import org.apache.flink.metrics.Counter;

/**
 * Emits the events of its ranges in order. Keeps one range in reserve, so that it need not wait for
 * the enumerator. All methods are called by the task's thread.
 */
final class EventReader<T> implements SourceReader<T, EventRange> {

    private static final int RANGES_HELD = 2;

    /** Enough to make the call per poll cheap, few enough (microseconds) to be no delay. */
    private static final int EVENTS_PER_POLL = 16;

    private final SourceReaderContext context;
    private final LongFunction<T> generator;
    private final Counter eventsRead;

    /** Ranges to be read after the one from next to end. */
    private final Deque<EventRange> ranges = new ArrayDeque<>();

    private long next;
    private long end;

    private boolean started;
    private boolean requested;
    private boolean noMoreRanges;
    private CompletableFuture<Void> available = new CompletableFuture<>();

    /**
     * @param generator makes the event of a number
     */
    EventReader(SourceReaderContext context, LongFunction<T> generator) {
        this.context = context;
        this.generator = generator;
        this.eventsRead = context.metricGroup().getIOMetricGroup().getNumRecordsInCounter();
    }

    @Override
    public void start() {
        started = true;
        requestRangeIfShort();
    }

    @Override
    public InputStatus pollNext(ReaderOutput<T> output) {
        if (next == end && !moveToNextRange()) {
            return noMoreRanges ? InputStatus.END_OF_INPUT : waitForRange();
        }
        long stop = next + Math.min(EVENTS_PER_POLL, end - next);
        eventsRead.inc(stop - next);
        while (next < stop) {
            output.collect(generator.apply(next++));
        }
        return InputStatus.MORE_AVAILABLE;
    }

    @Override
    public List<EventRange> snapshotState(long checkpointId) {
        List<EventRange> snapshot = new ArrayList<>(ranges.size() + 1);
        if (next < end) {
            snapshot.add(new EventRange(next, end));
        }
        snapshot.addAll(ranges);
        return snapshot;
    }

    @Override
    public CompletableFuture<Void> isAvailable() {
        return available;
    }

    @Override
    public void addSplits(List<EventRange> added) {
        ranges.addAll(added);
        requested = false;
        requestRangeIfShort();
        available.complete(null);
    }

    @Override
    public void notifyNoMoreSplits() {
        noMoreRanges = true;
        available.complete(null);
    }

    @Override
    public void close() {}

    private boolean moveToNextRange() {
        EventRange range = ranges.poll();
        if (range == null) {
            return false;
        }
        next = range.start();
        end = range.end();
        requestRangeIfShort();
        return true;
    }

    private InputStatus waitForRange() {
        // Never replace a future that the runtime may be waiting for.
        if (available.isDone()) {
            available = new CompletableFuture<>();
        }
        return InputStatus.NOTHING_AVAILABLE;
    }

    private void requestRangeIfShort() {
        boolean isShort = ranges.size() + (next < end ? 1 : 0) < RANGES_HELD;
        // Restored ranges arrive before the start, when requests cannot be sent yet.
        if (started && isShort && !requested && !noMoreRanges) {
            requested = true;
            context.sendSplitRequest();
        }
    }
}
