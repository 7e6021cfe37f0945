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
package io.stateaccel.operators.bundle;

/** Why a bundle was flushed. */
public enum FlushReason {
    /** It had as many rows as it may have. */
    FULL("full"),

    /** It took as much heap as it may take. */
    BYTES("bytes"),

    /** The task had nothing else to do. */
    IDLE("idle"),

    /** Its oldest row had waited for as long as it may. */
    LATENCY("latency"),

    /** The watermark was to advance. */
    WATERMARK("watermark"),

    /** Downstream was to be told that the stream is idle or active, or of its attributes. */
    STATUS("status"),

    /** A checkpoint or savepoint was to be taken. */
    CHECKPOINT("checkpoint"),

    /** The input was at its end. */
    END_OF_INPUT("end-of-input");

    private final String text;

    FlushReason(String text) {
        this.text = text;
    }

    /** As metrics show it. */
    @Override
    public String toString() {
        return text;
    }
}
