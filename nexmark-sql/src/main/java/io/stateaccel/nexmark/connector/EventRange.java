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
 * A split: consecutive event numbers still to be emitted. As the numbers are the whole state of the
 * generator, a range cut off at the front is also the checkpoint of a half-read one.
 *
 * @param start first event number
 * @param end event number after the last one, above {@code start}
 */
record EventRange(long start, long end) implements SourceSplit {

    /**
     * One name for all ranges. Flink makes a watermark generator per name and compiles it each
     * time, which took a sixth of q4's CPU at one name per range; a reader emits all of its ranges
     * to the main output anyway, as they follow each other.
     */
    @Override
    public String splitId() {
        return "events";
    }
}
