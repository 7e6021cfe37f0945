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

import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedFunction;

/**
 * What is done to the results of a join for what follows it in the same operator.
 *
 * @param function filters and projects them, or filters them only; null where it would do neither
 * @param columns of what the function gives, those that go on, in their order; null for all. They
 *     are not copied, so a row of which no more than its sort key is looked at costs no more
 */
public record ResultCalc(
        @Nullable GeneratedFunction<FlatMapFunction<RowData, RowData>> function,
        @Nullable int[] columns)
        implements Serializable {}
