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
import org.apache.flink.runtime.state.StateInitializationContext;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.operators.TableStreamOperator;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * Stands for the upsert materializer whose changes wait for a watermark to tell which rows are in
 * conflict, which there is from 2.3 on. No statement asks older lines for one, so none is made.
 */
public abstract class WatermarkMaterializer extends TableStreamOperator<RowData>
        implements OneInputStreamOperator<RowData, RowData>, Triggerable<RowData, VoidNamespace> {

    private static final long serialVersionUID = 1L;

    protected static final String CHANGES = "watermark-buffer";
    protected static final String ROW_IN_SINK = "current-value";
    protected static final String RESTORED = "consolidated-checkpoint-id";
    protected static final long CHANGES_OUTLIVE_MILLIS = 5000;

    /** Fails, whatever the arguments. */
    protected WatermarkMaterializer(
            StateTtlConfig ttl,
            boolean failsOnConflict,
            InternalTypeInfo<RowData> rowType,
            GeneratedRecordEqualiser rows,
            @Nullable GeneratedRecordEqualiser upsertKeys,
            @Nullable int[] upsertKey,
            RowType primaryKey,
            String[] primaryKeyNames) {
        throw none();
    }

    private static UnsupportedOperationException none() {
        return new UnsupportedOperationException("Flink has ON CONFLICT from 2.3 on.");
    }

    @Override
    public void initializeState(StateInitializationContext context) throws Exception {
        throw none();
    }

    @Override
    public void processElement(StreamRecord<RowData> element) throws Exception {
        throw none();
    }

    @Override
    public void onEventTime(InternalTimer<RowData, VoidNamespace> timer) throws Exception {
        throw none();
    }

    @Override
    public void onProcessingTime(InternalTimer<RowData, VoidNamespace> timer) throws Exception {
        throw none();
    }
}
