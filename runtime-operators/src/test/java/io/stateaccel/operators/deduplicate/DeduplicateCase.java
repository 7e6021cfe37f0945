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
package io.stateaccel.operators.deduplicate;

import io.stateaccel.flink.testing.StockFunctions;
import io.stateaccel.operators.MaterialisedRows;
import io.stateaccel.operators.RowEqualiser;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.clock.ToldRows;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.operators.deduplicate.ProcTimeDeduplicateKeepFirstRowFunction;
import org.apache.flink.table.runtime.operators.deduplicate.RowTimeDeduplicateFunction;

/** A deduplication. */
record DeduplicateCase(
        boolean byRowTime,
        boolean keepLast,
        boolean generateUpdateBefore,
        boolean generateInsert,
        int bundleSize) {

    static DeduplicateCase random(Random random) {
        int[] sizes = {1, 2, 7, 1000};
        return new DeduplicateCase(
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                random.nextBoolean(),
                sizes[random.nextInt(sizes.length)]);
    }

    OneInputStreamOperator<RowData, RowData> stock() {
        return stock(0);
    }

    /**
     * @param ttl milliseconds, 0 for ever
     */
    OneInputStreamOperator<RowData, RowData> stock(long ttl) {
        if (byRowTime) {
            return new KeyedProcessOperator<>(
                    new RowTimeDeduplicateFunction(
                            JoinCase.ROW,
                            ttl,
                            JoinCase.ID,
                            generateUpdateBefore,
                            generateInsert,
                            keepLast));
        }
        return keepLast
                ? new KeyedProcessOperator<>(
                        StockFunctions.lastRow(
                                JoinCase.ROW,
                                ttl,
                                generateUpdateBefore,
                                generateInsert,
                                new RowEqualiser()))
                : new KeyedProcessOperator<>(new ProcTimeDeduplicateKeepFirstRowFunction(ttl));
    }

    MiniBatchDeduplicateOperator accelerated() {
        return accelerated(TimeToLive.FOREVER, 1000);
    }

    MiniBatchDeduplicateOperator accelerated(TimeToLive ttl, long latencyMillis) {
        return new MiniBatchDeduplicateOperator(
                new MiniBatchDeduplicateSpec(
                        JoinCase.ROW,
                        new JoinCase.Selector(JoinCase.KEY),
                        byRowTime ? JoinCase.ID : -1,
                        keepLast,
                        generateUpdateBefore,
                        generateInsert,
                        new RowEqualiser(),
                        ttl,
                        new BundleSettings(bundleSize, latencyMillis)));
    }

    /** What the result comes to. */
    MaterialisedRows materialisedRows() {
        return new MaterialisedRows(
                DeduplicateCase::text, generateUpdateBefore ? null : DeduplicateCase::keyOf);
    }

    /** The same, and what is told. */
    ToldRows toldRows() {
        return new ToldRows(materialisedRows(), DeduplicateCase::text, DeduplicateCase::keyOf);
    }

    /** All of a row. */
    static String text(RowData row) {
        return keyOf(row) + "," + row.getLong(JoinCase.ID) + "," + row.getInt(JoinCase.VALUE);
    }

    static String keyOf(RowData row) {
        return row.isNullAt(JoinCase.KEY) ? "NULL" : row.getString(JoinCase.KEY).toString();
    }

    /** Rows of few keys, with ids that are times, of which some are equal. */
    static List<BinaryRowData> rows(Random random) {
        List<BinaryRowData> rows = new ArrayList<>();
        int count = random.nextInt(200);
        int keys = 1 + random.nextInt(20);
        for (int i = 0; i < count; i++) {
            rows.add(
                    JoinCase.row(
                            random.nextInt(20) == 0 ? null : "k" + random.nextInt(keys),
                            i / 3 + random.nextInt(10),
                            random.nextInt(3)));
        }
        return rows;
    }
}
