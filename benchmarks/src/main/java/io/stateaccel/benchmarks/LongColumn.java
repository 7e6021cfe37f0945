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

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.BigIntType;

/** A key that is one {@code BIGINT} column. */
final class LongColumn implements RowDataKeySelector {

    private static final long serialVersionUID = 1L;

    private final int column;

    LongColumn(int column) {
        this.column = column;
    }

    @Override
    public RowData getKey(RowData row) {
        BinaryRowData key = new BinaryRowData(1);
        BinaryRowWriter writer = new BinaryRowWriter(key);
        writer.writeLong(0, row.getLong(column));
        writer.complete();
        return key;
    }

    @Override
    public InternalTypeInfo<RowData> getProducedType() {
        return InternalTypeInfo.ofFields(new BigIntType());
    }

    @Override
    public RowDataKeySelector copy() {
        return new LongColumn(column);
    }
}
