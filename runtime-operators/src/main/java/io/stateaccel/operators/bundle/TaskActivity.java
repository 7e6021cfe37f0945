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

import java.util.function.BooleanSupplier;

/**
 * What a task does besides running an operator: whether it has taken in all there is, and for how
 * long it has waited for its output. Lives in the task thread.
 */
interface TaskActivity extends AutoCloseable {

    /** Knows nothing of the task. */
    TaskActivity UNKNOWN =
            new TaskActivity() {
                @Override
                public void flushBegins() {}

                @Override
                public long flushEnds(long tookNanos) {
                    return 0;
                }

                @Override
                public HoldUpTolerance tolerance() {
                    return HoldUpTolerance.ANY;
                }

                @Override
                public void whenIdle(BooleanSupplier isWaitedFor, Idle idle) {}

                @Override
                public void sendResults(long rows) {}

                @Override
                public void resume() {}

                @Override
                public void close() {}
            };

    /** A bundle is about to be flushed. */
    void flushBegins();

    /**
     * The bundle has been flushed.
     *
     * @param tookNanos how long that took
     * @return for how many nanoseconds of that it waited in the middle of its output
     */
    long flushEnds(long tookNanos);

    /** How much its output may hold up a flush. */
    HoldUpTolerance tolerance();

    /**
     * Says what is to be done once the task has nothing else to do.
     *
     * @param isWaitedFor whether there is anything to do; asked often
     * @param idle called in a mail of the task
     */
    void whenIdle(BooleanSupplier isWaitedFor, Idle idle);

    /**
     * The task is idle, and a bundle was flushed for that: its results need not wait in buffers of
     * the network for others to come.
     *
     * @param rows of the bundle
     */
    void sendResults(long rows);

    /** {@link Idle} is to be called again. */
    void resume();

    @Override
    void close();

    /** What there is to do in an idle task. */
    @FunctionalInterface
    interface Idle {
        /** Returns whether to be called again at once, and not only after {@link #resume}. */
        boolean taskIsIdle() throws Exception;
    }
}
