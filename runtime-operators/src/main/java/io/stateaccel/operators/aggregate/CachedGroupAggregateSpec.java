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
package io.stateaccel.operators.aggregate;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.views.time.TimeToLive;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.table.runtime.generated.AggsHandleFunctionBase;
import org.apache.flink.table.runtime.generated.GeneratedAggsHandleFunction;
import org.apache.flink.table.runtime.generated.GeneratedClass;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;

/**
 * Everything a {@link CachedGroupAggregateOperator} is made of.
 *
 * @param aggregates the generated aggregate functions, or the table aggregate
 * @param partials merges on the heap what the input is then: groups and their accumulators. {@code
 *     aggregates} merges what that comes to. Null if the input are rows
 * @param equaliser compares two results; null for a table aggregate
 * @param tableType of the rows that a table aggregate emits, the group before its values; null if
 *     there is a row per group
 * @param accumulatorTypes the fields of the accumulator
 * @param indexOfCountStar where the accumulator counts its rows, -1 when nothing is retracted
 * @param generateUpdateBefore whether {@code -U} is wanted downstream
 * @param keySelector extracts the grouping key
 * @param ttl of a group after its last row
 * @param bundle when a bundle is flushed
 * @param cacheBytes heap bytes for accumulators kept between bundles
 * @param packDistinct whether values that DISTINCT has seen are packed if the job begins now
 */
public record CachedGroupAggregateSpec(
        GeneratedClass<? extends AggsHandleFunctionBase> aggregates,
        @Nullable GeneratedAggsHandleFunction partials,
        @Nullable GeneratedRecordEqualiser equaliser,
        @Nullable RowType tableType,
        LogicalType[] accumulatorTypes,
        int indexOfCountStar,
        boolean generateUpdateBefore,
        RowDataKeySelector keySelector,
        TimeToLive ttl,
        BundleSettings bundle,
        long cacheBytes,
        boolean packDistinct)
        implements Serializable {}
