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

import java.util.Optional;
import org.apache.flink.runtime.metrics.TimerGauge;
import org.apache.flink.streaming.runtime.tasks.mailbox.Mail;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.util.AbstractStreamOperatorTestHarness;

/**
 * Does to an operator in a harness what Flink's {@code StreamTask} does when its input has nothing
 * more to give.
 */
public final class IdleTask {

    private static final int ANY_PRIORITY = 0;

    private IdleTask() {}

    /** Lets the task be idle for a moment, and do what mail there is then. */
    public static void idle(AbstractStreamOperatorTestHarness<?> harness) throws Exception {
        TimerGauge idleTime =
                harness.getEnvironment()
                        .getMetricGroup()
                        .getIOMetricGroup()
                        .getIdleTimeMsPerSecond();
        TaskMailbox mailbox = harness.getTaskMailbox();
        idleTime.markStart();
        for (Optional<Mail> mail = mailbox.tryTake(ANY_PRIORITY);
                mail.isPresent();
                mail = mailbox.tryTake(ANY_PRIORITY)) {
            idleTime.markEnd();
            mail.get().run();
            idleTime.markStart();
        }
        idleTime.markEnd();
    }
}
