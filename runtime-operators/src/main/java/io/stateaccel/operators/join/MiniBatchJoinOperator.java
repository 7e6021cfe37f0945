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

import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.TwoInputStreamOperator;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;

/** Skeleton. */
public class MiniBatchJoinOperator extends AbstractStreamOperator<RowData>
        implements TwoInputStreamOperator<RowData, RowData, RowData> {

    private final MiniBatchJoinSpec spec;

    public MiniBatchJoinOperator(MiniBatchJoinSpec spec) {
        this.spec = spec;
    }

    @Override
    public void processElement1(StreamRecord<RowData> element) {
        throw new UnsupportedOperationException(spec.toString());
    }

    @Override
    public void processElement2(StreamRecord<RowData> element) {
        throw new UnsupportedOperationException(spec.toString());
    }
}
