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

import java.util.Collections;
import java.util.List;
import org.apache.flink.table.data.RowData;

/**
 * A hot key of insert-only rows: chunks that are filled one after the other. The marker's numbers
 * are the first and the last of them.
 */
final class SequentialChunks extends AppendedListView.AppendedRows implements HotKey {

    private final RowLog log;
    private final int arity;

    private int first;
    private int last;
    private long lastBytes;

    private SequentialChunks(RowLog log, int arity, int first, int last) {
        this.log = log;
        this.arity = arity;
        this.first = first;
        this.last = last;
    }

    /** Moves the rows of an ordinary key, just read, to a chunk of their own. */
    static SequentialChunks of(RowLog log, int arity, List<RowData> rows) throws Exception {
        int chunk = RowLog.FIRST + 1;
        SequentialChunks chunks = new SequentialChunks(log, arity, chunk, chunk);
        log.replace(chunk, rows);
        chunks.lastBytes = StoredRows.bytesOf(rows);
        chunks.mark();
        return chunks;
    }

    static SequentialChunks load(RowLog log, int arity, long[] numbers, List<RowData> misplaced)
            throws Exception {
        SequentialChunks chunks =
                new SequentialChunks(log, arity, (int) numbers[0], (int) numbers[1]);
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
        log.replace(RowLog.FIRST, Collections.singletonList(StoredRows.marker(arity, first, last)));
    }

    @Override
    public LiveRows rows() {
        return this;
    }

    @Override
    public Cursor open() {
        return new Cursor() {
            private int chunk = first;

            @Override
            public List<RowData> next() throws Exception {
                if (chunk > last) {
                    return null;
                }
                List<RowData> rows = log.read(chunk);
                if (rows.isEmpty() && chunk == first && first < last) {
                    // Expired, oldest first.
                    log.replace(first++, Collections.emptyList());
                    mark();
                }
                chunk++;
                return rows;
            }
        };
    }

    @Override
    public void append(List<RowData> changes) throws Exception {
        int lastBefore = last;
        int from = 0;
        for (int i = 0; i < changes.size(); i++) {
            int bytes = StoredRows.bytesOf(changes.get(i));
            if (lastBytes > 0 && lastBytes + bytes > ListView.CHUNK_BYTES) {
                if (from < i) {
                    log.append(last, changes.subList(from, i));
                }
                from = i;
                last++;
                lastBytes = 0;
            }
            lastBytes += bytes;
        }
        log.append(last, changes.subList(from, changes.size()));
        if (last != lastBefore) {
            mark();
        }
    }
}
