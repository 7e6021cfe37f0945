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
package io.stateaccel.views.join;

import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;

/** What folds ask of changes, of a bundle or stored. */
public final class Changes {

    private Changes() {}

    /**
     * A change as {@code +I}: rows are equal when their kinds are too, and whoever has this one
     * must find its kind as it was.
     *
     * @param change a {@code BinaryRowData}
     * @return the change itself if it is one, else a copy
     */
    public static RowData asInsert(RowData change) {
        if (change.getRowKind() == RowKind.INSERT) {
            return change;
        }
        BinaryRowData copy = ((BinaryRowData) change).copy();
        copy.setRowKind(RowKind.INSERT);
        return copy;
    }

    /** Whether any of the changes takes a row away. */
    public static boolean containRetraction(List<RowData> changes) {
        for (int i = 0; i < changes.size(); i++) {
            if (RowDataUtil.isRetractMsg(changes.get(i))) {
                return true;
            }
        }
        return false;
    }
}
