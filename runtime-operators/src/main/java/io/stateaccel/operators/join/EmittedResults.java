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

import io.stateaccel.operators.join.match.PairedRow;
import io.stateaccel.views.ViewContext;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.util.Collector;

/**
 * Results that are emitted as they are. Unless objects are reused, whoever gets them copies or
 * serialises them, which takes a good deal less for one binary row than for a view of two.
 */
final class EmittedResults implements JoinResults {

    private static final long serialVersionUID = 1L;

    private final RowType leftType;
    private final RowType rightType;

    private transient Collector<RowData> out;

    /** Null where rows are handed on without being copied, or with types it does not know. */
    @Nullable private transient RowConcatenation concatenation;

    EmittedResults(MiniBatchJoinSpec spec) {
        this.leftType = spec.left().type().toRowType();
        this.rightType = spec.right().type().toRowType();
    }

    @Override
    public boolean keepsState() {
        return false;
    }

    @Override
    public void open(ViewContext context, Collector<RowData> out) {
        this.out = out;
        if (!context.runtime().isObjectReuseEnabled()) {
            concatenation = RowConcatenation.create(leftType, rightType);
        }
    }

    @Override
    public Collector<RowData> collector() {
        return concatenation == null ? out : new Concatenating();
    }

    private final class Concatenating implements Collector<RowData> {

        @Override
        public void collect(RowData row) {
            BinaryRowData concatenated = null;
            if (row instanceof PairedRow) {
                PairedRow pair = (PairedRow) row;
                concatenated = concatenation.of(pair.getRowKind(), pair.left(), pair.right());
            }
            out.collect(concatenated == null ? row : concatenated);
        }

        @Override
        public void close() {}
    }
}
