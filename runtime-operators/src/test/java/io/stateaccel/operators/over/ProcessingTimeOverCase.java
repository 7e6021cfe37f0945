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
package io.stateaccel.operators.over;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.views.time.TimeToLive;
import java.util.Random;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.over.ProcTimeRangeBoundedPrecedingFunction;
import org.apache.flink.table.runtime.operators.over.ProcTimeRowsBoundedPrecedingFunction;
import org.apache.flink.table.runtime.operators.over.ProcTimeUnboundedPrecedingFunction;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * An OVER aggregate by processing time.
 *
 * @param isRows whether the frame is of ROWS
 * @param preceding as {@link ProcessingTimeOverSpec} has it
 * @param countsDistinct in a view in state
 * @param ttl of accumulators where the frame has no first row
 * @param retention of partitions that get no row where it is of so many rows
 */
record ProcessingTimeOverCase(
        boolean isRows,
        long preceding,
        boolean countsDistinct,
        TimeToLive ttl,
        IdleRetention retention,
        BundleSettings bundle) {

    private static final LogicalType[] ROW = OverCase.rowTypes();

    static ProcessingTimeOverCase random(Random random) {
        return random(random, random.nextInt(3));
    }

    static ProcessingTimeOverCase unbounded(Random random) {
        return random(random, 2);
    }

    /**
     * @param kind 0 for so many rows, 1 for a range of time, 2 for all rows so far
     */
    private static ProcessingTimeOverCase random(Random random, int kind) {
        boolean isRows = kind == 0 || kind == 2 && random.nextBoolean();
        long lives = random.nextBoolean() ? 0 : 50 + random.nextInt(200);
        return new ProcessingTimeOverCase(
                isRows,
                kind == 2
                        ? RowTimeOverSpec.UNBOUNDED
                        : isRows ? 2 + random.nextInt(6) : 1 + random.nextInt(80),
                random.nextInt(3) == 0,
                TimeToLive.ofMillis(kind == 2 ? lives : 0),
                kind == 0 && lives > 0
                        ? new IdleRetention(lives, lives * 3 / 2)
                        : IdleRetention.FOREVER,
                new BundleSettings(1 + random.nextInt(50), 1 + random.nextInt(400))
                        .endingAtWatermarks(random.nextBoolean()));
    }

    OneInputStreamOperator<RowData, RowData> accelerated() {
        return ProcessingTimeOverOperator.of(
                new ProcessingTimeOverSpec(
                        InternalTypeInfo.ofFields(ROW),
                        new JoinCase.Selector(OverCase.KEY),
                        isRows,
                        preceding,
                        new OverFunctions(countsDistinct),
                        OverFunctions.ACCUMULATOR,
                        ttl,
                        retention,
                        bundle));
    }

    OneInputStreamOperator<RowData, RowData> stock() {
        return new KeyedProcessOperator<>(function());
    }

    private KeyedProcessFunction<RowData, RowData, RowData> function() {
        OverFunctions functions = new OverFunctions(countsDistinct);
        LogicalType[] accumulator = OverFunctions.ACCUMULATOR;
        if (preceding == RowTimeOverSpec.UNBOUNDED) {
            return new ProcTimeUnboundedPrecedingFunction<>(ttl.config(), functions, accumulator);
        }
        return isRows
                ? new ProcTimeRowsBoundedPrecedingFunction<>(
                        retention.minMillis(),
                        retention.maxMillis(),
                        functions,
                        accumulator,
                        ROW,
                        preceding)
                : new ProcTimeRangeBoundedPrecedingFunction<>(
                        functions, accumulator, ROW, preceding);
    }
}
