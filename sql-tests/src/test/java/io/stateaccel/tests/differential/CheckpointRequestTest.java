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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.runtime.checkpoint.CheckpointException;
import org.apache.flink.runtime.checkpoint.CheckpointFailureReason;
import org.apache.flink.util.SerializedThrowable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Which checkpoints are asked for again, and which failures fail the test. */
class CheckpointRequestTest {

    private int attempts;

    @Test
    void takesTheFirstThatIsTaken() throws Exception {
        assertThat(
                        send(
                                declined("NOT_ALL_REQUIRED_TASKS_RUNNING"),
                                new CompletionException(
                                        declined("CHECKPOINT_DECLINED_TASK_NOT_READY"))))
                .isEqualTo("taken");
        assertThat(attempts).isEqualTo(3);
    }

    @ParameterizedTest
    @EnumSource(
            value = CheckpointFailureReason.class,
            mode = Mode.EXCLUDE,
            names = {
                "NOT_ALL_REQUIRED_TASKS_RUNNING",
                "CHECKPOINT_DECLINED_TASK_NOT_READY",
                "CHECKPOINT_DECLINED_ON_CANCELLATION_BARRIER"
            })
    void failsAtOnceForOtherReasons(CheckpointFailureReason reason) {
        failsAtOnce(new CheckpointException(reason));
        failsAtOnce(new CheckpointException(reason, declined("CHECKPOINT_DECLINED")));
    }

    @ParameterizedTest
    @EnumSource(
            value = CheckpointFailureReason.class,
            names = {"CHECKPOINT_ASYNC_EXCEPTION", "FINALIZE_CHECKPOINT_FAILURE", "IO_EXCEPTION"})
    void failsAtOnceForOtherReasonsWhateverTheirCause(CheckpointFailureReason reason) {
        failsAtOnce(
                new CheckpointException(reason, declined("CHECKPOINT_DECLINED_TASK_NOT_READY")));
    }

    @Test
    void failsAtOnceWhenTheJobDoes() {
        failsAtOnce(new IllegalStateException("The job has failed", new IOException("Disk full")));
    }

    @Test
    void asksAgainWhenTheOtherSubTaskWasNotReady() throws Exception {
        assertThat(send(sharedFile(declined("CHECKPOINT_DECLINED_TASK_NOT_READY"))))
                .isEqualTo("taken");
        assertThat(attempts).isEqualTo(2);
    }

    @Test
    void failsAtOnceWhenTheOtherSubTaskHasFailed() {
        failsAtOnce(sharedFile(new IOException("Disk full")));
        failsAtOnce(sharedFile(declined("CHECKPOINT_ASYNC_EXCEPTION")));
    }

    @Test
    void givesUpAfterSoManyAttempts() {
        Exception[] failures = new Exception[CheckpointRequest.ATTEMPTS];
        Arrays.fill(failures, declined("NOT_ALL_REQUIRED_TASKS_RUNNING"));
        Exception last = declined("CHECKPOINT_DECLINED_TASK_NOT_READY");
        failures[failures.length - 1] = last;

        assertThatThrownBy(() -> send(failures)).hasRootCause(last);
        assertThat(attempts).isEqualTo(CheckpointRequest.ATTEMPTS);
    }

    private void failsAtOnce(Exception failure) {
        assertThatThrownBy(() -> send(failure)).hasStackTraceContaining(failure.toString());
        assertThat(attempts).isEqualTo(1);
    }

    /** Attempts that fail, one after the other, and one that does not. */
    private String send(Exception... failures) throws Exception {
        attempts = 0;
        Deque<Exception> left = new ArrayDeque<>(Arrays.asList(failures));
        return CheckpointRequest.send(
                        () -> {
                            attempts++;
                            return left.isEmpty()
                                    ? CompletableFuture.completedFuture("taken")
                                    : CompletableFuture.failedFuture(left.remove());
                        })
                .get(1, TimeUnit.MINUTES);
    }

    private static CheckpointException declined(String reason) {
        return new CheckpointException(CheckpointFailureReason.valueOf(reason));
    }

    /** As Flink reports it, by way of the job manager. */
    private static CheckpointException sharedFile(Exception failureOfTheOther) {
        CheckpointException declined =
                new CheckpointException(
                        CheckpointFailureReason.CHANNEL_STATE_SHARED_STREAM_EXCEPTION,
                        failureOfTheOther);
        return new CheckpointException(
                declined.getCheckpointFailureReason(),
                new SerializedThrowable(
                        new CheckpointException(
                                declined.getCheckpointFailureReason(),
                                new Exception(
                                        "Could not materialize checkpoint",
                                        new ExecutionException(declined)))));
    }
}
