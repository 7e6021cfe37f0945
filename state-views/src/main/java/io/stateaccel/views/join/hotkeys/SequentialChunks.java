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
package io.stateaccel.views.join.hotkeys;

import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.fold.RenewedRows;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.StoredRows;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;

/**
 * A hot key of insert-only rows: chunks that are filled one after the other. The marker's numbers
 * are the first and the last of them.
 */
final class SequentialChunks extends HotKey {

    private int first;
    private int last;
    private long lastBytes;

    private SequentialChunks(RowLog log, int arity, long markedUntil, int first, int last) {
        super(log, arity, markedUntil);
        this.first = first;
        this.last = last;
    }

    /** Moves the rows of an ordinary key, just read, to a chunk of their own. */
    static SequentialChunks of(RowLog log, int arity, List<RowData> rows) throws Exception {
        int chunk = RowLog.FIRST + 1;
        SequentialChunks chunks = new SequentialChunks(log, arity, 0, chunk, chunk);
        log.replace(chunk, rows);
        chunks.lastBytes = StoredRows.bytesOf(rows);
        chunks.mark();
        return chunks;
    }

    static SequentialChunks load(RowLog log, int arity, RowData marker, List<RowData> misplaced)
            throws Exception {
        long[] numbers = StoredRows.valuesOf(marker);
        SequentialChunks chunks =
                new SequentialChunks(
                        log, arity, log.markedUntil(marker), (int) numbers[0], (int) numbers[1]);
        if (misplaced.isEmpty()) {
            chunks.lastBytes = StoredRows.bytesOf(log.read(chunks.last));
        } else {
            log.replace(++chunks.last, misplaced);
            chunks.lastBytes = StoredRows.bytesOf(misplaced);
            chunks.mark();
        }
        return chunks;
    }

    private void mark() throws Exception {
        mark(first, last);
    }

    @Override
    public LiveRows rows() {
        return (LiveRows.Appended) Pass::new;
    }

    @Override
    void shrink() {}

    @Override
    void clearChunks() throws Exception {
        for (int chunk = first; chunk <= last; chunk++) {
            log.replace(chunk, Collections.emptyList());
        }
    }

    private final class Pass implements LiveRows.Cursor {
        private int chunk = first;
        private boolean foundNothing = true;

        @Override
        public List<RowData> next() throws Exception {
            if (chunk > last) {
                passed(foundNothing);
                return null;
            }
            List<RowData> rows = log.read(chunk);
            foundNothing &= rows.isEmpty();
            if (rows.isEmpty() && chunk == first && first < last) {
                // Expired, oldest first.
                log.replace(first++, Collections.emptyList());
                mark();
            }
            chunk++;
            return rows;
        }
    }

    /** Looks for the rows in all chunks: what is said of none of them is where it is. */
    @Override
    boolean appendRenewingToChunks(
            List<RowData> changes, List<RowData> renewals, Consumer<List<RowData>> before)
            throws Exception {
        for (int chunk = first; chunk <= last; chunk++) {
            List<RowData> stored = log.read(chunk);
            before.accept(stored);
            List<RowData> rows =
                    RenewedRows.of(log, stored, Collections.emptyList(), changes, false);
            if (rows != null) {
                log.replace(chunk, rows);
            }
        }
        mark();
        appendToChunks(changes);
        return true;
    }

    @Override
    void updateChunks(Update update) throws Exception {
        for (int chunk = first; chunk <= last; chunk++) {
            List<RowData> records = update.records(log.read(chunk));
            if (!records.isEmpty()) {
                log.append(chunk, records);
                if (chunk == last) {
                    lastBytes += StoredRows.bytesOf(records);
                }
            }
        }
    }

    @Override
    void updateChunksOf(List<RowData> rows, UpdateOfRows update) {
        throw new UnsupportedOperationException("Rows without matches");
    }

    @Override
    void appendToChunks(List<RowData> changes) throws Exception {
        int lastBefore = last;
        int from = 0;
        for (int i = 0; i < changes.size(); i++) {
            int bytes = StoredRows.bytesOf(changes.get(i));
            if (lastBytes > 0 && lastBytes + bytes > RowLog.CHUNK_BYTES) {
                if (from < i) {
                    log.append(last, changes.subList(from, i));
                }
                from = i;
                begin(last + 1);
            }
            lastBytes += bytes;
        }
        log.append(last, changes.subList(from, changes.size()));
        if (last != lastBefore || !isMarked()) {
            mark();
        }
    }

    /** What the key had in there before it expired as a whole may not have left the state. */
    private void begin(int chunk) throws Exception {
        log.replace(chunk, Collections.emptyList());
        last = chunk;
        lastBytes = 0;
    }
}
