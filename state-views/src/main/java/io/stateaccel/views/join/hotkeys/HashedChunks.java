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
import io.stateaccel.views.join.fold.ChangeFold;
import io.stateaccel.views.join.fold.RenewedRows;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.StoredRows;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.util.MathUtils;

/**
 * A hot key whose rows are retracted or replaced: a change goes to the chunk that its row's hash
 * names, so that a tombstone meets its row when that chunk alone is read. The number of chunks
 * follows the live bytes one by one (linear hashing: Litwin, <em>Linear Hashing: a new tool for
 * file and table addressing</em>, VLDB 1980), so that no append has to move much. The marker's
 * numbers are the number of chunks and the estimated live bytes.
 *
 * <p>A chunk that has been appended to by as much as is live in it is folded; rows that are there
 * many times, which share a chunk, are then stored once with their count. What a key leaves behind
 * when its last row goes is the marker.
 */
final class HashedChunks extends HotKey {

    /** What chunks hold on average before there is one more. */
    private static final int FULL = RowLog.CHUNK_BYTES / 2;

    /** What chunks hold on average before there is one less. */
    private static final int SPARSE = RowLog.CHUNK_BYTES / 8;

    /** What may be appended to a chunk however little is in it. */
    private static final int TOLERATED = RowLog.CHUNK_BYTES / 16;

    /** Changes that pay for giving up a chunk. */
    private static final int CHANGES_PER_MERGE = 16;

    private final ChangeFold fold;

    private int chunks;
    private long liveBytes;

    /** Per chunk, what of {@link #liveBytes} is thought to be in it. */
    private int[] live;

    /** Per chunk, what has been appended since it was folded. */
    private int[] appended;

    private HashedChunks(
            RowLog log, ChangeFold fold, int arity, long markedUntil, int chunks, long liveBytes) {
        super(log, arity, markedUntil);
        this.fold = fold;
        this.chunks = chunks;
        this.liveBytes = liveBytes;
        this.live = new int[chunks];
        this.appended = new int[chunks];
        Arrays.fill(live, (int) (liveBytes / chunks));
    }

    /** Spreads the rows of an ordinary key, just read. */
    static HashedChunks of(RowLog log, ChangeFold fold, int arity, List<RowData> rows)
            throws Exception {
        List<RowData> packed = fold.pack(rows);
        long bytes = StoredRows.bytesOf(packed);
        HashedChunks hashed =
                new HashedChunks(log, fold, arity, 0, Math.max(2, (int) (bytes / FULL)), bytes);
        Map<Integer, List<RowData>> parts = hashed.byChunk(packed);
        for (int chunk = 0; chunk < hashed.chunks; chunk++) {
            hashed.store(chunk, parts.getOrDefault(chunk, Collections.emptyList()));
        }
        hashed.mark();
        return hashed;
    }

    static HashedChunks load(
            RowLog log, ChangeFold fold, int arity, RowData marker, List<RowData> misplaced)
            throws Exception {
        long[] numbers = StoredRows.valuesOf(marker);
        HashedChunks hashed =
                new HashedChunks(
                        log, fold, arity, log.markedUntil(marker), (int) numbers[0], numbers[1]);
        for (Map.Entry<Integer, List<RowData>> part : hashed.byChunk(misplaced).entrySet()) {
            log.move(stateChunk(part.getKey()), part.getValue());
            hashed.account(part.getKey(), part.getValue());
        }
        if (!misplaced.isEmpty()) {
            hashed.mark();
        }
        return hashed;
    }

    private void mark() throws Exception {
        mark(chunks, liveBytes);
    }

    @Override
    void appendToChunks(List<RowData> changes) throws Exception {
        for (Map.Entry<Integer, List<RowData>> part : byChunk(changes).entrySet()) {
            appendTo(part.getKey(), part.getValue());
        }
        resize(changes.size());
    }

