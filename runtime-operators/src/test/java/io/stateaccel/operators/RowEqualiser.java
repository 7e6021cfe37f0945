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
package io.stateaccel.operators;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedRecordEqualiser;
import org.apache.flink.table.runtime.generated.RecordEqualiser;

/** Compares rows of one representation. */
public final class RowEqualiser extends GeneratedRecordEqualiser {
    private static final long serialVersionUID = 1L;

    public RowEqualiser() {
        super("RowEqualiser", "", new Object[0]);
    }

    @Override
    public RecordEqualiser newInstance(ClassLoader classLoader) {
        return (RecordEqualiser) RowData::equals;
    }
}
