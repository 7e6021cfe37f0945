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
package io.stateaccel.flinktests.standin;

import io.stateaccel.operators.sink.HeapConflictOperator;
import io.stateaccel.operators.sink.HeapConflictSpec;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.table.api.InsertConflictStrategy;
import org.apache.flink.table.api.InsertConflictStrategy.ConflictBehavior;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * Our materializer of a sink with {@code ON CONFLICT}, made as Flink's tests make Flink's: in place
 * of {@code WatermarkCompactingSinkMaterializer}.
 */
public final class HeapConflictMaterializer extends HeapConflictOperator {

    private static final long serialVersionUID = 1L;

    private static final long HEAP_BYTES = 1L << 20;

    private HeapConflictMaterializer(HeapConflictSpec spec) {
        super(spec);
    }

    /** In place of Flink's. */
    public static HeapConflictMaterializer create(
            StateTtlConfig ttl,
            InsertConflictStrategy conflicts,
            RowType rowType,
            GeneratedRecordEqualiser rows,
            @Nullable GeneratedRecordEqualiser upsertKeys,
            @Nullable int[] upsertKey,
            RowType primaryKey,
            String[] primaryKeyNames) {
        return new HeapConflictMaterializer(
                new HeapConflictSpec(
                        conflicts.getBehavior() == ConflictBehavior.ERROR,
                        InternalTypeInfo.of(rowType),
                        rows,
                        upsertKeys,
                        upsertKey,
                        primaryKey,
                        primaryKeyNames,
                        BundledMaterializer.timeToLive(ttl),
                        HEAP_BYTES));
    }
}
