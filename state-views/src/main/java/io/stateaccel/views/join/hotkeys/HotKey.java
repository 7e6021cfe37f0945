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
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.StoredRows;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;

/**
 * What the heap knows of a key whose rows are kept in many chunks. Its {@link RowLog#FIRST} chunk
 * holds a marker with the numbers that find the others, and no rows; after a restore, or when the
 * heap has forgotten the key, blind appends may land behind the marker until the key is loaded.
 *
 * <p>Where rows expire, the marker expires after the last of them.
 */
public abstract class HotKey {

    final RowLog log;
    private final int arity;
    private long markedUntil;

    /** Whether a whole pass has found nothing, and nothing was appended since. */
    private boolean empty;

    /**
     * @param arity columns of a row
     * @param markedUntil what is known of the marker, anything if it is going to be written
     */
    HotKey(RowLog log, int arity, long markedUntil) {
        this.log = log;
        this.arity = arity;
        this.markedUntil = markedUntil;
    }

    /**
     * Makes an ordinary key of insert-only rows a hot one.
     *
     * @param live its rows, of those just read
     */
    public static HotKey appended(RowLog log, int arity, List<RowData> live) throws Exception {
        return SequentialChunks.of(log, arity, live);
    }

    /**
     * Finds a hot key of insert-only rows.
     *
     * @param marker just read
     * @param misplaced rows behind the marker, just read
     */
    public static HotKey loadAppended(
            RowLog log, int arity, RowData marker, List<RowData> misplaced) throws Exception {
        return SequentialChunks.load(log, arity, marker, misplaced);
    }

    /**
     * Makes an ordinary key whose rows are retracted or replaced a hot one.
     *
     * @param live its rows, of those just read
     */
    public static HotKey folded(RowLog log, ChangeFold fold, int arity, List<RowData> live)
            throws Exception {
        return HashedChunks.of(log, fold, arity, live);
    }

    /**
     * Finds a hot key whose rows are retracted or replaced.
     *
     * @param marker just read
     * @param misplaced rows and tombstones behind the marker, just read
     */
    public static HotKey loadFolded(
            RowLog log, ChangeFold fold, int arity, RowData marker, List<RowData> misplaced)
            throws Exception {
        return HashedChunks.load(log, fold, arity, marker, misplaced);
    }

    /** Whether this is of no more use, as the marker and all rows have expired. */
    public final boolean hasExpired() {
        return log.hasExpired(markedUntil);
    }

    final boolean isMarked() {
        return log.isMarked(markedUntil);
    }

    final void mark(long... numbers) throws Exception {
        markedUntil = log.mark(StoredRows.marker(arity, numbers));
    }

    /**
     * To be called when a pass has come to its end.
     *
     * @param foundNothing of what is stored
     */
    final void passed(boolean foundNothing) {
        empty = foundNothing;
    }

    /**
     * To be called before a pass: drops what is of no more use.
     *
     * @return whether there may be rows; otherwise the key is as if it had never been there
     */
    public final boolean tidy() throws Exception {
        if (!empty) {
            shrink();
            return true;
        }
        clear();
        return false;
    }

    /** Drops all rows and the marker: the key is as if it had never been there. */
    public final void clear() throws Exception {
        clearChunks();
        log.replace(RowLog.FIRST, Collections.emptyList());
    }

    /** Brings the number of chunks down to what the rows need, if that is not done by passes. */
    abstract void shrink() throws Exception;

    abstract void clearChunks() throws Exception;

    /** The live rows; a pass reads one chunk after the other. */
    public abstract LiveRows rows();

    /**
     * @param changes of kind {@code +I} or {@code -D}, in order
     */
    public final void append(List<RowData> changes) throws Exception {
        empty = false;
        appendToChunks(changes);
    }

    abstract void appendToChunks(List<RowData> changes) throws Exception;

    /**
     * Appends, and has equal rows live as long as the youngest.
     *
     * @param changes of kind {@code +I} or {@code -D}, in order
     * @param renewals rows of kind {@code +I} that came and went
     * @param before told of rows that were there, in parts
     * @return whether it was told of all of them
     */
    public final boolean appendRenewing(
            List<RowData> changes, List<RowData> renewals, Consumer<List<RowData>> before)
            throws Exception {
        empty = false;
        return appendRenewingToChunks(changes, renewals, before);
    }

    abstract boolean appendRenewingToChunks(
            List<RowData> changes, List<RowData> renewals, Consumer<List<RowData>> before)
            throws Exception;

    /** Appends to each chunk what is made of its rows. */
    public final void update(Update update) throws Exception {
        empty = false;
        updateChunks(update);
    }

    abstract void updateChunks(Update update) throws Exception;

    /**
     * Appends to those chunks that rows belong to what is made of theirs.
     *
     * @param rows of kind {@code +I}
     */
    public final void updateOf(List<RowData> rows, UpdateOfRows update) throws Exception {
        empty = false;
        updateChunksOf(rows, update);
    }

    abstract void updateChunksOf(List<RowData> rows, UpdateOfRows update) throws Exception;

    /** What is to be appended to a chunk. */
    @FunctionalInterface
    public interface Update {

        /**
         * @param live what is live in the chunk, just read, as {@link ChangeFold#fold} returns it
         */
        List<RowData> records(List<RowData> live) throws Exception;
    }

    /** What is to be appended to a chunk on account of some rows. */
    @FunctionalInterface
    public interface UpdateOfRows {

        /**
         * @param live what is live in the chunk, just read, as {@link ChangeFold#fold} returns it
         * @param rows those that belong there
         */
        List<RowData> records(List<RowData> live, List<RowData> rows) throws Exception;
    }
}
