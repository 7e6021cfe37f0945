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
package io.stateaccel.operators.join;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.time.TimeToLive;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.api.common.functions.AbstractRichFunction;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.generated.GeneratedJoinCondition;
import org.apache.flink.table.runtime.generated.JoinCondition;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.table.runtime.operators.join.stream.StreamingJoinOperator;
import org.apache.flink.table.runtime.operators.join.stream.StreamingSemiAntiJoinOperator;
import org.apache.flink.table.runtime.operators.join.stream.utils.JoinInputSideSpec;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.IntType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * A join of two tables {@code (key STRING, id BIGINT, v INT)} on {@code key}: what each side is,
 * and the stock and the accelerated operator for it.
 */
public record JoinCase(
        FlinkJoinType type,
        Side left,
        Side right,
        boolean valueCondition,
        boolean nullsMatch,
        int bundleSize,
        long leftTtl,
        long rightTtl) {

    public static final int KEY = 0;
    public static final int ID = 1;
    public static final int VALUE = 2;

    /** Milliseconds. */
    static final int LONGEST_TTL = 100;

    static final int TTL_STEP = 20;

    private static final long[] TTLS = {0, 30, 50, 70, 90};

    public static final InternalTypeInfo<RowData> ROW =
            InternalTypeInfo.ofFields(
                    new VarCharType(VarCharType.MAX_LENGTH), new BigIntType(), new IntType());

    /** Rows of both sides. */
    public static final InternalTypeInfo<RowData> JOINED =
            InternalTypeInfo.ofFields(
                    Stream.of(ROW, ROW)
                            .flatMap(side -> Stream.of(side.toRowFieldTypes()))
                            .toArray(LogicalType[]::new));

    /** What is known of the unique key of a side. */
    public enum UniqueKey {
        NONE,
        ID,
        JOIN_KEY
    }

    /**
     * @param keyMoves whether an update may change the join key
     */
    public record Side(UniqueKey uniqueKey, InputChangelog changelog, boolean keyMoves) {

        public Side(UniqueKey uniqueKey, InputChangelog changelog) {
            this(uniqueKey, changelog, false);
        }

        public JoinInputSideSpec spec() {
            Selector id = new Selector(JoinCase.ID);
            Selector key = new Selector(JoinCase.KEY);
            return switch (uniqueKey) {
                case NONE -> JoinInputSideSpec.withoutUniqueKey();
                case ID -> JoinInputSideSpec.withUniqueKey(id.getProducedType(), id);
                case JOIN_KEY ->
                        JoinInputSideSpec.withUniqueKeyContainedByJoinKey(
                                key.getProducedType(), key);
            };
        }
    }

    /**
     * A case that the planner accelerates, whose changes can be told apart when they are read as
     * upserts, where they are.
     */
    static JoinCase random(Random random) {
        FlinkJoinType[] types = FlinkJoinType.values();
        int[] sizes = {1, 2, 7, 1000};
        while (true) {
            Side left = randomSide(random);
            Side right = randomSide(random);
            JoinCase join =
                    new JoinCase(
                            types[random.nextInt(types.length)],
                            left,
                            right,
                            random.nextBoolean(),
                            random.nextBoolean(),
                            sizes[random.nextInt(sizes.length)],
                            randomTtl(random),
                            randomTtl(random));
            if ((!join.readAsUpserts() || join.isSoundForUpserts()) && join.isSoundForTtl()) {
                return join;
            }
        }
    }

    /** What {@code ReplaceJoinWithMiniBatchJoin} asks of a join of upserts. */
    private boolean isSoundForUpserts() {
        boolean leftDecides = type.isRightOuter();
        boolean rightDecides = type.isLeftOuter() || filters();
        return left.uniqueKey != UniqueKey.NONE
                && right.uniqueKey != UniqueKey.NONE
                && !valueCondition
                && !(leftDecides && left.changelog == InputChangelog.UPSERT)
                && !(rightDecides && right.changelog == InputChangelog.UPSERT);
    }

    /**
     * Rows that gain or lose a match are renewed in any other join, and what becomes of one whose
     * match has expired depends on the order within a bundle: {@link JoinTtlDifferentialTest}.
     */
    private boolean isSoundForTtl() {
        return !hasTtl() || type == FlinkJoinType.INNER;
    }

    boolean hasTtl() {
        return leftTtl > 0 || rightTtl > 0;
    }

    /** The same with another state TTL. */
    JoinCase withTtl(long ofLeft, long ofRight) {
        return new JoinCase(
                type, left, right, valueCondition, nullsMatch, bundleSize, ofLeft, ofRight);
    }

    /** Of the sides that have one. */
    long shortestTtl() {
        return leftTtl == 0 || rightTtl == 0
                ? Math.max(leftTtl, rightTtl)
                : Math.min(leftTtl, rightTtl);
    }

    /**
     * Any case with state TTL on a side, in which rows have an age of a multiple of {@link
     * #TTL_STEP} that is never between the time to live and a tenth more.
     */
    static JoinCase randomWithTtl(Random random) {
        while (true) {
            JoinCase join = random(random);
            join =
                    new JoinCase(
                            FlinkJoinType.values()[random.nextInt(FlinkJoinType.values().length)],
                            join.left,
                            join.right,
                            join.valueCondition,
                            false,
                            random.nextInt(4) == 0 ? 1 : 100_000,
                            TTLS[random.nextInt(TTLS.length)],
                            TTLS[random.nextInt(TTLS.length)]);
            if (join.hasTtl() && (!join.readAsUpserts() || join.isSoundForUpserts())) {
                return join;
            }
        }
    }

    private static long randomTtl(Random random) {
        return random.nextBoolean() ? 0 : LONGEST_TTL / 10 + random.nextInt(LONGEST_TTL * 9 / 10);
    }

    private static Side randomSide(Random random) {
        UniqueKey uniqueKey = UniqueKey.values()[random.nextInt(UniqueKey.values().length)];
        InputChangelog[] changelogs = InputChangelog.values();
        InputChangelog changelog = changelogs[random.nextInt(changelogs.length)];
        if (changelog == InputChangelog.UPSERT && uniqueKey == UniqueKey.NONE) {
            changelog = InputChangelog.RETRACT;
        }
        boolean keyMoves =
                changelog == InputChangelog.RETRACT
                        && uniqueKey != UniqueKey.JOIN_KEY
                        && random.nextBoolean();
        return new Side(uniqueKey, changelog, keyMoves);
    }

    boolean readAsUpserts() {
        return left.changelog == InputChangelog.UPSERT || right.changelog == InputChangelog.UPSERT;
    }

    /**
     * Whether the planner would know an upsert key of the result, which has the ids of the sides.
     */
    boolean hasUpsertKey() {
        return isKeyed(left) && (filters() || isKeyed(right));
    }

    private static boolean isKeyed(Side side) {
        return side.uniqueKey != UniqueKey.NONE && !side.keyMoves;
    }

    /** Whether the result has the columns of the left side only. */
    public boolean filters() {
        return type == FlinkJoinType.SEMI || type == FlinkJoinType.ANTI;
    }

    /** What the join gives. */
    public InternalTypeInfo<RowData> resultType() {
        return filters() ? ROW : JOINED;
    }

    public TwoInputStreamOperator<RowData, RowData, RowData> stock() {
        boolean[] filterNullKeys = {!nullsMatch};
        if (filters()) {
            return new StreamingSemiAntiJoinOperator(
                    type == FlinkJoinType.ANTI,
                    ROW,
                    ROW,
                    condition(),
                    left.spec(),
                    right.spec(),
                    filterNullKeys,
                    leftTtl,
                    rightTtl);
        }
        return new StreamingJoinOperator(
                ROW,
                ROW,
                condition(),
                left.spec(),
                right.spec(),
                type.isLeftOuter(),
                type.isRightOuter(),
                filterNullKeys,
                leftTtl,
                rightTtl);
    }

    public MiniBatchJoinOperator accelerated() {
        return new MiniBatchJoinOperator(spec());
    }

    /** The operator where something downstream compares watermarks with the rows of the join. */
    MiniBatchJoinOperator acceleratedBelowReadersOfWatermarks() {
        return new MiniBatchJoinOperator(spec(true));
    }

    /**
     * With bundles that pass watermarks by, as planned where nothing downstream compares them with
     * these rows; but tests of TTL let time pass with a watermark, which ends the bundle then.
     */
    public MiniBatchJoinSpec spec() {
        return spec(hasTtl());
    }

    private MiniBatchJoinSpec spec(boolean endsAtWatermarks) {
        return new MiniBatchJoinSpec(
                type,
                new JoinSideSpec(
                        ROW,
                        new Selector(KEY),
                        left.spec(),
                        left.changelog,
                        TimeToLive.ofMillis(leftTtl)),
                new JoinSideSpec(
                        ROW,
                        new Selector(KEY),
                        right.spec(),
                        right.changelog,
                        TimeToLive.ofMillis(rightTtl)),
                condition(),
                new boolean[] {!nullsMatch},
                true,
                new BundleSettings(bundleSize, 1000).endingAtWatermarks(endsAtWatermarks));
    }

    /** Whether two rows are a pair. */
    boolean matches(RowData left, RowData right) {
        return sameKey(left, right)
                && (nullsMatch || !left.isNullAt(KEY))
                && new Condition(valueCondition).apply(left, right);
    }

    static boolean sameKey(RowData row, RowData other) {
        return row.isNullAt(KEY)
                ? other.isNullAt(KEY)
                : !other.isNullAt(KEY) && row.getString(KEY).equals(other.getString(KEY));
    }

    private GeneratedJoinCondition condition() {
        return new TestCondition(valueCondition);
    }

    public static BinaryRowData row(String key, long id, int value) {
        BinaryRowData row = new BinaryRowData(3);
        BinaryRowWriter writer = new BinaryRowWriter(row);
        if (key == null) {
            writer.setNullAt(KEY);
        } else {
            writer.writeString(KEY, StringData.fromString(key));
        }
        writer.writeLong(ID, id);
        writer.writeInt(VALUE, value);
        writer.complete();
        return row;
    }

    /** Projects one column. */
    public static final class Selector implements RowDataKeySelector {
        private final int column;

        public Selector(int column) {
            this.column = column;
        }

        @Override
        public RowData getKey(RowData row) {
            BinaryRowData key = new BinaryRowData(1);
            BinaryRowWriter writer = new BinaryRowWriter(key);
            if (row.isNullAt(column)) {
                writer.setNullAt(0);
            } else if (column == KEY) {
                writer.writeString(0, row.getString(column));
            } else {
                writer.writeLong(0, row.getLong(column));
            }
            writer.complete();
            return key;
        }

        @Override
        public InternalTypeInfo<RowData> getProducedType() {
            LogicalType type =
                    column == KEY ? new VarCharType(VarCharType.MAX_LENGTH) : new BigIntType();
            return InternalTypeInfo.ofFields(type);
        }

        public RowDataKeySelector copy() {
            return new Selector(column);
        }
    }

    /** {@code l.v < r.v}, or always true. */
    public static final class TestCondition extends GeneratedJoinCondition {
        private final boolean valueCondition;

        public TestCondition(boolean valueCondition) {
            super("TestCondition", "", new Object[0]);
            this.valueCondition = valueCondition;
        }

        @Override
        public JoinCondition newInstance(ClassLoader classLoader) {
            return new Condition(valueCondition);
        }
    }

    private static final class Condition extends AbstractRichFunction implements JoinCondition {
        private final boolean valueCondition;

        Condition(boolean valueCondition) {
            this.valueCondition = valueCondition;
        }

        @Override
        public boolean apply(RowData left, RowData right) {
            return !valueCondition || left.getInt(VALUE) < right.getInt(VALUE);
        }
    }
}
