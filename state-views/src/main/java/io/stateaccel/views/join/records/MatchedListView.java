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

import io.stateaccel.views.join.Changes;
import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.RenewingRecordView;
import io.stateaccel.views.join.fold.EntryFold;
import io.stateaccel.views.join.hotkeys.HotKey;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.StoredRows;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;

/**
 * Rows that are kept with the number of their matches, as a merged list of entries (see {@link
 * StoredRows#entry}): what changes of a row, its matches too, is appended as another entry that
 * takes the place of the one before.
 *
 * <p>A row with a unique key is appended blind. Of equal rows without one there is one entry, so
 * they are read before that, but for rows of which {@link KnownRows} says that there is none like
 * them.
 */
final class MatchedListView extends FoldedListView implements RenewingRecordView {

    private final EntryFold fold;
    private final boolean keyed;
    @Nullable private final KnownRows known;

    /** Entries of the current key that are to be appended, by their rows. */
    private final Map<RowData, RowData> recounted = new LinkedHashMap<>();

    /**
     * @param keyed whether the rows have a unique key, by which the fold knows them
     * @param insertOnly whether nothing is retracted
     * @param arity columns of a row
     */
    MatchedListView(RowLog log, EntryFold fold, boolean keyed, boolean insertOnly, int arity) {
        super(log, fold, arity);
        this.fold = fold;
        this.keyed = keyed;
        this.known = insertOnly && !keyed ? new KnownRows() : null;
    }

    @Override
    LiveRows ordinary(List<RowData> live) {
        return new Entries(live);
    }

    @Override
    public boolean keepsMatches() {
        return true;
    }

    @Override
    public boolean isReadToStore(RowData joinKey) {
        return !keyed && (known == null || !known.isKnown(joinKey));
    }

    @Override
    public void recount(RowData joinKey, List<List<RowData>> gone, Recount recount)
            throws Exception {
        HotKey hot = lookOnce(joinKey);
        if (hot != null) {
            hot.update(live -> recounted(live, gone, recount));
            return;
        }
        for (RowData entry : recounted(lookedAt(), gone, recount)) {
            recounted.put(StoredRows.fieldsOf(entry), entry);
        }
    }

    /** The entries whose number of matches, or age, is another than before. */
    private List<RowData> recounted(List<RowData> live, List<List<RowData>> gone, Recount recount)
            throws Exception {
        int[] counts = fold.countsWithout(live, gone);
        List<RowData> entries = new ArrayList<>();
        for (int i = 0; i < counts.length; i++) {
            if (counts[i] == 0) {
                continue;
            }
            RowData entry = live.get(i);
            RowData row = StoredRows.fieldsOf(entry);
            int before = StoredRows.matchesOf(entry);
            int matches = recount.matches(row, counts[i], before);
            if (matches != UNTOUCHED && (matches != before || !log.isFresh(entry))) {
                entries.add(
                        StoredRows.entry(row, Math.toIntExact(StoredRows.countOf(entry)), matches));
            }
        }
        return entries;
    }

    @Override
    public void apply(RowData joinKey, List<RowData> changes) throws Exception {
        RenewingRecordView.super.apply(joinKey, changes);
    }

    @Override
    public void store(RowData joinKey, SideUpdate update) throws Exception {
        List<RowData> records = new ArrayList<>();
        if (keyed) {
            records.addAll(recounted.values());
            update.retractions().forEach(row -> records.add(tombstone(row)));
            for (int i = 0; i < update.additions().size(); i++) {
                records.add(
                        StoredRows.entry(
                                Changes.asInsert(update.additions().get(i)),
                                1,
                                update.matches()[i]));
            }
        } else if (update.isEmpty()) {
            records.addAll(recounted.values());
        } else {
            addEqualRows(joinKey, update, records);
        }
        recounted.clear();
        if (!records.isEmpty()) {
            append(joinKey, records, garbageOf(records));
        }
    }

    private int garbageOf(List<RowData> records) {
        int garbage = 0;
        for (RowData record : records) {
            garbage += fold.garbageOf(record);
        }
        return garbage;
    }

