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

import io.stateaccel.operators.RowEqualiser;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.rank.AbstractTopNFunction;
import org.apache.flink.table.runtime.operators.rank.AppendOnlyFirstNFunction;
import org.apache.flink.table.runtime.operators.rank.AppendOnlyTopNFunction;
import org.apache.flink.table.runtime.operators.rank.ComparableRecordComparator;
import org.apache.flink.table.runtime.operators.rank.ConstantRankRange;
import org.apache.flink.table.runtime.operators.rank.FastTop1Function;
import org.apache.flink.table.runtime.operators.rank.RankRange;
import org.apache.flink.table.runtime.operators.rank.RankType;
import org.apache.flink.table.runtime.operators.rank.RetractableTopNFunction;
import org.apache.flink.table.runtime.operators.rank.UpdatableTopNFunction;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * Flink's operator for a top-N, with a cache of one partition, so that states are read as well.
 *
 * @param order of sort keys
 * @param rowKey of upserts; null where there are none
 */
public record StockTopN(
        RankInput input,
        InternalTypeInfo<RowData> type,
        RowDataKeySelector sortKey,
        GeneratedRecordComparator order,
        ComparableRecordComparator comparableOrder,
        @Nullable RowDataKeySelector rowKey,
        int rankStart,
        int rankEnd,
        boolean outputRankNumber,
        boolean generateUpdateBefore) {

    /**
     * Whether it is wrong: Flink's top-N of all changes stores rows with the kind they were last
     * emitted as, where it emits them without a rank, and does not find them again to retract them.
     */
    public static boolean isWrong(RankInput input, int rankStart, boolean outputRankNumber) {
        return input == RankInput.RETRACT && rankStart > 1 && !outputRankNumber;
    }

    public OneInputStreamOperator<RowData, RowData> operator(StateTtlConfig ttl) {
        return operator(ttl, new ConstantRankRange(rankStart, rankEnd));
    }

    /** As {@link #operator(StateTtlConfig)}, with other ranks, of which there may be several. */
    public OneInputStreamOperator<RowData, RowData> operator(StateTtlConfig ttl, RankRange range) {
        AbstractTopNFunction function = function(ttl, range);
        KeyedProcessOperator<RowData, RowData, RowData> operator =
                new KeyedProcessOperator<>(function);
        function.setKeyContext(operator);
        return operator;
    }

    private AbstractTopNFunction function(StateTtlConfig ttl, RankRange range) {
        long cached = rankEnd;
        if (input == RankInput.RETRACT) {
            return new RetractableTopNFunction(
                    ttl,
                    type,
                    comparableOrder,
                    sortKey,
                    RankType.ROW_NUMBER,
                    range,
                    new RowEqualiser(),
                    generateUpdateBefore,
                    outputRankNumber);
        }
        if (input == RankInput.ARRIVAL) {
            return new AppendOnlyFirstNFunction(
                    ttl,
                    type,
                    order,
                    sortKey,
                    RankType.ROW_NUMBER,
                    range,
                    generateUpdateBefore,
                    outputRankNumber);
        }
        if (rankStart == 1 && rankEnd == 1) {
            return new FastTop1Function(
                    ttl,
                    type,
                    order,
                    sortKey,
                    RankType.ROW_NUMBER,
                    range,
                    generateUpdateBefore,
                    outputRankNumber,
                    cached);
        }
        if (input == RankInput.APPEND) {
            return new AppendOnlyTopNFunction(
                    ttl,
                    type,
                    order,
                    sortKey,
                    RankType.ROW_NUMBER,
                    range,
                    generateUpdateBefore,
                    outputRankNumber,
                    cached);
        }
        return new UpdatableTopNFunction(
                ttl,
                type,
                rowKey,
                order,
                sortKey,
                RankType.ROW_NUMBER,
                range,
                generateUpdateBefore,
                outputRankNumber,
                cached);
    }
}
