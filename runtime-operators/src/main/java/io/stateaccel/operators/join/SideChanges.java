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

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * What a bundle changes on one side of one join key, folded: no addition is followed by the
 * retraction that undoes it, so all retractions may come before all additions.
 *
 * @param retractions {@code -U} and {@code -D}, in order
 * @param additions {@code +I} and {@code +U}, in order
 */
record SideChanges(List<RowData> retractions, List<RowData> additions) {

    static final SideChanges NONE =
            new SideChanges(Collections.emptyList(), Collections.emptyList());

    boolean isEmpty() {
        return retractions.isEmpty() && additions.isEmpty();
    }

    int size() {
        return retractions.size() + additions.size();
    }

    /** All changes in an order in which they may be applied. */
    List<RowData> inOrder() {
        if (retractions.isEmpty()) {
            return additions;
        }
        List<RowData> all = new ArrayList<>(retractions.size() + additions.size());
        all.addAll(retractions);
        all.addAll(additions);
        return all;
    }
}
