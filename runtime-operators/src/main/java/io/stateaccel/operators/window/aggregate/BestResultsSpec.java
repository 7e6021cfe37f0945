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
package io.stateaccel.operators.window.aggregate;

import java.io.Serializable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedRecordComparator;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * Which results of a {@link HeapWindowAggregate} anything is made of: those than which there is no
 * better one.
 *
 * @param type the results
 * @param groups what they have to have in common to be compared, the window among it
 * @param order the best result is the greatest one
 */
public record BestResultsSpec(
        InternalTypeInfo<RowData> type, RowDataKeySelector groups, GeneratedRecordComparator order)
        implements Serializable {}
