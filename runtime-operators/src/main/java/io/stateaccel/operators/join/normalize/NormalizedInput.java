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
package io.stateaccel.operators.join.normalize;

import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.table.runtime.generated.GeneratedFilterCondition;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;

/**
 * How an input of a join is normalised, which has changes as {@code ChangelogNormalize} has them,
 * keyed by the join key: that is the input's primary key.
 *
 * @param updatesBefore whether the join is to see a {@code -U} before each {@code +U}
 * @param condition that rows have to meet in order to be there; null if none
 * @param equaliser of rows
 */
public record NormalizedInput(
        boolean updatesBefore,
        @Nullable GeneratedFilterCondition condition,
        GeneratedRecordEqualiser equaliser)
        implements Serializable {}
