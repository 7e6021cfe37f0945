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
package io.stateaccel.operators.window.session;

import java.io.Serializable;
import java.time.ZoneId;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.util.TimeWindowUtil;

/**
 * Says which window a row opens, which others of its key may be merged with.
 *
 * @param isEventTime or processing time
 * @param timeIndex the column with the time of a row, on row time
 * @param gap milliseconds without a row that end a session
 * @param startIndex the column with the start of a row's window, where it carries one; negative
 *     where it does not
 * @param endIndex the column with its end
 * @param shiftTimeZone of the windows
 */
public record SessionWindows(
        boolean isEventTime,
        int timeIndex,
        long gap,
        int startIndex,
        int endIndex,
        ZoneId shiftTimeZone)
        implements Serializable {

    /** By the time of rows. */
    public static SessionWindows ofRowTime(int timeIndex, long gap, ZoneId shiftTimeZone) {
        return new SessionWindows(true, timeIndex, gap, -1, -1, shiftTimeZone);
    }

    /** By the time at which rows come. */
    public static SessionWindows ofProcessingTime(long gap, ZoneId shiftTimeZone) {
        return new SessionWindows(false, -1, gap, -1, -1, shiftTimeZone);
    }

    /** Those that rows carry, which have been merged already. */
    public static SessionWindows carried(int startIndex, int endIndex, ZoneId shiftTimeZone) {
        return new SessionWindows(true, -1, 0, startIndex, endIndex, shiftTimeZone);
    }

    /** Whether windows that meet are one. */
    boolean areMerged() {
        return startIndex < 0;
    }

    /**
     * @param clock tells the processing time
     */
    TimeWindow of(RowData row, InternalTimerService<?> clock) {
        if (!areMerged()) {
            return new TimeWindow(time(row, startIndex), time(row, endIndex));
        }
        long start =
                TimeWindowUtil.toUtcTimestampMills(
                        isEventTime ? time(row, timeIndex) : clock.currentProcessingTime(),
                        shiftTimeZone);
        return new TimeWindow(start, start + gap);
    }

    private static long time(RowData row, int index) {
        if (row.isNullAt(index)) {
            throw new IllegalArgumentException("A row has no time, by which windows are made.");
        }
        return row.getTimestamp(index, 3).getMillisecond();
    }

    /**
     * The watermark or processing time that ends a window.
     *
     * @param end of the window
     */
    long timeOf(long end) {
        return TimeWindowUtil.toEpochMillsForTimer(end - 1, shiftTimeZone);
    }
}
