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
package io.stateaccel.benchmarks;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.join.interval.IntervalJoinSideSpec;
import io.stateaccel.operators.join.interval.MiniBatchIntervalJoinOperator;
import io.stateaccel.operators.join.interval.MiniBatchIntervalJoinSpec;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.table.runtime.operators.join.KeyedCoProcessOperatorWithWatermarkDelay;
import org.apache.flink.table.runtime.operators.join.interval.IntervalJoinFunction;
import org.apache.flink.table.runtime.operators.join.interval.RowTimeIntervalJoin;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;

/** Whose operator joins an {@link IntervalStream}, as the planner makes it. */
public enum IntervalJoin {
    /** Flink's, a row at a time. */
    STOCK,

    /** Ours; as the benchmark's watermarks come early, they say how long a bundle gets. */
    MINI_BATCH;

    private static final BundleSettings BUNDLE = new BundleSettings(20_000, 1_000);
    private static final boolean[] FILTER_NULL_KEYS = {true};

    /**
     * @param interval rows join within so many milliseconds of each other
     */
    TwoInputStreamOperator<RowData, RowData, RowData> operator(long interval) {
        return switch (this) {
            case STOCK -> stock(interval);
            case MINI_BATCH ->
                    new MiniBatchIntervalJoinOperator(
                            new MiniBatchIntervalJoinSpec(
                                    side(),
                                    side(),
                                    -interval,
                                    interval,
                                    0,
                                    new AlwaysTrue(),
                                    FILTER_NULL_KEYS,
                                    BUNDLE));
        };
    }

    private static TwoInputStreamOperator<RowData, RowData, RowData> stock(long interval) {
        RowTimeIntervalJoin join =
                new RowTimeIntervalJoin(
                        FlinkJoinType.INNER,
                        -interval,
                        interval,
                        0,
                        0,
                        IntervalStream.ROW,
                        IntervalStream.ROW,
                        new IntervalJoinFunction(new AlwaysTrue(), bothSides(), FILTER_NULL_KEYS),
                        IntervalStream.TIME,
                        IntervalStream.TIME);
        return new KeyedCoProcessOperatorWithWatermarkDelay<>(join, join.getMaxOutputDelay());
    }

    private static IntervalJoinSideSpec side() {
        return new IntervalJoinSideSpec(
                IntervalStream.ROW, new LongColumn(IntervalStream.KEY), IntervalStream.TIME, false);
    }

    private static InternalTypeInfo<RowData> bothSides() {
        return InternalTypeInfo.ofFields(
                Stream.of(IntervalStream.ROW, IntervalStream.ROW)
                        .flatMap(side -> Stream.of(side.toRowFieldTypes()))
                        .toArray(LogicalType[]::new));
    }
}
