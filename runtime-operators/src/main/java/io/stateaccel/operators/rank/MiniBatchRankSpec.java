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

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.views.time.TimeToLive;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.rank.ComparableRecordComparator;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * Everything a {@link MiniBatchRankOperator} is made of.
 *
 * @param input what changes come in
 * @param inputType the rows
 * @param partitionKeySelector extracts the key whose rows are ranked among each other
 * @param rowComparator compares two rows by what they are ranked by
 * @param sortKeySelector extracts what rows are ranked by
 * @param sortKeyComparator compares two sort keys; read for {@link RankInput#RETRACT}
 * @param rowKeySelector extracts what an upsert replaces a row by; there for {@link
 *     RankInput#UPDATE}
 * @param rankStart the first rank of the result, 1 or more
 * @param rankEnd the last rank of the result; not read where that is in a column
 * @param rankEndColumn the column in which the first row of a partition has the last rank; null
 *     where it is the same for all
 * @param outputRankNumber whether the rank is the last column of the result
 * @param generateUpdateBefore whether {@code -U} is wanted downstream
 * @param neverTakesBack whether a row that was the first once stays in the result, of a top-1 of
 *     insertions that is planned so: then each of them is emitted, also those that another of the
 *     same bundle has displaced
 * @param storesRowsApart whether the first rows are stored as Flink's functions do, each row or all
 *     that tie by themselves, and not all as one value
 * @param heapRows how many of the rows that are stored apart stay on the heap as well, more only
 *     where one partition has more
 * @param ttl of what is stored, after it was last written
 * @param bundle when a bundle is flushed
 */
public record MiniBatchRankSpec(
        RankInput input,
        InternalTypeInfo<RowData> inputType,
        RowDataKeySelector partitionKeySelector,
        GeneratedRecordComparator rowComparator,
        RowDataKeySelector sortKeySelector,
        ComparableRecordComparator sortKeyComparator,
        @Nullable RowDataKeySelector rowKeySelector,
        long rankStart,
        long rankEnd,
        @Nullable Integer rankEndColumn,
        boolean outputRankNumber,
        boolean generateUpdateBefore,
        boolean neverTakesBack,
        boolean storesRowsApart,
        long heapRows,
        TimeToLive ttl,
        BundleSettings bundle)
        implements Serializable {

    public MiniBatchRankSpec {
        if (rankEndColumn != null && !ttl.isForever()) {
            throw new IllegalArgumentException(
                    "A top-N whose N is a column cannot have a state TTL: the N of a partition is"
                            + " written once, so it would expire before rows that are ranked by"
                            + " it.");
        }
    }

    /** Whether the result is one row per partition, which is then known by its partition. */
    boolean isTopOne() {
        return rankEndColumn == null && rankStart == 1 && rankEnd == 1;
    }

    /** Whether the result is one row per rank, and not a number of rows. */
    boolean isByRank() {
        // Rows before the first rank move others in and out of the result, so ranks are compared.
        return outputRankNumber || rankStart > 1 || isTopOne() && input != RankInput.RETRACT;
    }
}
