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

import io.stateaccel.operators.bundle.HeapBudget;
import java.io.Serializable;
import java.time.ZoneId;
import javax.annotation.Nullable;
import org.apache.flink.table.runtime.generated.GeneratedClass;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunctionBase;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.runtime.operators.window.groupwindow.triggers.Trigger;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * What a {@link HeapGroupWindowAggregate} aggregates and how.
 *
 * @param windows says to which windows a row belongs
 * @param trigger says when there are results of a window
 * @param updates what results are that replace others; null where a window is emitted once
 * @param functions aggregate rows, and emit one row or any number; rows are not kept by what they
 *     return
 * @param hasViews whether accumulators have data views in state
 * @param accumulatorTypes the fields of an accumulator
 * @param indexOfCountStar the one that counts rows, negative if none does
 * @param timeIndex the column with the time of a row, negative on processing time
 * @param shiftTimeZone of the windows
 * @param heapBytes what windows may take on the heap, see {@link HeapBudget#open}
 */
public record HeapGroupWindowSpec(
        FixedWindows windows,
        Trigger<TimeWindow> trigger,
        @Nullable Updates updates,
        GeneratedClass<? extends NamespaceAggsHandleFunctionBase<TimeWindow>> functions,
        boolean hasViews,
        LogicalType[] accumulatorTypes,
        int indexOfCountStar,
        int timeIndex,
        ZoneId shiftTimeZone,
        long heapBytes)
        implements Serializable {

    boolean isEventTime() {
        return timeIndex >= 0;
    }

    long allowedLateness() {
        return updates == null ? 0 : updates.allowedLateness();
    }

    /**
     * @param resultTypes the fields of a result behind the key
     * @param equaliser compares results
     * @param allowedLateness milliseconds for which a window has results after its end
     */
    public record Updates(
            LogicalType[] resultTypes, GeneratedRecordEqualiser equaliser, long allowedLateness)
            implements Serializable {}
}
