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
package io.stateaccel.operators.window.aggregate;

import io.stateaccel.operators.bundle.HeapBudget;
import java.io.Serializable;
import java.time.ZoneId;
import javax.annotation.Nullable;
import org.apache.flink.table.runtime.generated.GeneratedNamespaceAggsHandleFunction;
import org.apache.flink.table.runtime.operators.window.tvf.slicing.SliceAssigner;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * What a {@link HeapWindowAggregate} aggregates and how.
 *
 * @param functions make windows of slices, and results of windows
 * @param rowFunctions aggregate what comes; rows are not kept by what they return
 * @param partialFunctions make of an accumulator that comes one that can be merged with those that
 *     have data views in state; null where there are none
 * @param ofPartials whether what comes are accumulators of a local aggregate, to be merged
 * @param retracts whether rows may be retracted
 * @param assigner says to which slice a row belongs
 * @param accumulatorTypes the fields of an accumulator
 * @param indexOfCountStar the one that counts rows, negative if none does
 * @param shiftTimeZone of the windows
 * @param heapBytes what slices may take on the heap, see {@link HeapBudget#open}
 * @param best which results anything is made of; null for all
 */
public record HeapWindowAggregateSpec(
        GeneratedNamespaceAggsHandleFunction<Long> functions,
        GeneratedNamespaceAggsHandleFunction<Long> rowFunctions,
        @Nullable GeneratedNamespaceAggsHandleFunction<Long> partialFunctions,
        boolean ofPartials,
        boolean retracts,
        SliceAssigner assigner,
        LogicalType[] accumulatorTypes,
        int indexOfCountStar,
        ZoneId shiftTimeZone,
        long heapBytes,
        @Nullable BestResultsSpec best)
        implements Serializable {}
