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
package io.stateaccel.operators.join.temporal;

import io.stateaccel.views.ViewContext;
import io.stateaccel.views.batch.LoadableValue;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.table.data.RowData;

/**
 * When the state of a key is dropped since nothing has happened to it, by timers of processing
 * time. State, timers and times are those of Flink's {@code
 * BaseTwoInputStreamOperatorWithStateRetention}. Used by the task thread, for the current key.
 */
final class KeyRetention {

    private final long minMillis;
    private final long maxMillis;
    private final InternalTimerService<VoidNamespace> timers;

    /** Null where keys are kept for ever. */
    @Nullable private final LoadableValue<Long> dropTime;

    KeyRetention(
            ViewContext context,
            long minMillis,
            long maxMillis,
            InternalTimerService<VoidNamespace> timers) {
        this.minMillis = minMillis;
        this.maxMillis = maxMillis;
        this.timers = timers;
        this.dropTime =
                minMillis > 1
                        ? LoadableValue.open(
                                context,
                                new ValueStateDescriptor<>("cleanup-timestamp", Types.LONG))
                        : null;
    }

    /** Reads keys ahead, see {@link LoadableValue#load}. */
    void load(List<RowData> keys) throws Exception {
        if (dropTime != null) {
            dropTime.load(keys);
        }
    }

    /** Something has happened to the key. */
    void renew() throws Exception {
        if (dropTime == null) {
            return;
        }
        long now = timers.currentProcessingTime();
        Long due = dropTime.value();
        if (due != null && now + minMillis <= due) {
            return;
        }
        if (due != null) {
            timers.deleteProcessingTimeTimer(VoidNamespace.INSTANCE, due);
        }
        timers.registerProcessingTimeTimer(VoidNamespace.INSTANCE, now + maxMillis);
        dropTime.update(now + maxMillis);
    }

    /** There is nothing left of the key. */
    void forget() throws Exception {
        if (dropTime == null) {
            return;
        }
        Long due = dropTime.value();
        if (due != null) {
            timers.deleteProcessingTimeTimer(VoidNamespace.INSTANCE, due);
            dropTime.clear();
        }
    }

    /**
     * Whether the key is to be dropped now that a timer has fired; it has no drop time then.
     *
     * @param time of the timer
     */
    boolean isOver(long time) throws Exception {
        if (dropTime == null) {
            return false;
        }
        Long due = dropTime.value();
        if (due == null || due != time) {
            return false;
        }
        dropTime.clear();
        return true;
    }
}
