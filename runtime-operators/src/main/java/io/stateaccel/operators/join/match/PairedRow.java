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
package io.stateaccel.operators.join.match;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.utils.JoinedRowData;

/** A row of each side as one, which tells what it is made of. Used again and again. */
public final class PairedRow extends JoinedRowData {

    private RowData left;
    private RowData right;

    @Override
    public PairedRow replace(RowData left, RowData right) {
        super.replace(left, right);
        this.left = left;
        this.right = right;
        return this;
    }

    public RowData left() {
        return left;
    }

    public RowData right() {
        return right;
    }
}
