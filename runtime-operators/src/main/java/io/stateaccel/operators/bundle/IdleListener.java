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

import io.stateaccel.operators.bundle.TaskActivity.Idle;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import org.apache.flink.api.common.operators.MailboxExecutor;
import org.apache.flink.runtime.metrics.TimerGauge;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends a mail when a task has nothing to do, as its gauge of idle time tells. That is called under
 * the gauge's lock, so what there is to do is left to the mail. Cannot be loaded where Flink's
 * gauges have no listeners.
 *
 * <p>Lives in the task thread.
 */
final class IdleListener implements TimerGauge.StartStopListener {

    private static final Logger LOG = LoggerFactory.getLogger(IdleListener.class);

    private final TimerGauge idleTime;
    private final MailboxExecutor mailbox;
    private final BooleanSupplier isWaitedFor;
    private final Idle idle;

    /** Whether there is a mail already, or the last one said not to call again. */
    private boolean isBusy;

    private boolean isClosed;

    /** Listens from now on. */
    IdleListener(
            TimerGauge idleTime, MailboxExecutor mailbox, BooleanSupplier isWaitedFor, Idle idle) {
        this.idleTime = idleTime;
        this.mailbox = mailbox;
        this.isWaitedFor = isWaitedFor;
        this.idle = idle;
        idleTime.registerListener(this);
    }

    @Override
    public void markStart() {
        if (isBusy || !isWaitedFor.getAsBoolean()) {
            return;
        }
        isBusy = true;
        try {
            mailbox.execute(this::beIdle, "end of a bundle");
        } catch (RejectedExecutionException e) {
            LOG.debug("The task is ending, its mailbox is closed.", e);
        }
    }

    private void beIdle() throws Exception {
        if (!isClosed) {
            isBusy = !idle.taskIsIdle();
        }
    }

    /** Comes from the thread that brings input. */
    @Override
    public void markEnd() {}

    /** There is to be another mail. */
    void resume() {
        isBusy = false;
    }

    void close() {
        isClosed = true;
        idleTime.unregisterListener(this);
    }
}
