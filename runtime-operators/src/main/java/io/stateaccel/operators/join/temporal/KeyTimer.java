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
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.table.data.RowData;

/**
 * The one timer of event time that a key has, for the first of the times it waits for. It is kept
 * as in Flink's {@code TemporalRowTimeJoinOperator}, since when a key is visited tells which
 * versions a late row still finds. Used by the task thread, for the current key.
 */
final class KeyTimer {

    private final LoadableValue<Long> registered;
    private final InternalTimerService<VoidNamespace> timers;

    KeyTimer(ViewContext context, InternalTimerService<VoidNamespace> timers) {
        this.registered =
                LoadableValue.open(context, new ValueStateDescriptor<>("timer", Types.LONG));
        this.timers = timers;
    }

    /** Reads keys ahead, see {@link LoadableValue#load}. */
    void load(List<RowData> keys) throws Exception {
        registered.load(keys);
    }

    /**
     * Rows have come. Each time they moved the timer counts, not only the last: a timer whose key
     * was dropped is still there, and one that is set at its time and moved on takes it along.
     *
     * @param times of the rows that were earlier than all rows before them, in their order
     */
    void moveUpTo(List<Long> times) throws Exception {
        for (long time : times) {
            moveUpTo(time);
        }
    }

    private void moveUpTo(long time) throws Exception {
        Long current = registered.value();
        if (current != null && current <= time) {
            return;
        }
        if (current != null) {
            timers.deleteEventTimeTimer(VoidNamespace.INSTANCE, current);
        }
        set(time);
    }

    /** The timer has fired, and nothing is left to wait for. */
    void clear() {
        registered.clear();
    }

    /** The timer has fired, and this is what the key waits for next. */
    void set(long time) throws Exception {
        registered.update(time);
        timers.registerEventTimeTimer(VoidNamespace.INSTANCE, time);
    }
}
