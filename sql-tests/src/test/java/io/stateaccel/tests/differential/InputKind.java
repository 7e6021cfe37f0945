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
package io.stateaccel.tests.differential;

import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.types.RowKind;

/** What a table's changelog may hold and what is unique in it. */
enum InputKind {
    INSERT_ONLY(ChangelogMode.insertOnly(), Unique.NOTHING),
    INSERT_ONLY_WITH_ID(ChangelogMode.insertOnly(), Unique.ID),
    RETRACT(ChangelogMode.all(), Unique.NOTHING),
    RETRACT_WITH_ID(ChangelogMode.all(), Unique.ID),
    RETRACT_WITH_KEY(ChangelogMode.all(), Unique.KEY),
    UPSERT_WITH_ID(ChangelogMode.upsert(false), Unique.ID),
    UPSERT_WITH_KEY(ChangelogMode.upsert(false), Unique.KEY),
    /** A deletion names the key only; its other columns are NULL. */
    UPSERT_WITH_ID_KEY_ONLY_DELETES(ChangelogMode.upsert(true), Unique.ID),
    UPSERT_WITH_KEY_KEY_ONLY_DELETES(ChangelogMode.upsert(true), Unique.KEY);

    /** The table's primary key. */
    enum Unique {
        NOTHING,
        ID,
        /** The columns that queries join and group by. */
        KEY
    }

    private final ChangelogMode mode;
    private final Unique unique;

    InputKind(ChangelogMode mode, Unique unique) {
        this.mode = mode;
        this.unique = unique;
    }

    ChangelogMode mode() {
        return mode;
    }

    Unique unique() {
        return unique;
    }

    boolean isInsertOnly() {
        return mode.equals(ChangelogMode.insertOnly());
    }

    boolean isUpsert() {
        return !isInsertOnly() && !mode.contains(RowKind.UPDATE_BEFORE);
    }
}
