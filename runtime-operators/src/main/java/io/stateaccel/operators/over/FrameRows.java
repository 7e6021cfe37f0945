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
package io.stateaccel.operators.over;

import io.stateaccel.operators.bundle.ArrivalColumn;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/** How the rows of a frame are kept. For the task thread. */
interface FrameRows {

    /**
     * The row as it is kept; the fields of the row are its first ones.
     *
     * @param time of the row
     */
    BinaryRowData toKeep(BinaryRowData row, long time);

    /** The time of a row that is kept. */
    long timeOf(RowData kept);

    /** As they are, with a column that has the time. */
    static FrameRows timedBy(int column) {
        return new FrameRows() {
            @Override
            public BinaryRowData toKeep(BinaryRowData row, long time) {
                return row;
            }

            @Override
            public long timeOf(RowData kept) {
                return kept.getLong(column);
            }
        };
    }

    /** As they are; nothing goes by their times. */
    static FrameRows untimed() {
        return timedBy(-1);
    }

    /** With their time as one more column. */
    static FrameRows timedBy(ArrivalColumn column) {
        return new FrameRows() {
            @Override
            public BinaryRowData toKeep(BinaryRowData row, long time) {
                return column.append(row, time);
            }

            @Override
            public long timeOf(RowData kept) {
                return kept.getLong(column.index());
            }
        };
    }
}
