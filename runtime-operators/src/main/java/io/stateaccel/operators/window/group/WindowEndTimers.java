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
package io.stateaccel.operators.window.group;

import io.stateaccel.flink.operator.ForwardingTimerService;
import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.util.function.BiConsumerWithException;

/**
 * The timers of the ends of windows in the state, where there may be others of the same windows.
 */
final class WindowEndTimers extends ForwardingTimerService<Long, TimeWindow> {

    private final LongFunction<TimeWindow> windows;
    private final LongUnaryOperator times;

    /**
     * @param windows the window by its end
     * @param times the time of a timer, by the end of its window
     */
    WindowEndTimers(
            InternalTimerService<TimeWindow> timers,
            LongFunction<TimeWindow> windows,
            LongUnaryOperator times) {
        super(timers);
        this.windows = windows;
        this.times = times;
    }

    @Override
    public void registerEventTimeTimer(Long windowEnd, long time) {
        timers.registerEventTimeTimer(windows.apply(windowEnd), time);
    }

    @Override
    public void registerProcessingTimeTimer(Long windowEnd, long time) {
        timers.registerProcessingTimeTimer(windows.apply(windowEnd), time);
    }

    @Override
    public void deleteEventTimeTimer(Long windowEnd, long time) {
        timers.deleteEventTimeTimer(windows.apply(windowEnd), time);
    }

    @Override
    public void deleteProcessingTimeTimer(Long windowEnd, long time) {
        timers.deleteProcessingTimeTimer(windows.apply(windowEnd), time);
    }

    @Override
    public void forEachEventTimeTimer(BiConsumerWithException<Long, Long, Exception> consumer)
            throws Exception {
        timers.forEachEventTimeTimer(atEnd(consumer));
    }

    @Override
    public void forEachProcessingTimeTimer(BiConsumerWithException<Long, Long, Exception> consumer)
            throws Exception {
        timers.forEachProcessingTimeTimer(atEnd(consumer));
    }

    private BiConsumerWithException<TimeWindow, Long, Exception> atEnd(
            BiConsumerWithException<Long, Long, Exception> consumer) {
        return (window, time) -> {
            if (times.applyAsLong(window.getEnd()) == time) {
                consumer.accept(window.getEnd(), time);
            }
        };
    }
}
