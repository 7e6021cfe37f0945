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

import org.apache.flink.api.common.functions.DefaultOpenContext;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.functions.util.FunctionUtils;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.FilterCondition;
import org.apache.flink.table.runtime.generated.GeneratedFilterCondition;

/**
 * A generated {@link FilterCondition}, which from 2.1 on may ask for the time of the row and for
 * the current ones.
 */
public final class RowCondition {

    private final FilterCondition condition;
    private final Now now;

    /**
     * @param times which times it is
     */
    public RowCondition(
            GeneratedFilterCondition generated, RuntimeContext runtime, CurrentTimes times)
            throws Exception {
        condition = generated.newInstance(runtime.getUserCodeClassLoader());
        FunctionUtils.setFunctionRuntimeContext(condition, runtime);
        FunctionUtils.openFunction(condition, DefaultOpenContext.INSTANCE);
        now = new Now(times);
    }

    /** Whether the row has what is asked for. */
    public boolean holds(StreamRecord<RowData> row) {
        now.row = row;
        return condition.apply(now, row.getValue());
    }

    public void close() throws Exception {
        FunctionUtils.closeFunction(condition);
    }

    /** Knows no timers: a condition has nothing that would be called by them. */
    private static final class Now implements FilterCondition.Context, TimerService {
        private static final String NO_TIMERS = "A condition sets no timers.";

        private final CurrentTimes times;
        private StreamRecord<RowData> row;

        private Now(CurrentTimes times) {
            this.times = times;
        }

        @Override
        public Long timestamp() {
            return row.hasTimestamp() ? row.getTimestamp() : null;
        }

        @Override
        public TimerService timerService() {
            return this;
        }

        @Override
        public long currentProcessingTime() {
            return times.processingTime();
        }

        @Override
        public long currentWatermark() {
            return times.watermark();
        }

        @Override
        public void registerProcessingTimeTimer(long time) {
            throw new UnsupportedOperationException(NO_TIMERS);
        }

        @Override
        public void registerEventTimeTimer(long time) {
            throw new UnsupportedOperationException(NO_TIMERS);
        }

        @Override
        public void deleteProcessingTimeTimer(long time) {
            throw new UnsupportedOperationException(NO_TIMERS);
        }

        @Override
        public void deleteEventTimeTimer(long time) {
            throw new UnsupportedOperationException(NO_TIMERS);
        }
    }
}
