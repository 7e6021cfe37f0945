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

/**
 * Timers that are those of another service, as windows have them by their end.
 *
 * @param <W> what timers are known by
 * @param <N> what the other service knows them by
 */
public abstract class ForwardingTimerService<W, N> implements InternalTimerService<W> {

    protected final InternalTimerService<N> timers;

    /**
     * @param timers the other service
     */
    protected ForwardingTimerService(InternalTimerService<N> timers) {
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
}
