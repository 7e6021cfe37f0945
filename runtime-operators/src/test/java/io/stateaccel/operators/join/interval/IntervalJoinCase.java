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
package io.stateaccel.operators.join.interval;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.JoinCase.TestCondition;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.api.operators.co.KeyedCoProcessOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.table.runtime.operators.join.KeyedCoProcessOperatorWithWatermarkDelay;
import org.apache.flink.table.runtime.operators.join.interval.IntervalJoinFunction;
import org.apache.flink.table.runtime.operators.join.interval.ProcTimeIntervalJoin;
import org.apache.flink.table.runtime.operators.join.interval.RowTimeIntervalJoin;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * An interval join of two tables of {@link JoinCase#ROW} on the key, whose {@code id} is the row
 * time, and the stock and the accelerated operator for it.
 *
 * @param lower bound of the left row's time, relative to the right row's
 * @param upper bound of the left row's time, relative to the right row's
 */
record IntervalJoinCase(
        FlinkJoinType type,
        long lower,
        long upper,
        long minCleanUpInterval,
        boolean valueCondition,
        boolean nullsMatch,
        int bundleSize) {

    static final int TIME = JoinCase.ID;

    /** An INNER join. */
    IntervalJoinCase(
            long lower,
            long upper,
            long minCleanUpInterval,
            boolean valueCondition,
            boolean nullsMatch,
            int bundleSize) {
        this(
                FlinkJoinType.INNER,
                lower,
                upper,
                minCleanUpInterval,
                valueCondition,
                nullsMatch,
                bundleSize);
    }

    static IntervalJoinCase random(Random random) {
        FlinkJoinType[] types = {
            FlinkJoinType.INNER, FlinkJoinType.LEFT, FlinkJoinType.RIGHT, FlinkJoinType.FULL
        };
        int[] sizes = {1, 2, 7, 1000};
        long lower = random.nextInt(200) - 100;
        long size = random.nextInt(4) == 0 ? 0 : random.nextInt(150);
        return new IntervalJoinCase(
                types[random.nextInt(types.length)],
                lower,
                lower + size,
                random.nextBoolean() ? 0 : random.nextInt(100),
                random.nextBoolean(),
                random.nextBoolean(),
                sizes[random.nextInt(sizes.length)]);
    }

    IntervalJoinCase withBundleSize(int rows) {
        return new IntervalJoinCase(
                type, lower, upper, minCleanUpInterval, valueCondition, nullsMatch, rows);
    }

    IntervalJoinCase withType(FlinkJoinType other) {
        return new IntervalJoinCase(
                other, lower, upper, minCleanUpInterval, valueCondition, nullsMatch, bundleSize);
    }

    IntervalJoinCase withInterval(long newLower, long newUpper) {
        return new IntervalJoinCase(
                type,
                newLower,
                newUpper,
                minCleanUpInterval,
                valueCondition,
                nullsMatch,
                bundleSize);
    }

    boolean isOuter(boolean isLeft) {
        return isLeft ? type.isLeftOuter() : type.isRightOuter();
    }

    TwoInputStreamOperator<RowData, RowData, RowData> stock() {
        RowTimeIntervalJoin join =
                new RowTimeIntervalJoin(
                        type,
                        lower,
                        upper,
                        0,
                        minCleanUpInterval,
                        JoinCase.ROW,
                        JoinCase.ROW,
                        new IntervalJoinFunction(
                                new TestCondition(valueCondition), bothSides(), filterNullKeys()),
                        TIME,
                        TIME);
        return new KeyedCoProcessOperatorWithWatermarkDelay<>(join, join.getMaxOutputDelay());
    }

    /** The same by processing time. */
    TwoInputStreamOperator<RowData, RowData, RowData> stockByArrival() {
        return new KeyedCoProcessOperator<>(
                new ProcTimeIntervalJoin(
                        type,
                        lower,
                        upper,
                        minCleanUpInterval,
                        JoinCase.ROW,
                        JoinCase.ROW,
                        new IntervalJoinFunction(
                                new TestCondition(valueCondition), bothSides(), filterNullKeys())));
    }

    MiniBatchIntervalJoinOperator accelerated() {
        return accelerated(TIME);
    }

    /** The same by processing time. */
    MiniBatchIntervalJoinOperator acceleratedByArrival() {
        return accelerated(IntervalJoinSideSpec.ARRIVAL);
    }

    private MiniBatchIntervalJoinOperator accelerated(int timeColumn) {
        return new MiniBatchIntervalJoinOperator(
                new MiniBatchIntervalJoinSpec(
                        side(true, timeColumn),
                        side(false, timeColumn),
                        lower,
                        upper,
                        minCleanUpInterval,
                        new TestCondition(valueCondition),
                        filterNullKeys(),
                        new BundleSettings(bundleSize, 1000)));
    }

    private IntervalJoinSideSpec side(boolean isLeft, int timeColumn) {
        return new IntervalJoinSideSpec(
                JoinCase.ROW, new Selector(JoinCase.KEY), timeColumn, isOuter(isLeft));
    }

    private boolean[] filterNullKeys() {
        return new boolean[] {!nullsMatch};
    }

    private static InternalTypeInfo<RowData> bothSides() {
        return InternalTypeInfo.ofFields(
                Stream.of(JoinCase.ROW, JoinCase.ROW)
                        .flatMap(side -> Stream.of(side.toRowFieldTypes()))
                        .toArray(LogicalType[]::new));
    }
}
