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
package io.stateaccel.operators.sink;

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.views.time.TimeToLive;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * Everything a {@link MiniBatchSinkMaterializerOperator} is made of.
 *
 * @param rowType the rows
 * @param primaryKey extracts the sink's primary key
 * @param upsertKey extracts what the query's changes know a row by, null where that is all of it
 * @param stateName a name that the stock operator gives a state of its own, so that neither goes on
 *     from the other's snapshot
 * @param ttl of the rows of a primary key, after one of them was last written
 * @param bundle when a bundle is flushed
 */
public record MiniBatchSinkMaterializerSpec(
        InternalTypeInfo<RowData> rowType,
        RowDataKeySelector primaryKey,
        @Nullable RowDataKeySelector upsertKey,
        String stateName,
        TimeToLive ttl,
        BundleSettings bundle)
        implements Serializable {}
