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

import io.stateaccel.views.ViewContext;
import java.io.Serializable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;

/**
 * What becomes of the results of a join in the operator of the join. Opened once, after the states
 * of the join and before anything else is asked of it; closed also where opening has failed. Used
 * by the task thread.
 */
public interface JoinResults extends Serializable {

    /** Whether this keeps anything in state. */
    boolean keepsState();

    /**
     * @param context where to keep it
     * @param out takes what the operator emits, rows that may be used again
     */
    void open(ViewContext context, Collector<RowData> out) throws Exception;

    /** Where the results go, as rows that are used again. */
    Collector<RowData> collector();

    /** All results of the current key have been collected. */
    default void finishKey() throws Exception {}

    /** All results of the bundle have been collected. */
    default void finishBundle() throws Exception {}

    default void close() throws Exception {}
}
