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

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.sink.MiniBatchSinkMaterializerOperator;
import io.stateaccel.operators.sink.MiniBatchSinkMaterializerSpec;
import io.stateaccel.views.time.TimeToLive;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.StateTtlConfig;
import org.apache.flink.table.runtime.generated.GeneratedHashFunction;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.sequencedmultisetstate.SequencedMultiSetState.Strategy;
import org.apache.flink.table.runtime.sequencedmultisetstate.SequencedMultiSetStateConfig;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.utils.HandwrittenSelectorUtil;

/**
 * Our materializer, made as Flink's tests make Flink's: in place of {@code SinkUpsertMaterializer}
 * and {@code SinkUpsertMaterializerV2}. A bundle is a row, so that each change is emitted at once.
 */
public final class BundledMaterializer extends MiniBatchSinkMaterializerOperator {

    private static final long serialVersionUID = 1L;

    /** The column that all of Flink's tests take as the primary key of the sink. */
    private static final int PRIMARY_KEY = 1;

    private BundledMaterializer(MiniBatchSinkMaterializerSpec spec) {
        super(spec);
    }

    /** In place of Flink's of version 1. Rows are compared as bytes, by no generated code. */
    public static BundledMaterializer create(
            StateTtlConfig ttl,
            RowType rowType,
            GeneratedRecordEqualiser rows,
            GeneratedRecordEqualiser upsertKeys,
            @Nullable int[] upsertKey) {
        return create(ttl, rowType, upsertKey, "values");
    }

    /** In place of Flink's of version 2. */
    public static BundledMaterializer create(
            RowType rowType,
            GeneratedRecordEqualiser rows,
            GeneratedRecordEqualiser upsertKeys,
            GeneratedHashFunction rowHash,
            GeneratedHashFunction upsertKeyHash,
            @Nullable int[] upsertKey,
            SequencedMultiSetStateConfig state) {
        return create(
                state.getTtlConfig(),
                rowType,
                upsertKey,
                state.getStrategy() == Strategy.MAP_STATE ? "rowToSqnState" : "list");
    }

    private static BundledMaterializer create(
            StateTtlConfig ttl, RowType rowType, @Nullable int[] upsertKey, String stateName) {
        final LogicalType[] types = rowType.getChildren().toArray(new LogicalType[0]);
        return new BundledMaterializer(
                new MiniBatchSinkMaterializerSpec(
                        InternalTypeInfo.of(rowType),
                        HandwrittenSelectorUtil.getRowDataSelector(new int[] {PRIMARY_KEY}, types),
                        upsertKey == null || upsertKey.length == 0
                                ? null
                                : HandwrittenSelectorUtil.getRowDataSelector(upsertKey, types),
                        stateName,
                        timeToLive(ttl),
                        new BundleSettings(1, Long.MAX_VALUE)));
    }

    static TimeToLive timeToLive(StateTtlConfig ttl) {
        return ttl.isEnabled()
                ? TimeToLive.ofMillis(ttl.getTimeToLive().toMillis())
                : TimeToLive.FOREVER;
    }
}
