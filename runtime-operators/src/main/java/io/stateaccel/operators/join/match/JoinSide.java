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
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.LoadedRecords;
import io.stateaccel.views.join.MergedRecordView;
import io.stateaccel.views.join.RenewingRecordView;
import io.stateaccel.views.join.RenewingRecordView.SideUpdate;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.table.data.RowData;

/**
 * One side of the join key that a flush is at: its rows in state, what the bundle changes, and the
 * rows on the way from the one to the other. Reused from key to key.
 */
public final class JoinSide {

    private static final int[] NOT_COUNTED = {};

    final boolean isLeft;
    private final MergedRecordView records;

    /** The same, if it is one; else what is not said to it is not missed. */
    @Nullable private final RenewingRecordView renewing;

    private final boolean insertOnly;
    private final boolean upserts;
    @Nullable private final KeySelector<RowData, RowData> identity;

    /** The rows of the keys that come next; until some are loaded, each is read by itself. */
    private LoadedRecords loaded;

    private RowData joinKey;
    private SideChanges changes;

    /** Of each addition and each dropped one, where they may be kept; else of none. */
    private int[] matches;

    private int[] droppedMatches;

    /** Null until somebody asks for them, as a read is what a key costs most. */
    private LiveRows rows;

    /** What has been gone through of the changes, and is no longer among the {@link #rows}. */
    private final List<List<RowData>> gone = new ArrayList<>(2);

    /**
     * @param changelog what changes come
     * @param identity extracts what tells a row from others, null where nothing but its fields does
     */
    public JoinSide(
            boolean isLeft,
            MergedRecordView records,
            InputChangelog changelog,
            @Nullable KeySelector<RowData, RowData> identity) {
        this.isLeft = isLeft;
        this.records = records;
        this.renewing = records instanceof RenewingRecordView renewed ? renewed : null;
        this.loaded = records;
        this.insertOnly = changelog == InputChangelog.INSERT_ONLY;
        this.upserts = changelog == InputChangelog.UPSERT;
        this.identity = identity;
    }

    /**
     * Loads the rows of keys.
     *
     * @param keys those that {@link #isToBeRead}, each once
     */
    public void load(List<RowData> keys) throws Exception {
        loaded = records.load(keys);
    }

    /**
     * Whether a key has its rows read.
     *
     * @param own what the bundle changes of it on this side
     * @param others likewise, on the other side
     */
    public boolean isToBeRead(RowData key, SideChanges own, SideChanges others) {
        return !others.isEmpty()
                || keepsMatches() && !others.dropped().isEmpty()
                || renewing != null && !isUntouched(own) && renewing.isReadToStore(key);
    }

    /** Whether rows are kept with the number of their matches. */
    boolean keepsMatches() {
        return renewing != null && renewing.keepsMatches();
    }

    /** Whether the changes of a key may be passed over, whatever those of the other side. */
    public static boolean isUntouched(SideChanges changes) {
        return changes.isEmpty() && changes.dropped().isEmpty();
    }

    /** Whether changes that folding has dropped matter all the same, on either side. */
    public boolean isRenewed() {
        return renewing != null;
    }

    /** The rows of the current key, which is one of those that were {@linkplain #load loaded}. */
    public LiveRows loaded(RowData key) throws Exception {
        return loaded.records(key);
    }

    /**
     * Starts a key.
     *
     * @param known the rows before the bundle, null where they are to be read if somebody asks
     */
    public void begin(RowData joinKey, SideChanges changes, @Nullable LiveRows known) {
        this.joinKey = joinKey;
        this.changes = changes;
        this.rows = known;
        this.gone.clear();
        this.matches = toCount(changes.additions());
        this.droppedMatches = toCount(changes.dropped());
    }

    private int[] toCount(List<RowData> some) {
        return renewing != null ? new int[some.size()] : NOT_COUNTED;
    }

    SideChanges changes() {
        return changes;
    }

    List<RowData> retractions() {
        return changes.retractions();
    }

    List<RowData> additions() {
        return changes.additions();
    }

    boolean isChanged() {
        return !changes.isEmpty();
    }

    /** The rows before the bundle, as far as the changes have been gone through. */
    LiveRows rows() throws Exception {
        if (rows == null) {
            rows = loaded.records(joinKey);
            for (List<RowData> some : gone) {
                rows = rows.without(some);
            }
        }
        return rows;
    }

    /** What becomes of the rows that are there before the bundle, for one pass over them. */
    Successors successors() throws Exception {
        return new Successors(changes, identity);
    }

    /** Takes the retracted rows out of {@link #rows}. */
    void retract() throws Exception {
        takeOut(changes.retractions());
    }

    /** Takes the rows that additions replace out of {@link #rows}; what is left stays. */
    void dropReplaced() throws Exception {
        if (upserts) {
            takeOut(changes.additions());
        }
    }

    /** Whether nothing is ever retracted or replaced. */
    boolean isInsertOnly() {
        return insertOnly;
    }

    /** Whether an addition takes the place of the row with its key. */
    boolean upserts() {
        return upserts;
    }

    /** What tells a row, or a change, from others of the key. */
    RowData identityOf(RowData row) throws Exception {
        return identity == null ? Changes.asInsert(row) : identity.getKey(row);
    }

    /** Whether nothing but its fields tells a row from others. */
    boolean hasEqualRows() {
        return identity == null;
    }

    /** How many matches each addition has; to be written if they are kept. */
    int[] matches() {
        return matches;
    }

    /** How many matches each row has had that came and went; likewise. */
    int[] droppedMatches() {
        return droppedMatches;
    }

    /**
     * Goes through the rows that are left in {@link #rows}, and what is stored of their matches.
     */
    void recount(RenewingRecordView.Recount recount) throws Exception {
        renewing.recount(joinKey, gone, recount);
    }

    private void takeOut(List<RowData> some) throws Exception {
        if (some.isEmpty()) {
            return;
        }
        gone.add(some);
        if (rows != null) {
            rows = rows.without(some);
        }
    }

    /** Ends a key: the changes go to the state. */
    public void store() throws Exception {
        rows = null;
        if (renewing != null) {
            renewing.store(
                    joinKey,
                    new SideUpdate(
                            changes.retractions(),
                            changes.additions(),
                            matches,
                            changes.dropped(),
                            droppedMatches));
        } else if (isChanged()) {
            records.apply(joinKey, changes.inOrder());
        }
    }

    /** The rows that are stored of a key, which is the current one, and not the one begun. */
    LiveRows stored(RowData joinKey) throws Exception {
        return records.records(joinKey);
    }

    /**
     * Stores rows of a key, which is the current one, in addition.
     *
     * @param matches of each
     */
    void store(RowData joinKey, List<RowData> rows, int[] matches) throws Exception {
        renewing.store(joinKey, new SideUpdate(List.of(), rows, matches, List.of(), new int[0]));
    }
}
