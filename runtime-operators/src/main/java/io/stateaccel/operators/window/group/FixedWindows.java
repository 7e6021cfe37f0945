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

import java.io.Serializable;
import java.time.Duration;
import org.apache.commons.math3.util.ArithmeticUtils;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunctionBase;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.operators.window.groupwindow.assigners.SlidingWindowAssigner;
import org.apache.flink.table.runtime.operators.window.groupwindow.assigners.TumblingWindowAssigner;
import org.apache.flink.table.runtime.operators.window.groupwindow.internal.GeneralWindowProcessFunction;
import org.apache.flink.table.runtime.operators.window.groupwindow.internal.InternalWindowProcessFunction;
import org.apache.flink.table.runtime.operators.window.groupwindow.internal.PanedWindowProcessFunction;

/**
 * Windows that are known by their end, as all of them are equally long, and so are the panes that
 * Flink cuts them into.
 *
 * @param isHop whether they overlap or have gaps, and consist of panes
 * @param isEventTime or processing time
 * @param size of a window, milliseconds
 * @param slide from one window to the next, milliseconds
 */
public record FixedWindows(boolean isHop, boolean isEventTime, long size, long slide)
        implements Serializable {

    /** One behind the other. */
    public static FixedWindows tumbling(boolean isEventTime, Duration size) {
        return new FixedWindows(false, isEventTime, size.toMillis(), size.toMillis());
    }

    /** Begun at regular intervals. */
    public static FixedWindows hopping(boolean isEventTime, Duration size, Duration slide) {
        return new FixedWindows(true, isEventTime, size.toMillis(), slide.toMillis());
    }

    /** Whether there are times that are in no window. */
    boolean haveGaps() {
        return slide > size;
    }

    private long paneSize() {
        return ArithmeticUtils.gcd(size, slide);
    }

    /** The window that ends then. */
    TimeWindow window(long end) {
        return new TimeWindow(end - size, end);
    }

    /** The pane that ends then. */
    TimeWindow pane(long end) {
        return new TimeWindow(end - paneSize(), end);
    }

    /** Flink's function that assigns rows to windows and panes, and clears them. */
    InternalWindowProcessFunction<RowData, TimeWindow> function(
            NamespaceAggsHandleFunctionBase<TimeWindow> functions, long allowedLateness) {
        if (isHop) {
            SlidingWindowAssigner assigner =
                    SlidingWindowAssigner.of(Duration.ofMillis(size), Duration.ofMillis(slide));
            return new PanedWindowProcessFunction<>(
                    isEventTime ? assigner.withEventTime() : assigner.withProcessingTime(),
                    functions,
                    allowedLateness);
        }
        TumblingWindowAssigner assigner = TumblingWindowAssigner.of(Duration.ofMillis(size));
        return new GeneralWindowProcessFunction<>(
                isEventTime ? assigner.withEventTime() : assigner.withProcessingTime(),
                functions,
                allowedLateness);
    }
}
