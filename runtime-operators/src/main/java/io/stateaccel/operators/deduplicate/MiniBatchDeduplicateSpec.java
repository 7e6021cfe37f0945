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
package io.stateaccel.operators.deduplicate;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.views.time.TimeToLive;
import java.io.Serializable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * Everything a {@link MiniBatchDeduplicateOperator} is made of.
 *
 * @param rowType the rows
 * @param keySelector extracts the key that is to have one row
 * @param rowTimeColumn the column that rows are ordered by, -1 for the order in which they come
 * @param keepLast whether the last row of a key is kept, or else the first
 * @param generateUpdateBefore whether {@code -U} is wanted downstream
 * @param generateInsert whether a key's first row is to be told from later ones downstream
 * @param equaliser compares two rows
 * @param ttl of the row that is kept, after it was last written
 * @param bundle when a bundle is flushed
 */
public record MiniBatchDeduplicateSpec(
        InternalTypeInfo<RowData> rowType,
        RowDataKeySelector keySelector,
        int rowTimeColumn,
        boolean keepLast,
        boolean generateUpdateBefore,
        boolean generateInsert,
        GeneratedRecordEqualiser equaliser,
        TimeToLive ttl,
        BundleSettings bundle)
        implements Serializable {}
