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

import io.stateaccel.operators.bundle.HeapBudget;
import java.io.Serializable;
import org.apache.flink.table.runtime.generated.GeneratedClass;
import org.apache.flink.table.runtime.generated.NamespaceAggsHandleFunctionBase;
import org.apache.flink.table.runtime.operators.window.TimeWindow;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * What {@link HeapSessions} aggregate and how.
 *
 * @param windows says which window a row opens
 * @param functions aggregate rows, and emit one row or any number; rows are not kept by what they
 *     return
 * @param hasViews whether accumulators have data views in state
 * @param accumulatorTypes the fields of an accumulator
 * @param indexOfCountStar the one that counts rows, negative if none does
 * @param heapBytes what sessions may take on the heap, see {@link HeapBudget#open}
 */
public record SessionSpec(
        SessionWindows windows,
        GeneratedClass<? extends NamespaceAggsHandleFunctionBase<TimeWindow>> functions,
        boolean hasViews,
        LogicalType[] accumulatorTypes,
        int indexOfCountStar,
        long heapBytes)
        implements Serializable {}
