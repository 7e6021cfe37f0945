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
package io.stateaccel.operators.rank;

import io.stateaccel.operators.MaterialisedRows;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.clock.ToldRows;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.generated.RecordComparator;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.rank.ComparableRecordComparator;
import org.apache.flink.table.runtime.operators.rank.RankRange;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.util.StateConfigUtil;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.types.RowKind;

/**
 * A top-N over rows of {@code (partition BIGINT, id BIGINT, sorted INT NULL, payload INT)}, ordered
 * by {@code sorted} descending, NULL last, or as they come.
 */
record RankCase(
        RankInput input,
        int rankStart,
        int rankEnd,
        boolean outputRankNumber,
        boolean generateUpdateBefore,
        boolean storesRowsApart,
        long heapRows,
        int bundleSize) {

    static final int PARTITION = 0;
    static final int ID = 1;
    static final int SORTED = 2;
    static final int PAYLOAD = 3;
    private static final int RANK = 4;

    static final InternalTypeInfo<RowData> ROW =
            InternalTypeInfo.ofFields(
                    new BigIntType(), new BigIntType(), new IntType(), new IntType());

    /** One whose rows are stored as one value. */
    RankCase(
            RankInput input,
            int rankStart,
            int rankEnd,
            boolean outputRankNumber,
            boolean generateUpdateBefore,
            int bundleSize) {
        this(
                input,
                rankStart,
                rankEnd,
                outputRankNumber,
                generateUpdateBefore,
                false,
                0,
                bundleSize);
    }

    static RankCase random(Random random) {
        RankInput[] inputs = RankInput.values();
        int[] sizes = {1, 2, 7, 1000};
        int rankStart = random.nextInt(4) == 0 ? 2 : 1;
        boolean outputRankNumber = random.nextBoolean();
        return new RankCase(
                inputs[random.nextInt(inputs.length)],
                rankStart,
                rankStart + random.nextInt(4),
                outputRankNumber,
                // By ranks that have no number Flink does not delete what it replaces.
                random.nextBoolean() || !outputRankNumber && rankStart > 1,
                random.nextBoolean(),
                random.nextInt(10),
                sizes[random.nextInt(sizes.length)]);
    }

    boolean isWrongInFlink() {
        return StockTopN.isWrong(input, rankStart, outputRankNumber);
    }

    /**
     * The rows of the result, in their order, after the changes.
     *
     * @param changes not upserts, of which those that tie keep their place
     */
    Map<Long, List<BinaryRowData>> expected(List<BinaryRowData> changes) {
        Map<Long, List<BinaryRowData>> live = live(changes);
        live.replaceAll((key, rows) -> rows.stream().limit(rankEnd).skip(rankStart - 1L).toList());
        return live;
    }

    /** All rows of each partition, in their order, after changes that are not upserts. */
    Map<Long, List<BinaryRowData>> live(List<BinaryRowData> changes) {
        Map<Long, List<BinaryRowData>> live = new HashMap<>();
        for (BinaryRowData change : changes) {
            List<BinaryRowData> rows =
                    live.computeIfAbsent(change.getLong(PARTITION), key -> new ArrayList<>());
            BinaryRowData row = kind(change, RowKind.INSERT);
            if (RowDataUtil.isAccumulateMsg(change)) {
                rows.add(row);
            } else {
                rows.remove(row);
            }
        }
        if (input != RankInput.ARRIVAL) {
            live.values().forEach(rows -> rows.sort(new Order(SORTED).newInstance(null)));
        }
        return live;
    }

    /** Whether of all rows that are there at a time each has another id. */
    boolean haveIdsOfTheirOwn(List<BinaryRowData> changes) {
        Set<Long> live = new HashSet<>();
        for (BinaryRowData change : changes) {
            long id = change.getLong(ID);
            if (!RowDataUtil.isAccumulateMsg(change)) {
                live.remove(id);
            } else if (!live.add(id) && input != RankInput.UPDATE) {
                return false;
            }
        }
        return true;
    }

    /** Whether the state is that of Flink's functions. */
    boolean isStoredAsInFlink() {
        return isTopOne()
                || input == RankInput.ARRIVAL
                || input == RankInput.RETRACT
                || storesRowsApart;
    }

    boolean isTopOne() {
        return rankStart == 1 && rankEnd == 1;
    }

    /** What the result comes to. */
    MaterialisedRows materialisedRows() {
        return new MaterialisedRows(this::text, replacesSilently() ? this::keyOfUpserts : null);
    }

    /**
     * Whether a row may take the place of another without a word about the other. Without a number
     * only a row of the same key does, or the only one of a partition, and none in a top-N of
     * retractions, which deletes what goes.
     */
    private boolean replacesSilently() {
        boolean replacesRows = input == RankInput.UPDATE || isTopOne() && input == RankInput.APPEND;
        return !generateUpdateBefore && (outputRankNumber || replacesRows);
    }

    private String keyOfUpserts(RowData row) {
        if (outputRankNumber) {
            return rankOf(row);
        }
        return row.getLong(PARTITION) + (isTopOne() ? "" : "," + row.getLong(ID));
    }

    /** The same, and what is told. */
    ToldRows toldRows() {
        return new ToldRows(materialisedRows(), this::text, this::key);
    }

    /** By which rows of the result are known. */
    String key(RowData row) {
        return outputRankNumber || replacesSilently() ? keyOfUpserts(row) : text(row);
    }

    /** All of a row of the result. */
    String text(RowData row) {
        return row.getLong(PARTITION)
                + ","
                + row.getLong(ID)
                + ","
                + (row.isNullAt(SORTED) ? "NULL" : row.getInt(SORTED))
                + ","
                + row.getInt(PAYLOAD)
                + (outputRankNumber ? "#" + row.getLong(RANK) : "");
    }

    /** Partition and rank of a row of the result, if it has the rank. */
    private static String rankOf(RowData row) {
        return row.getLong(PARTITION) + "#" + row.getLong(RANK);
    }

    /** Changes as the planner lets them into a top-N of this input. */
    List<BinaryRowData> changes(Random random, int count) {
        int partitions = 1 + random.nextInt(4);
        // All tie, as those of a limit do.
        boolean tie = input != RankInput.UPDATE && random.nextInt(5) == 0;
        boolean equalRows = input == RankInput.RETRACT && random.nextBoolean();
        List<BinaryRowData> changes = new ArrayList<>();
        List<BinaryRowData> live = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean changesOne = !live.isEmpty() && random.nextBoolean();
            int place = changesOne ? random.nextInt(live.size()) : -1;
            switch (input) {
                case APPEND, ARRIVAL -> changes.add(insertion(i, partitions, tie, random));
                case UPDATE -> {
                    BinaryRowData row =
                            changesOne
                                    ? raised(live.remove(place), random)
                                    : insertion(i, partitions, tie, random);
                    live.add(row);
                    changes.add(row.copy());
                }
                case RETRACT -> {
                    if (changesOne) {
                        BinaryRowData old = live.remove(place);
                        boolean updates = random.nextBoolean();
                        changes.add(kind(old, updates ? RowKind.UPDATE_BEFORE : RowKind.DELETE));
                        if (updates) {
                            BinaryRowData row =
                                    row(old.getLong(PARTITION), old.getLong(ID), tie, random);
                            live.add(row);
                            changes.add(kind(row, RowKind.UPDATE_AFTER));
                        }
                    } else {
                        int id = equalRows ? random.nextInt(20) : i;
                        BinaryRowData row = insertion(id, partitions, tie, random);
                        live.add(row);
                        changes.add(row.copy());
                    }
                }
            }
        }
        return changes;
    }

    private static BinaryRowData insertion(long id, int partitions, boolean ties, Random random) {
        return row(random.nextInt(partitions), id, ties, random);
    }

    private static BinaryRowData row(long partition, long id, boolean ties, Random random) {
        return row(
                partition,
                id,
                ties || random.nextInt(10) == 0 ? null : random.nextInt(6),
                random.nextInt(3));
    }

    private static BinaryRowData raised(BinaryRowData row, Random random) {
        int raise = random.nextInt(3);
        Integer sorted =
                row.isNullAt(SORTED)
                        ? (raise == 0 ? null : Integer.valueOf(raise))
                        : Integer.valueOf(row.getInt(SORTED) + raise);
        return kind(
                row(row.getLong(PARTITION), row.getLong(ID), sorted, random.nextInt(3)),
                RowKind.UPDATE_AFTER);
    }

    static BinaryRowData kind(BinaryRowData row, RowKind kind) {
        BinaryRowData copy = row.copy();
        copy.setRowKind(kind);
        return copy;
    }

    static BinaryRowData row(long partition, long id, Integer sorted, int payload) {
        BinaryRowData row = new BinaryRowData(4);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        writer.writeLong(PARTITION, partition);
        writer.writeLong(ID, id);
        if (sorted == null) {
            writer.setNullAt(SORTED);
        } else {
            writer.writeInt(SORTED, sorted);
        }
        writer.writeInt(PAYLOAD, payload);
        writer.complete();
        return row;
    }

    OneInputStreamOperator<RowData, RowData> stock() {
        return stock(StateConfigUtil.createTtlConfig(0));
    }

    /** Flink's operator, whose state expires. */
    OneInputStreamOperator<RowData, RowData> stock(StateTtlConfig ttl) {
        return stockTopN().operator(ttl);
    }

    /** Flink's operator, with other ranks, of which there are several. */
    OneInputStreamOperator<RowData, RowData> stock(RankRange ranks) {
        return stockTopN().operator(StateConfigUtil.createTtlConfig(0), ranks);
    }

    private StockTopN stockTopN() {
        return new StockTopN(
                input,
                ROW,
                new Selector(SORTED),
                new Order(0),
                sortKeyComparator(),
                new Selector(ID),
                rankStart,
                rankEnd,
                outputRankNumber,
                generateUpdateBefore);
    }

    MiniBatchRankOperator accelerated() {
        return accelerated(TimeToLive.FOREVER, 1000);
    }

    /** One whose last rank is in a column. */
    MiniBatchRankOperator upTo(int rankEndColumn) {
        return new MiniBatchRankOperator(spec(rankEndColumn, false, TimeToLive.FOREVER, 1000));
    }

    MiniBatchRankOperator accelerated(TimeToLive ttl, long latencyMillis) {
        return new MiniBatchRankOperator(spec(ttl, latencyMillis));
    }

    /** Of a top-1 of insertions, one whose result keeps every row that was ever the first. */
    MiniBatchRankOperator neverTakingBack(TimeToLive ttl, long latencyMillis) {
        return new MiniBatchRankOperator(spec(null, true, ttl, latencyMillis));
    }

    /** Of each partition what is emitted, in order. */
    Map<Long, List<String>> byPartition(List<RowData> emitted) {
        Map<Long, List<String>> changes = new HashMap<>();
        for (RowData change : emitted) {
            changes.computeIfAbsent(change.getLong(PARTITION), partition -> new ArrayList<>())
                    .add(change.getRowKind().shortString() + " " + text(change));
        }
        return changes;
    }

    MiniBatchRankSpec spec(TimeToLive ttl, long latencyMillis) {
        return spec(null, false, ttl, latencyMillis);
    }

    private MiniBatchRankSpec spec(
            @Nullable Integer rankEndColumn,
            boolean neverTakesBack,
            TimeToLive ttl,
            long latencyMillis) {
        return new MiniBatchRankSpec(
                input,
                ROW,
                new Selector(PARTITION),
                new Order(SORTED),
                new Selector(SORTED),
                sortKeyComparator(),
                input == RankInput.UPDATE ? new Selector(ID) : null,
                rankStart,
                rankEnd,
                rankEndColumn,
                outputRankNumber,
                generateUpdateBefore,
                neverTakesBack,
                storesRowsApart,
                heapRows,
                ttl,
                // As planned: nobody downstream compares watermarks with these rows.
                new BundleSettings(bundleSize, latencyMillis).endingAtWatermarks(false));
    }

    static ComparableRecordComparator sortKeyComparator() {
        return new ComparableRecordComparator(
                new Order(0),
                new int[] {0},
                new LogicalType[] {new IntType()},
                new boolean[] {false},
                new boolean[] {true});
    }

    /** Projects one column. */
    static final class Selector implements RowDataKeySelector {
        private final int column;

        Selector(int column) {
            this.column = column;
        }

        @Override
        public RowData getKey(RowData row) {
            BinaryRowData key = new BinaryRowData(1);
            BinaryRowWriter writer = new BinaryRowWriter(key);
            if (row.isNullAt(column)) {
                writer.setNullAt(0);
            } else if (column < SORTED) {
                writer.writeLong(0, row.getLong(column));
            } else {
                writer.writeInt(0, row.getInt(column));
            }
            writer.complete();
            return key;
        }

        @Override
        public InternalTypeInfo<RowData> getProducedType() {
            return InternalTypeInfo.ofFields(column < SORTED ? new BigIntType() : new IntType());
        }

        public RowDataKeySelector copy() {
            return new Selector(column);
        }
    }

    /** One column, descending, NULL last. */
    static final class Order extends GeneratedRecordComparator {
        private final int column;

        Order(int column) {
            super("Order", "", new Object[0]);
            this.column = column;
        }

        @Override
        public RecordComparator newInstance(ClassLoader classLoader) {
            Comparator<Integer> order = Comparator.nullsLast(Comparator.reverseOrder());
            return (left, right) -> order.compare(value(left), value(right));
        }

        private Integer value(RowData row) {
            return row.isNullAt(column) ? null : Integer.valueOf(row.getInt(column));
        }
    }
}
