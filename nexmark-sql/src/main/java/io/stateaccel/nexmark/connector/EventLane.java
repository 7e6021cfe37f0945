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

import org.apache.flink.api.connector.source.SourceSplit;

/**
 * A split of a stream with a timetable: every so manieth event from one on, still to be emitted.
 * With as many lanes as sub-tasks all of them are busy alike at any rate.
 *
 * @param next number of the first event
 * @param step distance to the next one, at least 1
 */
record EventLane(long next, long step) implements SourceSplit {

    /** The remainder that all of the lane's numbers leave when divided by the step. */
    int index() {
        return (int) (next % step);
    }

    /** One name for all lanes, for the reason {@link EventRange} gives. */
    @Override
    public String splitId() {
        return "events";
    }
}
