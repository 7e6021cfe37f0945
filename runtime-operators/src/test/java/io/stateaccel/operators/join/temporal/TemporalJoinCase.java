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
package io.stateaccel.operators.join.temporal;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.JoinCase.TestCondition;
import java.util.Random;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.operators.join.temporal.TemporalRowTimeJoinOperator;

/**
 * A temporal join of two tables of {@link JoinCase#ROW} on the key, whose {@code id} is the row
 * time, and the stock and the accelerated operator for it.
 *
 * @param minRetention milliseconds, 0 for ever
 */
record TemporalJoinCase(
        boolean leftOuter,
        boolean valueCondition,
        long minRetention,
        long maxRetention,
        int bundleSize) {

    static final int TIME = JoinCase.ID;

    static TemporalJoinCase random(Random random) {
        int[] sizes = {1, 2, 7, 1000};
        long minRetention = random.nextBoolean() ? 0 : 10 + random.nextInt(50);
        return new TemporalJoinCase(
                random.nextBoolean(),
                random.nextBoolean(),
                minRetention,
                minRetention * 3 / 2,
                sizes[random.nextInt(sizes.length)]);
    }

    TemporalJoinCase withBundleSize(int rows) {
        return new TemporalJoinCase(leftOuter, valueCondition, minRetention, maxRetention, rows);
    }

    TwoInputStreamOperator<RowData, RowData, RowData> stock() {
        return new TemporalRowTimeJoinOperator(
                JoinCase.ROW,
                JoinCase.ROW,
                new TestCondition(valueCondition),
                TIME,
                TIME,
                minRetention,
                maxRetention,
                leftOuter);
    }

    MiniBatchTemporalJoinOperator accelerated() {
        TemporalJoinSideSpec side =
                new TemporalJoinSideSpec(JoinCase.ROW, new Selector(JoinCase.KEY), TIME);
        return new MiniBatchTemporalJoinOperator(
                new MiniBatchTemporalJoinSpec(
                        side,
                        side,
                        leftOuter,
                        new TestCondition(valueCondition),
                        minRetention,
                        maxRetention,
                        new BundleSettings(bundleSize, 1_000_000).endingAtWatermarks(false)));
    }
}
