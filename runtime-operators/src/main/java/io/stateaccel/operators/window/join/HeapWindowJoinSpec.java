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
package io.stateaccel.operators.window.join;

import io.stateaccel.operators.window.WindowedRows;
import java.io.Serializable;
import org.apache.flink.table.runtime.generated.GeneratedJoinCondition;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;

/**
 * What a {@link HeapWindowJoin} joins and how.
 *
 * @param joinType which rows are results
 * @param left the rows of the left side; of windows in the time zone, and with the heap, of both
 * @param right the rows of the right side
 * @param condition what rows have to hold besides being equal in key and window
 * @param filterNullKeys by column of the key, whether NULL equals nothing
 */
public record HeapWindowJoinSpec(
        FlinkJoinType joinType,
        WindowedRows left,
        WindowedRows right,
        GeneratedJoinCondition condition,
        boolean[] filterNullKeys)
        implements Serializable {}
