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
package io.stateaccel.nexmark.function;

import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.ArgumentTrait;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.StateHint;
import org.apache.flink.table.functions.ProcessTableFunction;
import org.apache.flink.types.Row;

/**
 * The process table function of {@code process-table-function}: numbers the rows of each partition
 * in the order in which they come. Compiled for the lines of Flink that have such functions.
 */
@DataTypeHint("ROW<number BIGINT>")
public final class NumberRows extends ProcessTableFunction<Row> {

    private static final long serialVersionUID = 1L;

    /**
     * Emits the row's number.
     *
     * @param rows of this partition so far
     * @param input not looked at
     */
    public void eval(
            @StateHint Rows rows, @ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE) Row input) {
        rows.count++;
        collect(Row.of(rows.count));
    }

    /** The state: how many rows there were. */
    public static final class Rows {
        public long count;
    }
}
