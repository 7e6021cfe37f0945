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
package io.stateaccel.operators.join.fused;

import io.stateaccel.operators.Changelog;
import io.stateaccel.operators.RowEqualiser;
import io.stateaccel.operators.aggregate.TestAggregates;
import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.join.JoinCase;
import io.stateaccel.operators.join.JoinCase.Selector;
import io.stateaccel.operators.join.JoinCase.Side;
import io.stateaccel.operators.join.JoinCase.UniqueKey;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.ResultCalc;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinAggregateOperator;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinAggregateSpec;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinLocalAggregateOperator;
import io.stateaccel.operators.join.aggregate.MiniBatchJoinLocalAggregateSpec;
import io.stateaccel.operators.join.rank.MiniBatchJoinRankOperator;
import io.stateaccel.operators.join.rank.MiniBatchJoinRankSpec;
import io.stateaccel.operators.rank.MiniBatchRankSpec;
import io.stateaccel.operators.rank.RankInput;
import io.stateaccel.operators.rank.StockTopN;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.time.TimeToLive;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.generated.RecordComparator;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.aggregate.GroupAggFunction;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.table.runtime.operators.rank.ComparableRecordComparator;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.runtime.util.StateConfigUtil;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.types.RowKind;

/**
 * A join and what is above it, in one operator or in Flink's two. Groups are {@code (l.key, l.id)},
 * or {@code l.key} where there are views; partitions are {@code l.key}.
 *
 * @param ranks read for top-N
 * @param mostRows of a key that a top-N holds
 * @param heapBytes of groups that an aggregate holds
 */
public record FusedCase(JoinCase join, Above above, Ranks ranks, int mostRows, long heapBytes) {

    /** What is made of the results of the join. */
    public enum Above {
        SUM(TestAggregates.Kind.SUM),
        TEXT(TestAggregates.Kind.TEXT),
        DISTINCT(TestAggregates.Kind.DISTINCT),
        LOCAL_SUM(TestAggregates.Kind.SUM),
        LOCAL_IDS(TestAggregates.Kind.IDS_ON_HEAP),
        TOP_APPEND(RankInput.APPEND),
        TOP_UPDATE(RankInput.UPDATE),
        TOP_RETRACT(RankInput.RETRACT);

        final TestAggregates.Kind aggregates;
        final RankInput input;

        Above(TestAggregates.Kind aggregates) {
            this.aggregates = aggregates;
            this.input = null;
        }

        Above(RankInput input) {
            this.aggregates = null;
            this.input = input;
        }

        boolean isLocal() {
            return this == LOCAL_SUM || this == LOCAL_IDS;
        }

        private boolean groupsByKeyAlone() {
            return this == DISTINCT || this == LOCAL_IDS;
        }
    }

    /**
     * Which ranks are in the result, and how it is emitted.
     *
     * @param ties whether rows are ranked by {@code l.v} only, and not by all they have
     */
    public record Ranks(
            int start, int end, boolean outputRankNumber, boolean updateBefore, boolean ties) {}

    private static final int KEY_OF_LEFT = JoinCase.KEY;
    private static final int ID_OF_RIGHT = 4;
    private static final int VALUE_OF_RIGHT = 5;

    /** A case that the planner would fuse. */
    static FusedCase random(Random random) {
        Above above = Above.values()[random.nextInt(Above.values().length)];
        int start = random.nextInt(4) == 0 ? 2 : 1;
        boolean outputRankNumber = random.nextBoolean();
        Ranks ranks =
                new Ranks(
                        start,
                        start + random.nextInt(4),
                        outputRankNumber,
                        above.aggregates != null
                                ? random.nextBoolean()
                                : !outputRankNumber || random.nextBoolean(),
                        above == Above.TOP_RETRACT && random.nextBoolean());
        int[] sizes = {1, 2, 7, 1000};
        long[] bytes = {1, 1000, 1 << 20};
        return new FusedCase(
                randomJoin(above, sizes[random.nextInt(sizes.length)], random),
                above,
                ranks,
                sizes[random.nextInt(sizes.length)],
                bytes[random.nextInt(bytes.length)]);
    }

    private static JoinCase randomJoin(Above above, int bundleSize, Random random) {
        FlinkJoinType[] types = {
            FlinkJoinType.INNER, FlinkJoinType.LEFT, FlinkJoinType.SEMI, FlinkJoinType.ANTI
        };
        boolean any = above != Above.TOP_APPEND && above != Above.TOP_UPDATE;
        Side left = randomSide(any, random);
        Side right = randomSide(any, random);
        if (above == Above.TOP_UPDATE) {
            left = new Side(UniqueKey.ID, InputChangelog.INSERT_ONLY);
            right = new Side(UniqueKey.JOIN_KEY, InputChangelog.UPSERT);
        }
        return new JoinCase(
                any ? types[random.nextInt(types.length)] : FlinkJoinType.INNER,
                left,
                right,
                above != Above.TOP_UPDATE && random.nextBoolean(),
                random.nextBoolean(),
                bundleSize,
                0,
                0);
    }

