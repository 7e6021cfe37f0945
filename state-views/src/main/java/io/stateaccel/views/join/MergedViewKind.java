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

import io.stateaccel.views.layout.StateLayout;
import org.apache.flink.table.runtime.operators.join.stream.utils.JoinInputSideSpec;

/** How the rows of one join side are kept under their join key. */
public enum MergedViewKind {
    /** The join key contains a unique key: one row per join key, overwritten blind. */
    SINGLE_ROW(StateLayout.SINGLE_ROW),

    /** Insert-only rows: one merged list per join key, appended blind. */
    APPENDED_LIST(StateLayout.APPENDED_LIST),

    /** Rows with a unique key beside the join key: a merged list in which the last change wins. */
    UNIQUE_KEY_LIST(StateLayout.UNIQUE_KEY_LIST),

    /** Rows without a unique key: a merged list in which a retraction takes one equal row away. */
    COUNTED_LIST(StateLayout.COUNTED_LIST);

    private final StateLayout layout;

    MergedViewKind(StateLayout layout) {
        this.layout = layout;
    }

    /** How the rows are laid out in state. */
    public StateLayout layout() {
        return layout;
    }

    /** The view for an input with these unique keys and this changelog. */
    public static MergedViewKind of(JoinInputSideSpec uniqueKeys, InputChangelog changelog) {
        if (uniqueKeys.joinKeyContainsUniqueKey()) {
            return SINGLE_ROW;
        }
        if (changelog == InputChangelog.INSERT_ONLY) {
            return APPENDED_LIST;
        }
        return uniqueKeys.hasUniqueKey() ? UNIQUE_KEY_LIST : COUNTED_LIST;
    }

    /** The wording of EXPLAIN. */
    @Override
    public String toString() {
        return layout.name();
    }
}
