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

import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.table.data.RowData;

/** The list of one key, counting how it is accessed. */
final class ListStateStub implements ListState<RowData> {

    final List<RowData> stored = new ArrayList<>();
    int reads;
    int largest;

    @Override
    public Iterable<RowData> get() {
        reads++;
        return stored;
    }

    @Override
    public void add(RowData value) {
        addAll(List.of(value));
    }

    @Override
    public void addAll(List<RowData> values) {
        stored.addAll(values);
        largest = Math.max(largest, stored.size());
    }

    @Override
    public void update(List<RowData> values) {
        clear();
        addAll(values);
    }

    @Override
    public void clear() {
        stored.clear();
    }
}
