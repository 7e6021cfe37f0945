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
package io.stateaccel.planner.window;

import io.stateaccel.operators.window.WindowedRows;
import io.stateaccel.planner.bundle.WindowHeap;
import org.apache.flink.table.planner.plan.logical.WindowAttachedWindowingStrategy;
import org.apache.flink.table.planner.plan.logical.WindowingStrategy;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.utils.TableConfigUtils;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.util.TimeWindowUtil;
import org.apache.flink.table.types.logical.RowType;

/** Rows that carry their window, as nodes behind a function of windows have them. */
public final class WindowedInput {

    /** As Flink's nodes declare, so that the memory of others in the slot stays what it was. */
    public static final long MEMORY_RATIO = 100;

    private WindowedInput() {}

    /** Whether rows carry their window, and it ends by row time. */
    public static boolean isOfRowTime(WindowingStrategy windowing) {
        return windowing.isRowtime() && windowing instanceof WindowAttachedWindowingStrategy;
    }

    /**
     * @param windowing for which {@link #isOfRowTime} holds
     * @param config of the node
     */
    public static WindowedRows rows(
            RowType type, WindowingStrategy windowing, ExecNodeConfig config) {
        return new WindowedRows(
                InternalTypeInfo.of(type),
                ((WindowAttachedWindowingStrategy) windowing).getWindowEnd(),
                TimeWindowUtil.getShiftTimeZone(
                        windowing.getTimeAttributeType(),
                        TableConfigUtils.getLocalTimeZone(config)),
                WindowHeap.of(config).bytes());
    }
}
