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

import io.stateaccel.nexmark.generator.EventSequence;
import io.stateaccel.nexmark.generator.GeneratorConfig;
import java.io.Serializable;
import java.util.function.LongUnaryOperator;

/**
 * When events are due, by the wall clock: as far apart as in event time, but twice as far for a
 * while at first, in which a job that has just started gets up to speed.
 *
 * @param config the stream, whose event rates are those of the wall clock too
 * @param startMicros when the first event is due, microseconds since the epoch
 * @param rampMicros for how long events come at half the rate, 0 for none
 */
record Timetable(GeneratorConfig config, long startMicros, long rampMicros)
        implements Serializable {

    /**
     * From an event's number to when it is due, in microseconds after the first one; never
     * decreasing.
     */
    LongUnaryOperator microsAfterStart() {
        EventSequence sequence = new EventSequence(config);
        return number -> {
            long atFullRate = sequence.microsAfterFirst(number);
            return atFullRate + Math.min(atFullRate, rampMicros / 2);
        };
    }

    /** From an event's number to when it is due, in microseconds since the epoch. */
    LongUnaryOperator dueMicros() {
        LongUnaryOperator afterStart = microsAfterStart();
        return number -> startMicros + afterStart.applyAsLong(number);
    }
}
