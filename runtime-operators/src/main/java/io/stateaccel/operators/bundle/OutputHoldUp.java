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

import java.util.function.LongSupplier;

/**
 * For how long the output holds up the flushes of a task.
 *
 * <p>Flink tells of waiting for a network buffer, but not of an operator that is chained behind and
 * waits for something else, as a sink does for its database. That shows in a flush that takes much
 * longer than it needs the processor for. What it waits for may as well be a disk, so the output of
 * the next one is watched. A thread that shares the processor with many others waits for it as
 * well, which is why most of the time has to be waiting, and most of it in the output.
 */
final class OutputHoldUp {

    /** Of how many parts of a flush's time the processor has to be needed for less than one. */
    private static final int PARTS = 5;

    private final LongSupplier waitedForBuffers;
    private final LongSupplier usedProcessor;
    private final WatchedOutput output;
    private final long toleratedNanos;

    private long buffersBefore;
    private long processorBefore;
    private boolean suspected;

    /**
     * @param waitedForBuffers nanoseconds for which the task has waited for a buffer until now
     * @param usedProcessor nanoseconds for which its thread has used a processor until now; always
     *     the same less than 0 if that is not known
     * @param toleratedNanos what takes no longer is not looked at
     */
    OutputHoldUp(
            LongSupplier waitedForBuffers,
            LongSupplier usedProcessor,
            WatchedOutput output,
            long toleratedNanos) {
        this.waitedForBuffers = waitedForBuffers;
        this.usedProcessor = usedProcessor;
        this.output = output;
        this.toleratedNanos = toleratedNanos;
    }

    void flushBegins() {
        buffersBefore = waitedForBuffers.getAsLong();
        processorBefore = usedProcessor.getAsLong();
        output.watch(suspected);
    }

    /**
     * Returns for how many nanoseconds the output has held up the flush that has begun last, as far
     * as that is known.
     *
     * @param tookNanos how long it took
     */
    long flushEnds(long tookNanos) {
        long forBuffers = waitedForBuffers.getAsLong() - buffersBefore;
        suspected = false;
        if (processorBefore < 0 || tookNanos <= toleratedNanos) {
            return forBuffers;
        }
        long waited = tookNanos - (usedProcessor.getAsLong() - processorBefore);
        suspected = waited > tookNanos - tookNanos / PARTS;
        boolean held = suspected && output.nanos() > tookNanos / 2;
        return held ? Math.max(forBuffers, Math.min(output.nanos(), waited)) : forBuffers;
    }
}
