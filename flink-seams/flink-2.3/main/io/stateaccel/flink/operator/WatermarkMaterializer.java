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
package io.stateaccel.flink.operator;

import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.InsertConflictStrategy;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.operators.sink.WatermarkCompactingSinkMaterializer;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * Flink's upsert materializer whose changes wait for a watermark to tell which rows are in
 * conflict, which there is from 2.3 on.
 */
public abstract class WatermarkMaterializer extends WatermarkCompactingSinkMaterializer {

    private static final long serialVersionUID = 1L;

    /** The state of the changes that wait: a list of them by the watermark that they came after. */
    protected static final String CHANGES = "watermark-buffer";

    /** The state of the row of a key that is in the sink. */
    protected static final String ROW_IN_SINK = "current-value";

    /** The state of the checkpoint whose changes of a key have been put together since. */
    protected static final String RESTORED = "consolidated-checkpoint-id";

    /** For how much longer changes live than the row in the sink. */
    protected static final long CHANGES_OUTLIVE_MILLIS = 5000;

    /**
     * @param ttl of the row in the sink
     * @param failsOnConflict whether rows that are in conflict fail the job; the first one stays
     *     otherwise
     * @param rows compares rows
     * @param upsertKeys compares what the query knows its rows by, null where that is all of a row
     * @param upsertKey these columns, null likewise
     * @param primaryKey the columns of the sink's primary key
     * @param primaryKeyNames their names
     */
    protected WatermarkMaterializer(
            StateTtlConfig ttl,
            boolean failsOnConflict,
            InternalTypeInfo<RowData> rowType,
            GeneratedRecordEqualiser rows,
            @Nullable GeneratedRecordEqualiser upsertKeys,
            @Nullable int[] upsertKey,
            RowType primaryKey,
            String[] primaryKeyNames) {
        super(
                ttl,
                failsOnConflict ? InsertConflictStrategy.error() : InsertConflictStrategy.nothing(),
                rowType.toRowSerializer(),
                rows,
                upsertKeys,
                upsertKey,
                primaryKey,
                primaryKeyNames);
    }

    /** What waits in the state is to be worked off before the next row comes. */
    @Override
    public boolean useInterruptibleTimers(ReadableConfig config) {
        return false;
    }
}