    private static Side randomSide(boolean anyChanges, Random random) {
        return new Side(
                UniqueKey.values()[random.nextInt(UniqueKey.values().length)],
                anyChanges && random.nextBoolean()
                        ? InputChangelog.RETRACT
                        : InputChangelog.INSERT_ONLY);
    }

    /** The same, with bounds that nothing reaches. */
    FusedCase unbounded() {
        return new FusedCase(join, above, ranks, Integer.MAX_VALUE, Long.MAX_VALUE);
    }

    InternalTypeInfo<RowData> outputType() {
        Stream<LogicalType> types;
        if (above.aggregates != null) {
            types =
                    Stream.concat(
                            Stream.of(groupSelector().getProducedType().toRowFieldTypes()),
                            Stream.of(
                                    above.isLocal()
                                            ? above.aggregates.accumulatorTypes()
                                            : above.aggregates.valueTypes()));
        } else {
            types =
                    Stream.concat(
                            Stream.of(join.resultType().toRowFieldTypes()),
                            ranks.outputRankNumber ? Stream.of(new BigIntType()) : Stream.empty());
        }
        return InternalTypeInfo.ofFields(types.toArray(LogicalType[]::new));
    }

    /** Follows what is emitted. */
    Changelog<BinaryRowData> changelog() {
        RowDataSerializer serializer = outputType().toRowSerializer();
        return new Changelog<>(
                        toString(),
                        change -> {
                            BinaryRowData row = serializer.toBinaryRow(change).copy();
                            row.setRowKind(RowKind.INSERT);
                            return row;
                        },
                        rowKey(),
                        ranks.updateBefore)
                .strict();
    }

    /** By which rows that are emitted are known; null if only as a whole. */
    Function<RowData, Object> rowKey() {
        if (above.aggregates != null) {
            return new GroupSelector(above.groupsByKeyAlone())::getKey;
        }
        if (!ranks.outputRankNumber) {
            return null;
        }
        int rank = outputType().toRowSize() - 1;
        Selector key = new Selector(KEY_OF_LEFT);
        return row -> key.getKey(row).hashCode() + "#" + row.getLong(rank);
    }

    /** Rows of a top-N without the columns in which rows that tie may differ. */
    Map<BinaryRowData, Integer> byWhatDecidesRanks(Map<BinaryRowData, Integer> rows) {
        Map<BinaryRowData, Integer> counts = new HashMap<>();
        rows.forEach(
                (row, count) -> {
                    BinaryRowData decisive = new BinaryRowData(3);
                    BinaryRowWriter writer = new BinaryRowWriter(decisive);
                    if (row.isNullAt(KEY_OF_LEFT)) {
                        writer.setNullAt(0);
                    } else {
                        writer.writeString(0, row.getString(KEY_OF_LEFT));
                    }
                    writer.writeLong(1, score().of(row));
                    writer.writeLong(
                            2, ranks.outputRankNumber ? row.getLong(row.getArity() - 1) : 0);
                    writer.complete();
                    counts.merge(decisive, count, Integer::sum);
                });
        return counts;
    }

    boolean isWrongInFlink() {
        return above.input != null
                && StockTopN.isWrong(above.input, ranks.start, ranks.outputRankNumber);
    }

    public MiniBatchJoinOperator accelerated() {
        if (above.input != null) {
            return new MiniBatchJoinRankOperator(
                    new MiniBatchJoinRankSpec(join.spec(), calc(), rankSpec(false)));
        }
        if (above.isLocal()) {
            return new MiniBatchJoinLocalAggregateOperator(
                    new MiniBatchJoinLocalAggregateSpec(
                            join.spec(),
                            calc(),
                            groupSelector(),
                            new TestAggregates(above.aggregates),
                            above.aggregates.accumulatorTypes(),
                            heapBytes));
        }
        return new MiniBatchJoinAggregateOperator(
                new MiniBatchJoinAggregateSpec(
                        join.spec(),
                        calc(),
                        groupSelector(),
                        new TestAggregates(above.aggregates),
                        new RowEqualiser(),
                        above.aggregates.accumulatorTypes(),
                        0,
                        ranks.updateBefore,
                        TimeToLive.FOREVER,
                        heapBytes,
                        true));
    }

    /** Of a top-1 of insertions, one whose result keeps every row that was ever the first. */
    MiniBatchJoinOperator neverTakingBack() {
        return new MiniBatchJoinRankOperator(
                new MiniBatchJoinRankSpec(join.spec(), calc(), rankSpec(true)));
    }

    /** In some cases what is above sees the results through a choice of columns: all of them. */
    @Nullable
    private ResultCalc calc() {
        int[] columns = IntStream.range(0, join.resultType().toRowSize()).toArray();
        return mostRows > 2 ? new ResultCalc(null, columns) : null;
    }

