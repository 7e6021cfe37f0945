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
package io.stateaccel.operators.normalize;

import io.stateaccel.flink.testing.Lines;
import io.stateaccel.flink.testing.StockFunctions;
import io.stateaccel.flink.testing.TestCondition;
import io.stateaccel.operators.MaterialisedRows;
import io.stateaccel.operators.RowEqualiser;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.clock.ToldRows;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.generated.GeneratedFilterCondition;
import org.apache.flink.types.RowKind;

/**
 * The normalisation of a changelog.
 *
 * @param hasCondition whether rows have to meet one; from 2.1 on
 */
record NormalizeCase(boolean generateUpdateBefore, boolean hasCondition, int bundleSize) {

    static NormalizeCase random(Random random) {
        int[] sizes = {1, 2, 7, 1000};
        return new NormalizeCase(
                random.nextBoolean(),
                random.nextInt(3) == 0 && Lines.isAtLeast("2.1"),
                sizes[random.nextInt(sizes.length)]);
    }

    /**
     * @param ttl milliseconds, 0 for ever
     */
    OneInputStreamOperator<RowData, RowData> stock(long ttl) {
        return new KeyedProcessOperator<>(
                StockFunctions.normalize(
                        JoinCase.ROW, ttl, generateUpdateBefore, condition(), new RowEqualiser()));
    }

    MiniBatchChangelogNormalizeOperator accelerated(TimeToLive ttl, long latencyMillis) {
        return new MiniBatchChangelogNormalizeOperator(
                new MiniBatchChangelogNormalizeSpec(
                        JoinCase.ROW,
                        new JoinCase.Selector(JoinCase.KEY),
                        generateUpdateBefore,
                        condition(),
                        new RowEqualiser(),
                        ttl,
                        new BundleSettings(bundleSize, latencyMillis)));
    }

    @Nullable
    private GeneratedFilterCondition condition() {
        return hasCondition ? new TestCondition(row -> row.getInt(JoinCase.VALUE) > 0) : null;
    }

    /** What the result comes to. */
    MaterialisedRows materialisedRows() {
        return new MaterialisedRows(
                NormalizeCase::text, generateUpdateBefore ? null : NormalizeCase::keyOf);
    }

    /** The same, and what is told; by key, as a row that has expired here is known there. */
    ToldRows toldRows() {
        return new ToldRows(
                new MaterialisedRows(NormalizeCase::text, NormalizeCase::keyOf),
                NormalizeCase::text,
                NormalizeCase::keyOf);
    }

    /** All of a row. */
    static String text(RowData row) {
        return keyOf(row) + "," + row.getLong(JoinCase.ID) + "," + row.getInt(JoinCase.VALUE);
    }

    static String keyOf(RowData row) {
        return row.isNullAt(JoinCase.KEY) ? "NULL" : row.getString(JoinCase.KEY).toString();
    }

    /**
     * Changes of few keys, as they come from topics: upserts, with and without the rows before,
     * twice, deletions that hold nothing but the key, or of what is not there.
     */
    static List<BinaryRowData> changes(Random random) {
        List<BinaryRowData> changes = new ArrayList<>();
        int count = random.nextInt(200);
        int keys = 1 + random.nextInt(20);
        RowKind[] kinds = RowKind.values();
        while (changes.size() < count) {
            BinaryRowData change =
                    JoinCase.row(
                            random.nextInt(20) == 0 ? null : "k" + random.nextInt(keys),
                            random.nextInt(3),
                            random.nextInt(3));
            change.setRowKind(
                    random.nextInt(3) == 0
                            ? RowKind.UPDATE_AFTER
                            : kinds[random.nextInt(kinds.length)]);
            changes.add(change);
            if (random.nextInt(8) == 0) {
                changes.add(change);
            }
        }
        return changes;
    }
}
