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
package io.stateaccel.tests.differential;

import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.apache.flink.util.SerializedThrowable;
import org.apache.flink.util.concurrent.FutureUtils;

/**
 * A checkpoint that a test asks for, and asks for again while Flink declines it for a reason that
 * passes. A task whose state is restored and that is said to run may still be busy with the rows
 * that an unaligned checkpoint has found on their way, and declines the next one until it is done.
 *
 * <p>What goes wrong with state, storage or the job is never asked again.
 */
final class CheckpointRequest {

    static final int ATTEMPTS = 250;

    /** Those that say nothing but that tasks were not ready, here or at the other end. */
    private static final Set<CheckpointFailureReason> PASSING =
            EnumSet.of(
                    CheckpointFailureReason.NOT_ALL_REQUIRED_TASKS_RUNNING,
                    CheckpointFailureReason.CHECKPOINT_DECLINED_TASK_NOT_READY,
                    // A task further up has declined: this comes beside what it says itself, and
                    // may come first.
                    CheckpointFailureReason.CHECKPOINT_DECLINED_ON_CANCELLATION_BARRIER);

    /** What it is given waits a moment first, so the attempts do too. */
    private static final Executor AFTER_A_PAUSE =
            CompletableFuture.delayedExecutor(20, TimeUnit.MILLISECONDS);

    private CheckpointRequest() {}

    /**
     * @param checkpoint asks for the checkpoint once
     * @return what the first attempt gave that was not declined for a reason that passes; failed,
     *     with the failure of the last attempt as cause, when that failed or all of them were
     */
    static <T> CompletableFuture<T> send(Supplier<CompletableFuture<T>> checkpoint) {
        return FutureUtils.retry(
                checkpoint, ATTEMPTS - 1, CheckpointRequest::passes, AFTER_A_PAUSE);
    }

    private static boolean passes(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = nextCause(cause)) {
            if (cause instanceof CheckpointException declined
                    && !isOfAnotherSubTask(declined.getCheckpointFailureReason())) {
                return PASSING.contains(declined.getCheckpointFailureReason());
            }
        }
        return false;
    }

    /** The causes know what has happened to the one that shares a file with this one. */
    private static boolean isOfAnotherSubTask(CheckpointFailureReason reason) {
        return reason == CheckpointFailureReason.CHANNEL_STATE_SHARED_STREAM_EXCEPTION;
    }

    private static Throwable nextCause(Throwable cause) {
        if (cause instanceof SerializedThrowable serialized) {
            Throwable original =
                    serialized.deserializeError(CheckpointRequest.class.getClassLoader());
            // Itself when that is not possible.
            return original == serialized ? serialized.getCause() : original;
        }
        return cause.getCause();
    }
}
