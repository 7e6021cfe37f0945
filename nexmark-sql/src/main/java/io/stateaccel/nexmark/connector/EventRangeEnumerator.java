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
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;

/**
 * Hands out the event numbers in short ranges, in order, to whichever reader asks. Event time so
 * advances evenly in all sub-tasks however fast each is, and neither the ranges nor the checkpoint
 * depend on the parallelism. Called by one thread.
 */
final class EventRangeEnumerator implements SplitEnumerator<EventRange, PendingEvents> {

    /** Short against the lag between readers, long against the cost of a request. */
    static final int RANGE_EVENTS = 10_000;

    private final SplitEnumeratorContext<EventRange> context;
    private final long end;
    private final Deque<EventRange> returned;
    private final Set<Integer> doneReaders = new HashSet<>();
    private long nextStart;

    /**
     * @param end event number after the last one
     * @param pending where to go on
     */
    EventRangeEnumerator(
            SplitEnumeratorContext<EventRange> context, long end, PendingEvents pending) {
        this.context = context;
        this.end = end;
        this.returned = new ArrayDeque<>(pending.returned());
        this.nextStart = pending.nextStart();
    }

    @Override
    public void start() {}

    @Override
    public void addReader(int subtask) {
        // A reader asks for its first range itself, also after a restart.
        doneReaders.remove(subtask);
    }

    @Override
    public void handleSplitRequest(int subtask, String host) {
        if (!returned.isEmpty()) {
            context.assignSplit(returned.poll(), subtask);
        } else if (nextStart < end) {
            // Compared by difference: an endless stream ends at Long.MAX_VALUE.
            long length = Math.min(RANGE_EVENTS, end - nextStart);
            context.assignSplit(new EventRange(nextStart, nextStart + length), subtask);
            nextStart += length;
        } else if (doneReaders.add(subtask)) {
            context.signalNoMoreSplits(subtask);
        }
    }

    @Override
    public void addSplitsBack(List<EventRange> ranges, int subtask) {
        List<EventRange> ordered = new ArrayList<>(ranges);
        ordered.sort(Comparator.comparingLong(EventRange::start).reversed());
        ordered.forEach(returned::addFirst);
    }

    @Override
    public PendingEvents snapshotState(long checkpointId) {
        return new PendingEvents(nextStart, new ArrayList<>(returned));
    }

    @Override
    public void close() {}
}
