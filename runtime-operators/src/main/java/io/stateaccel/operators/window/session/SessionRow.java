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
package io.stateaccel.operators.window.session;

import java.util.Comparator;
import org.apache.flink.table.data.RowData;

/** A row of a session, and the place among the rows of its key that it has come in. */
final class SessionRow {

    /** As they came: those that the state has ever had are the older ones. */
    static final Comparator<SessionRow> AS_THEY_CAME =
            Comparator.comparing((SessionRow row) -> !row.hasNumber())
                    .thenComparingLong(row -> row.hasNumber() ? row.number : row.arrival);

    private static final long NONE = -1;

    final RowData row;

    /** When it came, where it has no number yet. */
    private final long arrival;

    /** By which the state knows it. */
    private long number;

    /** Whether the state has it, of the session that it is in now. */
    private boolean isStored;

    private SessionRow(RowData row, long arrival, long number, boolean isStored) {
        this.row = row;
        this.arrival = arrival;
        this.number = number;
        this.isStored = isStored;
    }

    static SessionRow arrived(RowData row, long arrival) {
        return new SessionRow(row, arrival, NONE, false);
    }

    static SessionRow stored(RowData row, long number) {
        return new SessionRow(row, NONE, number, true);
    }

    boolean hasNumber() {
        return number != NONE;
    }

    long number() {
        return number;
    }

    void number(long now) {
        number = now;
    }

    boolean isStored() {
        return isStored;
    }

    void stored(boolean now) {
        isStored = now;
    }
}
