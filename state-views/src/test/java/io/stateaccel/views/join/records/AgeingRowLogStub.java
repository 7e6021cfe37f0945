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
package io.stateaccel.views.join.records;

import static io.stateaccel.views.join.records.ViewRows.row;

import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.StoredRows;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;

/**
 * The chunks of one key, of whose rows only those of late generations are there, although the
 * others have not left the state. The generation of a row is its value.
 */
public final class AgeingRowLogStub implements RowLog {

    private final RowLogStub log = new RowLogStub();
    private int generation;
    private int oldest;
    private int generationOfMarker;

    /** Has all rows expire. */
    public void nextGeneration() {
        oldest = ++generation;
    }

    /** As when the time to live is switched off. */
    public void liveForEver() {
        oldest = 0;
    }

    /** A row of the current generation. */
    public BinaryRowData newRow(int id) {
        return row(RowKind.INSERT, id, generation);
    }

    @Override
    public List<RowData> read(int chunk) {
        List<RowData> live = new ArrayList<>(log.read(chunk));
        live.removeIf(
                row -> (StoredRows.isMarker(row) ? generationOfMarker : row.getInt(1)) < oldest);
        return live;
    }

    @Override
    public void readAhead(List<RowData> keys) {}

    @Override
    public void append(int chunk, List<RowData> changes) {
        log.append(chunk, changes);
    }

    @Override
    public void move(int chunk, List<RowData> rows) {
        log.move(chunk, rows);
    }

    @Override
    public void replace(int chunk, List<RowData> rows) {
        log.replace(chunk, rows);
    }

    @Override
    public RowData repeated(RowData youngest, long count) {
        return log.repeated(youngest, count);
    }

    @Override
    public long mark(RowData marker) {
        log.replace(FIRST, List.of(marker));
        generationOfMarker = generation;
        return generation;
    }

    @Override
    public long markedUntil(RowData marker) {
        return generationOfMarker;
    }

    @Override
    public boolean isMarked(long markedUntil) {
        return markedUntil == generation;
    }

    @Override
    public boolean hasExpired(long markedUntil) {
        return markedUntil < oldest;
    }
}
