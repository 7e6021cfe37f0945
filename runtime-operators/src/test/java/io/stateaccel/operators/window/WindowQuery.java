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
package io.stateaccel.operators.window;

import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;

/**
 * What a {@link WindowRun} is about; its rows are partitioned by the text in their first column.
 */
public interface WindowQuery {

    int KEY = 0;

    boolean isEventTime();

    boolean retracts();

    /** Milliseconds that slices are as long as. */
    long unit();

    /** Of the times of rows, milliseconds. */
    long begin();

    OneInputStreamOperator<RowData, RowData> stock();

    OneInputStreamOperator<RowData, RowData> accelerated();

    /**
     * @param value 0 to 4
     * @param time milliseconds
     * @param number of the row among all
     */
    BinaryRowData row(RowKind rowKind, String key, long value, long time, long number);

    /** Of a result; up to a colon comes what results are told by of which the order matters. */
    String text(RowData result);
}