    private static RowData tombstone(RowData row) {
        row.setRowKind(RowKind.DELETE);
        return row;
    }

    /**
     * @param records takes what is to be appended to an ordinary key; a hot one has it already
     */
    private void addEqualRows(RowData joinKey, SideUpdate update, List<RowData> records)
            throws Exception {
        Map<RowData, EqualRows> changes = EqualRows.of(update);
        if (known != null && known.addNew(joinKey, update.additions())) {
            records.addAll(recounted.values());
            changes.forEach((row, rows) -> rows.addTo(records, row, 0, 0));
            return;
        }
        HotKey hot = lookOnce(joinKey);
        if (hot != null) {
            hot.updateOf(
                    new ArrayList<>(changes.keySet()),
                    (live, rows) -> {
                        List<RowData> changed = new ArrayList<>();
                        change(live, rows, changes, changed);
                        return changed;
                    });
            return;
        }
        if (known != null && !known.isKnown(joinKey)) {
            KnownRows.Learning learning = known.learn(joinKey);
            learning.add(lookedAt());
            learning.addNew(update.additions());
            learning.finish();
        }
        change(lookedAt(), changes.keySet(), changes, records);
        changes.keySet().forEach(recounted::remove);
        records.addAll(recounted.values());
    }

    /**
     * @param live entries
     * @param rows those whose entries change
     * @param records takes what they change to
     */
    private void change(
            List<RowData> live,
            Collection<RowData> rows,
            Map<RowData, EqualRows> changes,
            List<RowData> records) {
        Map<RowData, RowData> entries = new HashMap<>();
        for (RowData entry : live) {
            RowData row = StoredRows.fieldsOf(entry);
            if (changes.containsKey(row)) {
                entries.put(row, recounted.getOrDefault(row, entry));
            }
        }
        for (RowData row : rows) {
            RowData entry = entries.get(row);
            changes.get(row)
                    .addTo(
                            records,
                            row,
                            entry == null ? 0 : Math.toIntExact(StoredRows.countOf(entry)),
                            entry == null ? 0 : StoredRows.matchesOf(entry));
        }
    }

    /** What becomes of rows with the same fields. */
    private static final class EqualRows {
        private int retracted;
        private int added;

        /** Whether any was there, so that there is another number of matches. */
        private boolean renewed;

        private int matches;

        static Map<RowData, EqualRows> of(SideUpdate update) {
            Map<RowData, EqualRows> all = new LinkedHashMap<>();
            for (RowData row : update.retractions()) {
                of(row, all).retracted++;
            }
            for (int i = 0; i < update.renewals().size(); i++) {
                of(update.renewals().get(i), all).renew(update.renewedMatches()[i]);
            }
            for (int i = 0; i < update.additions().size(); i++) {
                EqualRows rows = of(update.additions().get(i), all);
                rows.added++;
                rows.renew(update.matches()[i]);
            }
            return all;
        }

        private static EqualRows of(RowData row, Map<RowData, EqualRows> all) {
            return all.computeIfAbsent(Changes.asInsert(row), key -> new EqualRows());
        }

        private void renew(int matches) {
            this.renewed = true;
            this.matches = matches;
        }

        void addTo(List<RowData> records, RowData row, int countBefore, int matchesBefore) {
            int left = Math.max(0, countBefore - retracted);
            int count = left + added;
            boolean isWritten =
                    added > 0 || left > 0 && renewed || countBefore > 0 && retracted > 0;
            if (!isWritten) {
                return;
            }
            records.add(
                    count == 0
                            ? tombstone(((BinaryRowData) row).copy())
                            : StoredRows.entry(row, count, renewed ? matches : matchesBefore));
        }
    }

    /** Rows of an ordinary key. */
    private final class Entries implements LiveRows {
        private final List<RowData> live;

        Entries(List<RowData> live) {
            this.live = live;
        }

        @Override
        public Cursor open() {
            return StoredRows.unpack(live)::poll;
        }

        @Override
        public LiveRows without(List<RowData> changes) throws Exception {
            return changes.isEmpty() ? this : new Entries(fold.without(live, changes));
        }
    }
}
