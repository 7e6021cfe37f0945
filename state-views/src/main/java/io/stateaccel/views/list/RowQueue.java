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
package io.stateaccel.views.list;

import io.stateaccel.views.ViewContext;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.RowLogs;
import io.stateaccel.views.layout.StateLayout;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * Rows per key, of which the oldest goes first. They are in chunks of a few rows each: what comes
 * is appended to the last one without reading, and what goes is read chunk by chunk. Where the
 * chunks are is not part of the state: whoever uses a queue stores its {@link Ends} with what else
 * there is of the key, so that nothing is read as long as no row goes.
 *
 * <p>Used by one task thread. Every call acts on the key that the operator has set as current.
 */
public final class RowQueue {

    /** What a chunk is meant to hold; read as a whole for each bundle in which a row of it goes. */
    static final int CHUNK_BYTES = 4 << 10;

    private final RowLog log;

    private Ends ends = Ends.EMPTY;

    /** The rows of the first chunk, those that have gone included; null if it was not read. */
    @Nullable private List<RowData> firstChunk;

    /** Those that were added and have not gone. */
    private final List<RowData> added = new ArrayList<>();

    /** How many of those that were added have gone. */
    private int addedGone;

    RowQueue(RowLog log) {
        this.log = log;
    }

    /**
     * Opens the state.
     *
     * @param context where it is kept
     * @param type the rows
     * @throws io.stateaccel.views.layout.StateRefusedException when a snapshot holds the state in
     *     another layout
     */
    public static RowQueue open(
            ViewContext context, String stateName, InternalTypeInfo<RowData> type)
            throws Exception {
        return new RowQueue(
                context.layouts()
                        .open(
                                stateName,
                                StateLayout.ROW_QUEUE,
                                () ->
                                        RowLogs.open(
                                                context,
                                                stateName,
                                                type,
                                                context.lifetime(TimeToLive.FOREVER),
                                                false)));
    }

    /**
     * Where the queue of a key begins and ends.
     *
     * @param firstChunk the chunk of the oldest row
     * @param gone how many rows of that chunk have gone
     * @param lastChunk the chunk that is appended to
     * @param lastBytes what was appended to it
     * @param rows that are in the queue; if there are none, nothing is stored
     */
    public record Ends(int firstChunk, int gone, int lastChunk, int lastBytes, long rows) {
        public static final Ends EMPTY = new Ends(0, 0, 0, 0, 0);
    }

    /**
     * Starts with the current key.
     *
     * @param queueEnds what {@link #store} has returned for it, {@link Ends#EMPTY} if that was
     *     never called
     */
    public void begin(Ends queueEnds) {
        ends = queueEnds;
        firstChunk = null;
        added.clear();
        addedGone = 0;
    }

    /** How many rows there are. */
    public long size() {
        return ends.rows + added.size() - addedGone;
    }

    /**
     * Adds a row behind all others.
     *
     * @param row belongs to the queue from now on
     */
    public void add(BinaryRowData row) {
        added.add(row);
    }

    /** The oldest row, of which there has to be one; stays good until {@link #store}. */
    public RowData first() throws Exception {
        if (ends.rows == 0) {
            return added.get(addedGone);
        }
        if (firstChunk == null) {
            firstChunk = log.read(ends.firstChunk);
        }
        return firstChunk.get(ends.gone);
    }

    /** Takes the oldest row, of which there has to be one, out of the queue. */
    public RowData removeFirst() throws Exception {
        RowData first = first();
        if (ends.rows == 0) {
            addedGone++;
            return first;
        }
        boolean isLastOfChunk = ends.gone + 1 == firstChunk.size();
        if (isLastOfChunk) {
            log.replace(ends.firstChunk, List.of());
            firstChunk = null;
        }
        ends =
                ends.rows == 1
                        ? Ends.EMPTY
                        : new Ends(
                                isLastOfChunk ? ends.firstChunk + 1 : ends.firstChunk,
                                isLastOfChunk ? 0 : ends.gone + 1,
                                ends.lastChunk,
                                ends.lastBytes,
                                ends.rows - 1);
        return first;
    }

    /**
     * Stores what was added and has not gone.
     *
     * @return what to {@link #begin} with the next time
     */
    public Ends store() throws Exception {
        int from = addedGone;
        int chunk = ends.lastChunk;
        int bytes = ends.lastBytes;
        for (int to = from; to < added.size(); ) {
            if (bytes >= CHUNK_BYTES) {
                append(chunk, from, to);
                from = to;
                chunk++;
                bytes = 0;
            }
            bytes += ((BinaryRowData) added.get(to++)).getSizeInBytes();
        }
        append(chunk, from, added.size());
        Ends stored = new Ends(ends.firstChunk, ends.gone, chunk, bytes, size());
        begin(stored);
        return stored;
    }

    private void append(int chunk, int from, int to) throws Exception {
        if (from < to) {
            log.append(chunk, new ArrayList<>(added.subList(from, to)));
        }
    }

    /** Drops all rows of the current key. */
    public void clear() throws Exception {
        if (ends.rows > 0) {
            for (int chunk = ends.firstChunk; chunk <= ends.lastChunk; chunk++) {
                log.replace(chunk, List.of());
            }
        }
        begin(Ends.EMPTY);
    }
}
