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
package io.stateaccel.operators.join.aggregate;

import io.stateaccel.operators.join.MiniBatchJoinSpec;
import io.stateaccel.operators.join.ResultCalc;
import io.stateaccel.views.time.TimeToLive;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * Everything a {@link MiniBatchJoinAggregateOperator} is made of.
 *
 * @param join the join
 * @param calc projects and filters the join's results; null when they are aggregated as they are
 * @param groupSelector extracts the grouping key from what is aggregated; it determines the join
 *     key
 * @param aggregates the generated aggregate functions; with data views only if the join key also
 *     determines the group
 * @param equaliser compares two results
 * @param accumulatorTypes the fields of the accumulator
 * @param indexOfCountStar where the accumulator counts its rows, -1 when nothing is retracted
 * @param generateUpdateBefore whether {@code -U} is wanted downstream
 * @param ttl of a group after its last row
 * @param heapBytes heap bytes that the groups of one join key may use
 * @param packDistinct whether values that DISTINCT has seen are packed if the job begins now
 */
public record MiniBatchJoinAggregateSpec(
        MiniBatchJoinSpec join,
        @Nullable ResultCalc calc,
        RowDataKeySelector groupSelector,
        GeneratedAggsHandleFunction aggregates,
        GeneratedRecordEqualiser equaliser,
        LogicalType[] accumulatorTypes,
        int indexOfCountStar,
        boolean generateUpdateBefore,
        TimeToLive ttl,
        long heapBytes,
        boolean packDistinct)
        implements Serializable {}
