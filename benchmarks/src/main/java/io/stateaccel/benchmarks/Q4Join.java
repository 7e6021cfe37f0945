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
import io.stateaccel.operators.join.JoinSideSpec;
import io.stateaccel.operators.join.MiniBatchJoinOperator;
import io.stateaccel.operators.join.MiniBatchJoinSpec;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.time.TimeToLive;
import org.apache.flink.api.common.functions.AbstractRichFunction;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedJoinCondition;
import org.apache.flink.table.runtime.generated.JoinCondition;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;
import org.apache.flink.table.runtime.operators.join.stream.StreamingJoinOperator;
import org.apache.flink.table.runtime.operators.join.stream.utils.JoinInputSideSpec;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * Operators for the join of Nexmark's q4, {@code A.id = B.auction AND B.dateTime BETWEEN A.dateTime
 * AND A.expires}, specified as the planner specifies them: insert-only, no unique keys. An outer
 * join of the same, {@code A LEFT JOIN B}, shows what it costs to know which rows have a match.
 */
public enum Q4Join {
    /** Flink's join, a row at a time. */
    STOCK,

    /** Ours when nothing can be shared: every row is a bundle. */
    ONE_ROW_BUNDLE,

    /** Ours with the default bundle of 20,000 rows. */
    FULL_BUNDLE;

    static final int BUNDLE_SIZE = 20_000;

    private static final long NEVER = Long.MAX_VALUE / 2;

    /**
     * @param type neither SEMI nor ANTI
     * @param ttlMillis how long rows live, 0 for ever
     */
    TwoInputStreamOperator<RowData, RowData, RowData> operator(FlinkJoinType type, long ttlMillis) {
        return switch (this) {
            case STOCK -> stock(type, ttlMillis);
            case ONE_ROW_BUNDLE -> accelerated(type, ttlMillis, 1);
            case FULL_BUNDLE -> accelerated(type, ttlMillis, BUNDLE_SIZE);
        };
    }

    /** The backend that goes with the operator. */
    Backend rocksdb() {
        return this == STOCK ? Backend.STOCK_ROCKSDB : Backend.ACCELERATED_ROCKSDB;
    }

    private static TwoInputStreamOperator<RowData, RowData, RowData> stock(
            FlinkJoinType type, long ttlMillis) {
        return new StreamingJoinOperator(
                Q4Stream.AUCTION,
                Q4Stream.BID,
                new InAuction(),
                JoinInputSideSpec.withoutUniqueKey(),
                JoinInputSideSpec.withoutUniqueKey(),
                type.isLeftOuter(),
                type.isRightOuter(),
                new boolean[] {true},
                ttlMillis,
                ttlMillis);
    }

    private static TwoInputStreamOperator<RowData, RowData, RowData> accelerated(
            FlinkJoinType type, long ttlMillis, int bundleSize) {
        return new MiniBatchJoinOperator(
                new MiniBatchJoinSpec(
                        type,
                        side(Q4Stream.AUCTION, Q4Stream.AUCTION_ID, ttlMillis),
                        side(Q4Stream.BID, Q4Stream.BID_AUCTION, ttlMillis),
                        new InAuction(),
                        new boolean[] {true},
                        true,
                        new BundleSettings(bundleSize, NEVER)));
    }

    private static JoinSideSpec side(InternalTypeInfo<RowData> type, int key, long ttlMillis) {
        return new JoinSideSpec(
                type,
                new LongColumn(key),
                JoinInputSideSpec.withoutUniqueKey(),
                InputChangelog.INSERT_ONLY,
                TimeToLive.ofMillis(ttlMillis));
    }

    private static final class InAuction extends GeneratedJoinCondition {
        private static final long serialVersionUID = 1L;

        InAuction() {
            super("InAuction", "", new Object[0]);
        }

        @Override
        public JoinCondition newInstance(ClassLoader classLoader) {
            return new Condition();
        }
    }

    private static final class Condition extends AbstractRichFunction implements JoinCondition {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean apply(RowData auction, RowData bid) {
            long time = bid.getLong(Q4Stream.BID_DATE_TIME);
            return time >= auction.getLong(Q4Stream.AUCTION_DATE_TIME)
                    && time <= auction.getLong(Q4Stream.AUCTION_EXPIRES);
        }
    }
}
