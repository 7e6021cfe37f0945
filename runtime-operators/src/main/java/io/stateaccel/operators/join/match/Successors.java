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
package io.stateaccel.operators.join.match;

import io.stateaccel.operators.join.fold.SideChanges;
import io.stateaccel.views.join.Changes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.table.data.RowData;

/**
 * One pass over the rows of a side as they were before the bundle, which tells what becomes of
 * each: it stays, another row takes its place, or it goes.
 */
final class Successors {

    @Nullable private final KeySelector<RowData, RowData> identity;
    private final SideChanges changes;

    /** Indices of the retractions that have not met their row yet. */
    private final Map<RowData, Deque<Integer>> retractions = new HashMap<>();

    /**
     * @param identity tells a row from others, null where nothing but its fields does
     */
    Successors(SideChanges changes, @Nullable KeySelector<RowData, RowData> identity)
            throws Exception {
        this.identity = identity;
        this.changes = changes;
        for (int i = 0; i < changes.retractions().size(); i++) {
            retractions
                    .computeIfAbsent(
                            identityOf(changes.retractions().get(i)), k -> new ArrayDeque<>(1))
                    .add(i);
        }
    }

    /**
     * @param rows the next ones of the pass, equal ones as often as they are there
     * @return for each the row itself if it stays, null if it goes
     */
    List<RowData> of(List<RowData> rows) throws Exception {
        List<RowData> next = new ArrayList<>(rows.size());
        for (RowData row : rows) {
            Deque<Integer> retracting = retractions.get(identityOf(row));
            next.add(
                    retracting == null || retracting.isEmpty()
                            ? row
                            : changes.successor(retracting.poll()));
        }
        return next;
    }

    private RowData identityOf(RowData row) throws Exception {
        return identity == null ? Changes.asInsert(row) : identity.getKey(row);
    }
}
