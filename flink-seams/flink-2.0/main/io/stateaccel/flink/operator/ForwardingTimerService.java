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
package io.stateaccel.flink.operator;

import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.util.function.BiConsumerWithException;

/** Timers that are those of another service. */
public abstract class ForwardingTimerService implements InternalTimerService<Long> {

    protected final InternalTimerService<Long> timers;

    /**
     * @param timers the other service
     */
    protected ForwardingTimerService(InternalTimerService<Long> timers) {
        this.timers = timers;
    }

    @Override
    public long currentProcessingTime() {
        return timers.currentProcessingTime();
    }

    @Override
    public long currentWatermark() {
        return timers.currentWatermark();
    }

    @Override
    public void forEachEventTimeTimer(BiConsumerWithException<Long, Long, Exception> consumer)
            throws Exception {
        timers.forEachEventTimeTimer(consumer);
    }

    @Override
    public void forEachProcessingTimeTimer(BiConsumerWithException<Long, Long, Exception> consumer)
            throws Exception {
        timers.forEachProcessingTimeTimer(consumer);
    }
}
