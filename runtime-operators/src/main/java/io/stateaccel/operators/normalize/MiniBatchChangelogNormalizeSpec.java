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
package io.stateaccel.operators.normalize;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.views.time.TimeToLive;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedFilterCondition;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * How a changelog is normalised.
 *
 * @param rowType of input and output
 * @param keySelector the upsert key
 * @param generateUpdateBefore whether a {@code -U} goes before each {@code +U}
 * @param condition that rows have to meet in order to be there; null if none
 * @param equaliser of rows
 * @param ttl of a key's row
 * @param bundle when bundles end
 */
public record MiniBatchChangelogNormalizeSpec(
        InternalTypeInfo<RowData> rowType,
        RowDataKeySelector keySelector,
        boolean generateUpdateBefore,
        @Nullable GeneratedFilterCondition condition,
        GeneratedRecordEqualiser equaliser,
        TimeToLive ttl,
        BundleSettings bundle)
        implements Serializable {}