    @Override
    boolean appendRenewingToChunks(
            List<RowData> changes, List<RowData> renewals, Consumer<List<RowData>> before)
            throws Exception {
        Map<Integer, List<RowData>> changed = byChunk(changes);
        Map<Integer, List<RowData>> renewed = byChunk(renewals);
        Set<Integer> touched = new TreeSet<>(changed.keySet());
        touched.addAll(renewed.keySet());
        for (int chunk : touched) {
            List<RowData> part = changed.getOrDefault(chunk, Collections.emptyList());
            List<RowData> rows =
                    RenewedRows.of(
                            log,
                            fold.fold(log.read(stateChunk(chunk))),
                            part,
                            renewed.getOrDefault(chunk, Collections.emptyList()),
                            true);
            if (rows != null) {
                store(chunk, fold.pack(rows));
            } else if (!part.isEmpty()) {
                appendTo(chunk, part);
            }
        }
        resize(changes.size());
        return false;
    }

    @Override
    void updateChunks(Update update) throws Exception {
        int written = 0;
        for (int chunk = 0; chunk < chunks; chunk++) {
            written += updateChunk(chunk, update);
        }
        if (written > 0) {
            resize(written);
        }
    }

    @Override
    void updateChunksOf(List<RowData> rows, UpdateOfRows update) throws Exception {
        int written = 0;
        for (Map.Entry<Integer, List<RowData>> part : byChunk(rows).entrySet()) {
            written +=
                    updateChunk(part.getKey(), stored -> update.records(stored, part.getValue()));
        }
        if (written > 0) {
            resize(written);
        }
    }

    private int updateChunk(int chunk, Update update) throws Exception {
        List<RowData> records = update.records(fold.fold(log.read(stateChunk(chunk))));
        if (!records.isEmpty()) {
            appendTo(chunk, records);
        }
        return records.size();
    }

    private void appendTo(int chunk, List<RowData> changes) throws Exception {
        log.append(stateChunk(chunk), changes);
        account(chunk, changes);
        if (appended[chunk] > Math.max(live[chunk], TOLERATED)) {
            foldChunk(chunk);
        }
    }

    private void resize(int changes) throws Exception {
        while (liveBytes > (long) chunks * FULL) {
            splitOne();
        }
        int merges = 1 + changes / CHANGES_PER_MERGE;
        while (merges-- > 0 && isSparse()) {
            mergeOne();
        }
        mark();
    }

    private boolean isSparse() {
        return chunks > 2 && liveBytes < (long) chunks * SPARSE;
    }

    @Override
    void shrink() throws Exception {
        if (!isSparse()) {
            return;
        }
        while (isSparse()) {
            mergeOne();
        }
        mark();
    }

    @Override
    void clearChunks() throws Exception {
        for (int chunk = 0; chunk < chunks; chunk++) {
            log.replace(stateChunk(chunk), Collections.emptyList());
        }
    }

    private void account(int chunk, List<RowData> changes) {
        int bytes = 0;
        int gained = 0;
        for (RowData change : changes) {
            int size = StoredRows.bytesOf(change);
            bytes += size;
            gained += RowDataUtil.isAccumulateMsg(change) ? size : -size;
        }
        appended[chunk] += bytes;
        setLive(chunk, Math.max(0, live[chunk] + gained));
    }

    private void setLive(int chunk, int bytes) {
        liveBytes += bytes - live[chunk];
        live[chunk] = bytes;
    }

    /** Reads a chunk, without what is of no more use; the caller stores it. */
    private List<RowData> readLive(int chunk) throws Exception {
        return fold.pack(fold.fold(log.read(stateChunk(chunk))));
    }

    private void store(int chunk, List<RowData> rows) throws Exception {
        log.replace(stateChunk(chunk), rows);
        appended[chunk] = 0;
        setLive(chunk, (int) StoredRows.bytesOf(rows));
    }