    private MiniBatchRankSpec rankSpec(boolean neverTakesBack) {
        return new MiniBatchRankSpec(
                above.input,
                join.resultType(),
                new Selector(KEY_OF_LEFT),
                new ScoreOrder(score()),
                score(),
                sortKeyComparator(),
                above.input == RankInput.UPDATE ? new Selector(JoinCase.ID) : null,
                ranks.start,
                ranks.end,
                null,
                ranks.outputRankNumber,
                ranks.updateBefore,
                neverTakesBack,
                // As many as there are ranks, or all as one value.
                ranks.end % 2 == 0,
                ranks.end,
                TimeToLive.FOREVER,
                new BundleSettings(mostRows, 1000).endingAtWatermarks(false));
    }

    /** Flink's operator for what is above its join; not for what is local. */
    OneInputStreamOperator<RowData, RowData> stockAbove() {
        if (above.aggregates != null) {
            return new KeyedProcessOperator<>(
                    new GroupAggFunction(
                            new TestAggregates(above.aggregates),
                            new RowEqualiser(),
                            above.aggregates.accumulatorTypes(),
                            0,
                            ranks.updateBefore,
                            0));
        }
        return new StockTopN(
                        above.input,
                        join.resultType(),
                        score(),
                        new ScoreOrder(null),
                        sortKeyComparator(),
                        new Selector(JoinCase.ID),
                        ranks.start,
                        ranks.end,
                        ranks.outputRankNumber,
                        ranks.updateBefore)
                .operator(StateConfigUtil.createTtlConfig(0));
    }

    /** What Flink's operator above the join is keyed by. */
    RowDataKeySelector keyAbove() {
        return above.aggregates != null ? groupSelector() : new Selector(KEY_OF_LEFT);
    }

    RowDataKeySelector groupSelector() {
        return new GroupSelector(above.groupsByKeyAlone());
    }

    private Score score() {
        return new Score(ranks.ties);
    }

    private static ComparableRecordComparator sortKeyComparator() {
        return new ComparableRecordComparator(
                new ScoreOrder(null),
                new int[] {0},
                new LogicalType[] {new BigIntType()},
                new boolean[] {false},
                new boolean[] {true});
    }

    /** Extracts the group. */
    static final class GroupSelector implements RowDataKeySelector {
        private static final long serialVersionUID = 1L;

        private final boolean keyAlone;

        GroupSelector(boolean keyAlone) {
            this.keyAlone = keyAlone;
        }

        @Override
        public RowData getKey(RowData row) {
            BinaryRowData group = new BinaryRowData(keyAlone ? 1 : 2);
            BinaryRowWriter writer = new BinaryRowWriter(group);
            if (row.isNullAt(KEY_OF_LEFT)) {
                writer.setNullAt(0);
            } else {
                writer.writeString(0, row.getString(KEY_OF_LEFT));
            }
            if (!keyAlone) {
                writer.writeLong(1, row.getLong(JoinCase.ID));
            }
            writer.complete();
            return group;
        }

        @Override
        public InternalTypeInfo<RowData> getProducedType() {
            LogicalType key = JoinCase.ROW.toRowFieldTypes()[JoinCase.KEY];
            return keyAlone
                    ? InternalTypeInfo.ofFields(key)
                    : InternalTypeInfo.ofFields(key, new BigIntType());
        }

        public RowDataKeySelector copy() {
            return this;
        }
    }

    /** What rows are ranked by: the more, the higher. */
    private static final class Score implements RowDataKeySelector {
        private static final long serialVersionUID = 1L;
        private static final int IDS = 1 << 12;

        private final boolean ties;

        Score(boolean ties) {
            this.ties = ties;
        }

        long of(RowData row) {
            long score = row.getInt(JoinCase.VALUE);
            if (ties) {
                return score;
            }
            boolean hasRight = row.getArity() > VALUE_OF_RIGHT && !row.isNullAt(VALUE_OF_RIGHT);
            score += (hasRight ? row.getInt(VALUE_OF_RIGHT) + 1 : 0) * 64L;
            score = score * IDS + row.getLong(JoinCase.ID);
            return score * IDS + (hasRight ? row.getLong(ID_OF_RIGHT) : 0);
        }

        @Override
        public RowData getKey(RowData row) {
            BinaryRowData key = new BinaryRowData(1);
            BinaryRowWriter writer = new BinaryRowWriter(key);
            writer.writeLong(0, of(row));
            writer.complete();
            return key;
        }

        @Override
        public InternalTypeInfo<RowData> getProducedType() {
            return InternalTypeInfo.ofFields(new BigIntType());
        }

        public RowDataKeySelector copy() {
            return this;
        }
    }

    /** By score, of rows or of sort keys, descending. */
    private static final class ScoreOrder extends GeneratedRecordComparator {
        private static final long serialVersionUID = 1L;

        private final Score score;

        /**
         * @param score null to compare sort keys
         */
        ScoreOrder(Score score) {
            super("ScoreOrder", "", new Object[0]);
            this.score = score;
        }

        @Override
        public RecordComparator newInstance(ClassLoader classLoader) {
            return (left, right) -> Long.compare(of(right), of(left));
        }

        private long of(RowData row) {
            return score == null ? row.getLong(0) : score.of(row);
        }
    }
}
