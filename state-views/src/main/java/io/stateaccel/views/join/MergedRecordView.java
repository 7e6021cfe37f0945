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
package io.stateaccel.views.join;

import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * The rows of one join side under the current key, kept so that a bundle costs one read and one
 * blind write per key. Takes the place of Flink's {@code JoinRecordStateView}, whose writes read
 * first and whose unit is the record.
 *
 * <p>What {@link #load} returns has the rows of many keys; the view itself reads those of a key by
 * themselves.
 *
 * <p>Used by one task thread. Every call acts on the key that the operator has set as current.
 */
public interface MergedRecordView extends LoadedRecords {

    /**
     * Loads the rows of keys; what it returns is good until the next call.
     *
     * @param joinKeys each once; any of them, or none, is the current key afterwards
     * @return the rows of these keys; those of any other key are read by themselves
     */
    LoadedRecords load(List<RowData> joinKeys) throws Exception;

    /**
     * Applies the changes in their order, without reading what is stored unless garbage has piled
     * up or a key may have become hot. {@code +I} and {@code +U} add a row, {@code -U} and {@code
     * -D} take one away; taking away what is not there does nothing.
     *
     * @param joinKey the current key; the view may keep it
     * @param changes not empty, all {@code BinaryRowData}; the rows belong to the view from now on,
     *     which may change their {@code RowKind} but not their fields
     */
    void apply(RowData joinKey, List<RowData> changes) throws Exception;
}