    private void foldChunk(int chunk) throws Exception {
        List<RowData> stored = log.read(stateChunk(chunk));
        List<RowData> rows = fold.pack(fold.fold(stored));
        if (rows.size() < stored.size()) {
            store(chunk, rows);
        } else {
            appended[chunk] = 0;
            setLive(chunk, (int) StoredRows.bytesOf(rows));
        }
    }

    private void splitOne() throws Exception {
        int from = chunks - Integer.highestOneBit(chunks);
        List<RowData> rows = readLive(from);
        int to = chunks++;
        if (chunks > live.length) {
            live = Arrays.copyOf(live, 2 * live.length);
            appended = Arrays.copyOf(appended, 2 * appended.length);
        }
        live[to] = 0;
        Map<Integer, List<RowData>> parts = byChunk(rows);
        store(to, parts.getOrDefault(to, Collections.emptyList()));
        store(from, parts.getOrDefault(from, Collections.emptyList()));
    }

    private void mergeOne() throws Exception {
        int from = chunks - 1;
        List<RowData> rows = readLive(from);
        setLive(from, 0);
        chunks--;
        int to = from - Integer.highestOneBit(from);
        if (!rows.isEmpty()) {
            log.move(stateChunk(to), rows);
            account(to, rows);
        }
        log.replace(stateChunk(from), Collections.emptyList());
    }

    private Map<Integer, List<RowData>> byChunk(List<RowData> changes) throws Exception {
        Map<Integer, List<RowData>> parts = new HashMap<>();
        for (RowData change : changes) {
            parts.computeIfAbsent(chunkOf(change), chunk -> new ArrayList<>()).add(change);
        }
        return parts;
    }

    private int chunkOf(RowData stored) throws Exception {
        int hash = MathUtils.murmurHash(fold.hash(StoredRows.fieldsOf(stored)));
        int level = Integer.highestOneBit(chunks);
        int chunk = hash & (2 * level - 1);
        return chunk < chunks ? chunk : chunk & (level - 1);
    }

    private static int stateChunk(int chunk) {
        return RowLog.FIRST + 1 + chunk;
    }

    @Override
    public LiveRows rows() {
        return new ChunkedRows(Collections.emptyList());
    }

    /** The rows of all chunks, but for what changes take out of them, one after the other. */
    private final class ChunkedRows implements LiveRows {
        private final List<List<RowData>> removals;

        ChunkedRows(List<List<RowData>> removals) {
            this.removals = removals;
        }

        @Override
        public Cursor open() throws Exception {
            return new Pass(removals);
        }

        @Override
        public LiveRows without(List<RowData> changes) {
            if (changes.isEmpty()) {
                return this;
            }
            List<List<RowData>> all = new ArrayList<>(removals);
            all.add(changes);
            return new ChunkedRows(all);
        }
    }

    private final class Pass implements LiveRows.Cursor {

        /**
         * By chunk; which one that is may be another by the next pass, as the number of matches of
         * rows may be written between two.
         */
        private final List<Map<Integer, List<RowData>>> removals = new ArrayList<>();

        private final Deque<List<RowData>> ready = new ArrayDeque<>();
        private int next;
        private boolean foundNothing = true;

        Pass(List<List<RowData>> removals) throws Exception {
            for (List<RowData> changes : removals) {
                this.removals.add(byChunk(changes));
            }
        }

        @Override
        public List<RowData> next() throws Exception {
            while (ready.isEmpty()) {
                if (next == chunks) {
                    passed(foundNothing);
                    return null;
                }
                List<RowData> chunk = read(next);
                foundNothing &= live[next++] == 0;
                ready.addAll(StoredRows.unpack(chunk));
            }
            return ready.poll();
        }

        private List<RowData> read(int chunk) throws Exception {
            List<RowData> rows = fold.fold(log.read(stateChunk(chunk)));
            setLive(chunk, (int) StoredRows.bytesOf(rows));
            for (Map<Integer, List<RowData>> removal : removals) {
                rows = fold.without(rows, removal.getOrDefault(chunk, Collections.emptyList()));
            }
            return rows;
        }
    }
}
