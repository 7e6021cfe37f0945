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
package io.stateaccel.operators.sink;

import io.stateaccel.operators.MaterialisedRows;
import io.stateaccel.operators.RowEqualiser;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.clock.ToldRows;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.generated.RecordEqualiser;
import org.apache.flink.table.runtime.operators.sink.SinkUpsertMaterializer;
import org.apache.flink.table.runtime.util.StateConfigUtil;
import org.apache.flink.types.RowKind;

/**
 * A sink whose primary key is the first column, of changes whose own key is the id or all of a row.
 */
record SinkCase(boolean hasUpsertKey, int bundleSize) {

    static final JoinCase.Selector PRIMARY_KEY = new JoinCase.Selector(JoinCase.KEY);

    static SinkCase random(Random random) {
        int[] sizes = {1, 2, 7, 1000};
        return new SinkCase(random.nextBoolean(), sizes[random.nextInt(sizes.length)]);
    }

    /**
     * @param ttl milliseconds, 0 for ever
     */
    OneInputStreamOperator<RowData, RowData> stock(long ttl) {
        return new SinkUpsertMaterializer(
                StateConfigUtil.createTtlConfig(ttl),
                JoinCase.ROW.toRowSerializer(),
                new RowEqualiser(),
                hasUpsertKey ? new IdEqualiser() : null,
                hasUpsertKey ? new int[] {JoinCase.ID} : null);
    }

    /**
     * @param ttl milliseconds, 0 for ever
     */
    MiniBatchSinkMaterializerOperator accelerated(long ttl, long latencyMillis) {
        return new MiniBatchSinkMaterializerOperator(
                new MiniBatchSinkMaterializerSpec(
                        JoinCase.ROW,
                        PRIMARY_KEY,
                        hasUpsertKey ? new JoinCase.Selector(JoinCase.ID) : null,
                        "values",
                        TimeToLive.ofMillis(ttl),
                        new BundleSettings(bundleSize, latencyMillis)));
    }

    /** What is in the sink. */
    static MaterialisedRows materialisedRows() {
        return new MaterialisedRows(SinkCase::text, SinkCase::keyOf);
    }

    /** The same, and what is told. */
    static ToldRows toldRows() {
        return new ToldRows(materialisedRows(), SinkCase::text, SinkCase::keyOf);
    }

    /** All of a row, but for its kind. */
    static String text(RowData row) {
        return keyOf(row) + "," + row.getLong(JoinCase.ID) + "," + row.getInt(JoinCase.VALUE);
    }

    static String change(RowData row) {
        return row.getRowKind().shortString() + " " + text(row);
    }

    static String keyOf(RowData row) {
        return row.getString(JoinCase.KEY).toString();
    }

    /** Changes of a few primary keys. */
    static List<BinaryRowData> changes(Random random) {
        return changes(
                random, 1 + random.nextInt(6), random.nextInt(300), 0.4 * random.nextDouble());
    }

    /**
     * Additions, some of rows that are there already; retractions, some of rows that are not;
     * updates that stay with a primary key or move to another. Some of the changes have passed the
     * one before them by.
     */
    static List<BinaryRowData> changes(Random random, int keys, int count, double retractions) {
        List<BinaryRowData> changes = new ArrayList<>();
        List<BinaryRowData> there = new ArrayList<>();
        int ids = Math.max(3, count / 4);
        while (changes.size() < count) {
            double what = random.nextDouble();
            if (what < 0.05) {
                changes.add(any(random, keys, ids).of(RowKind.DELETE));
            } else if (what < 0.05 + retractions && !there.isEmpty()) {
                changes.add(of(takeAny(there, random), RowKind.DELETE));
            } else if (what < 0.6 && !there.isEmpty()) {
                BinaryRowData before = takeAny(there, random);
                BinaryRowData after =
                        JoinCase.row(
                                random.nextBoolean() ? keyOf(before) : "k" + random.nextInt(keys),
                                before.getLong(JoinCase.ID),
                                random.nextInt(3));
                if (random.nextInt(4) > 0) {
                    changes.add(of(before, RowKind.UPDATE_BEFORE));
                }
                changes.add(of(after, RowKind.UPDATE_AFTER));
                there.add(after);
            } else {
                BinaryRowData row =
                        there.isEmpty() || random.nextInt(5) > 0
                                ? any(random, keys, ids).of(RowKind.INSERT)
                                : there.get(random.nextInt(there.size()));
                changes.add(of(row, RowKind.INSERT));
                there.add(row);
            }
        }
        for (int i = 1; i < changes.size(); i++) {
            if (random.nextInt(10) == 0) {
                Collections.swap(changes, i - 1, i);
            }
        }
        return changes;
    }

    private record AnyRow(BinaryRowData row) {
        BinaryRowData of(RowKind kind) {
            return SinkCase.of(row, kind);
        }
    }

    private static AnyRow any(Random random, int keys, int ids) {
        return new AnyRow(
                JoinCase.row("k" + random.nextInt(keys), random.nextInt(ids), random.nextInt(3)));
    }

    private static BinaryRowData of(BinaryRowData row, RowKind kind) {
        BinaryRowData copy = row.copy();
        copy.setRowKind(kind);
        return copy;
    }

    private static BinaryRowData takeAny(List<BinaryRowData> rows, Random random) {
        Collections.swap(rows, random.nextInt(rows.size()), rows.size() - 1);
        return rows.remove(rows.size() - 1);
    }

    /** Compares rows that are an id. */
    static final class IdEqualiser extends GeneratedRecordEqualiser {
        private static final long serialVersionUID = 1L;

        IdEqualiser() {
            super("IdEqualiser", "", new Object[0]);
        }

        @Override
        public RecordEqualiser newInstance(ClassLoader classLoader) {
            return (left, right) -> left.getLong(0) == right.getLong(0);
        }
    }
}
