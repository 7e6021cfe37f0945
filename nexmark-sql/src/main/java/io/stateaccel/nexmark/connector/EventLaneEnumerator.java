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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;

/**
 * Gives each reader the lanes that are its own, once: there is nothing to ask for while events are
 * due. Called by one thread.
 */
final class EventLaneEnumerator implements SplitEnumerator<EventLane, List<EventLane>> {

    private final SplitEnumeratorContext<EventLane> context;

    /** Lanes that no reader has, by the sub-task that will get them. */
    private final Map<Integer, List<EventLane>> pending = new TreeMap<>();

    /**
     * @param lanes those that no reader has
     */
    EventLaneEnumerator(SplitEnumeratorContext<EventLane> context, List<EventLane> lanes) {
        this.context = context;
        for (EventLane lane : lanes) {
            add(lane, lane.index() % context.currentParallelism());
        }
    }

    /** The lanes of a whole stream. */
    static List<EventLane> all(int parallelism) {
        List<EventLane> lanes = new ArrayList<>();
        for (int i = 0; i < parallelism; i++) {
            lanes.add(new EventLane(i, parallelism));
        }
        return lanes;
    }

    private void add(EventLane lane, int subtask) {
        pending.computeIfAbsent(subtask, any -> new ArrayList<>()).add(lane);
    }

    @Override
    public void start() {}

    @Override
    public void addReader(int subtask) {
        // A reader asks when it starts.
    }

    @Override
    public void handleSplitRequest(int subtask, String host) {
        List<EventLane> lanes = pending.remove(subtask);
        if (lanes != null) {
            lanes.forEach(lane -> context.assignSplit(lane, subtask));
        }
        context.signalNoMoreSplits(subtask);
    }

    @Override
    public void addSplitsBack(List<EventLane> lanes, int subtask) {
        lanes.forEach(lane -> add(lane, subtask));
    }

    @Override
    public List<EventLane> snapshotState(long checkpointId) {
        return pending.values().stream().flatMap(List::stream).toList();
    }

    @Override
    public void close() {}
}
