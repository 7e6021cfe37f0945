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
import io.stateaccel.views.batch.Loadable;
import io.stateaccel.views.batch.Loaded;
import io.stateaccel.views.batch.ReadsAhead;
import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.hotkeys.HotKey;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.RowLogs;
import io.stateaccel.views.join.log.StoredRows;
import io.stateaccel.views.layout.StateLayout;
import io.stateaccel.views.time.Lifetime;
import java.util.ArrayList;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * Rows per key in the order in which they came, as a merged list: what a bundle adds and removes is
 * appended, removals as tombstones, and the list is written anew only when it has become as much
 * garbage as rows or twice as long. Takes the place of the {@code ValueState<List<RowData>>} of
 * Flink's {@code SinkUpsertMaterializer}, which is written as a whole with each row.
 *
 * <p>A key that outgrows {@link RowLog#CHUNK_BYTES} has its records in chunks of about that size,
 * one after the other, of which an append touches the last one. Where rows have no unique key, a
 * bundle that only adds some reads no more than that either. Whatever else is done reads all chunks
 * of the key, and has its rows on the heap meanwhile, as Flink has for each row. Of a key that has
 * not, and whose list the backend keeps in bytes, a bundle that only adds some reads nothing, but
 * when the list has doubled.
 *
 * <p>Rows of a key expire together, a time to live after the last change of the key, as Flink's
 * list does. For that all records of a key are written anew when one of them might expire before
 * the list; as each is written as if a tenth of the time to live later, that is once in that time.
 *
 * <p>Used by one task thread. Every call acts on the key that the operator has set as current.
 */
public final class OrderedRows implements Loadable<OrderedList> {

    /** From how many on a list is written anew when it has become twice as long. */
    private static final int MANY_RECORDS = 32;

    private final RowLog log;
    private final int arity;
    @Nullable private final KeySelector<RowData, RowData> uniqueKey;
    private final Lifetime lifetime;

    /** Those of the current key that have not been read. */
    private final OrderedList.Records unreadRecords =
            new OrderedList.Records() {
                @Override
                public List<RowData> read() throws Exception {
                    stored = 0;
                    return unexpired(log.read(RowLog.FIRST));
                }

                @Override
                public boolean isOnly(BinaryRowData row) throws Exception {
                    return log.isOnly(RowLog.FIRST, row);
                }
            };

    /** Of the key that was asked for last: where its records are if it is a hot one. */
    @Nullable private HotKey hot;

    /** Whether there is anything stored, be it expired. */
    private boolean isStored;

    /** Whether all records live as long as the list if that is changed now. */
    private boolean isFresh;

    /** Bytes of all records, if they have been read. */
    private long stored;

    /**
     * @param arity columns of a row
     * @param uniqueKey extracts what tells rows apart, null where only their fields do
     * @param lifetime of a key's rows after the last change
     */
    OrderedRows(
            RowLog log,
            int arity,
            @Nullable KeySelector<RowData, RowData> uniqueKey,
            Lifetime lifetime) {
        this.log = log;
        this.arity = arity;
        this.uniqueKey = uniqueKey;
        this.lifetime = lifetime;
    }

    /**
     * Opens the state.
     *
     * @param context where it is kept
     * @param type the rows
     * @param uniqueKey extracts what tells rows apart, null where only their fields do
     * @param lifetime of a key's rows after the last change
     * @throws io.stateaccel.views.layout.StateRefusedException when a snapshot holds the state in
     *     another layout
     */
    public static OrderedRows open(
            ViewContext context,
            String stateName,
            InternalTypeInfo<RowData> type,
            @Nullable KeySelector<RowData, RowData> uniqueKey,
            Lifetime lifetime)
            throws Exception {
        RowLog log =
                context.layouts()
                        .open(
                                stateName,
                                StateLayout.ORDERED_LIST,
                                () -> RowLogs.open(context, stateName, type, lifetime, true));
        ReadsAhead.of(context.backend()).keepLists(stateName);
        return new OrderedRows(log, type.toRowSize(), uniqueKey, lifetime);
    }

    @Override
    public Loaded<OrderedList> load(List<RowData> keys) throws Exception {
        log.readAhead(keys);
        return this;
    }

    /** The rows of the current key, good until another key is asked for; never null. */
    @Override
    public OrderedList value() throws Exception {
        isFresh = true;
        stored = 0;
        hot = null;
        long unread = lifetime.isForever() ? log.bytesOf(RowLog.FIRST) : RowLog.UNREAD;
        if (unread > 0) {
            isStored = true;
            stored = unread;
            return new OrderedList(uniqueKey, true, unreadRecords);
        }
        List<RowData> records = unread == 0 ? List.of() : log.read(RowLog.FIRST);
        isStored = !records.isEmpty();
        if (isStored && StoredRows.isMarker(records.get(0))) {
            hot =
                    HotKey.loadAppended(
                            log, arity, records.get(0), records.subList(1, records.size()));
            OrderedList list = new OrderedList(uniqueKey, uniqueKey == null, this::readChunks);
            if (!lifetime.isForever()) {
                list.read();
            }
            return list;
        }
        List<RowData> live = unexpired(records);
        OrderedList list = new OrderedList(uniqueKey, false, () -> live);
        list.read();
        return list;
    }

    private List<RowData> readChunks() throws Exception {
        List<RowData> all = new ArrayList<>();
        boolean hasExpired = false;
        LiveRows.Cursor chunks = hot.rows().open();
        for (List<RowData> chunk = chunks.next(); chunk != null; chunk = chunks.next()) {
            // The last change of the key is at the end of its last chunk.
            hasExpired = unexpired(chunk).isEmpty();
            all.addAll(chunk);
        }
        return hasExpired ? List.of() : all;
    }

    /** What was just read, or nothing if the last change was too long ago. */
    private List<RowData> unexpired(List<RowData> records) {
        stored += StoredRows.bytesOf(records);
        if (lifetime.isForever() || records.isEmpty()) {
            return records;
        }
        for (RowData record : records) {
            isFresh &= log.isFresh(record);
        }
        return log.isOverdue(records.get(records.size() - 1)) ? List.of() : records;
    }

    /**
     * Stores what has become of the list of the current key, if anything has.
     *
     * @param list what {@link #value} has returned
     */
    public void store(OrderedList list) throws Exception {
        if (!list.isChanged()) {
            return;
        }
        if (list.isEmpty()) {
            clear();
            return;
        }
        if (list.isUnread() && hot == null && isToBeRead(StoredRows.bytesOf(list.changes()))) {
            list.read();
        }
        List<RowData> changes = list.changes();
        if (list.isUnread()) {
            append(changes);
            return;
        }
        if (changes.isEmpty() && lifetime.isForever()) {
            return;
        }
        List<RowData> rows = list.rows();
        if (isToBeRewritten(list, StoredRows.bytesOf(rows), changes)) {
            rewrite(rows);
        } else {
            append(changes);
        }
    }

    private void append(List<RowData> changes) throws Exception {
        if (hot != null) {
            hot.append(changes);
        } else {
            log.append(RowLog.FIRST, changes);
        }
    }

    /**
     * Whether what is appended now brings a list to another power of two, or makes it too large. So
     * none has grown more than twofold before somebody looks how much of it is garbage.
     */
    private boolean isToBeRead(long appended) {
        return stored + appended > RowLog.CHUNK_BYTES
                || Long.highestOneBit(stored + appended) > Long.highestOneBit(stored);
    }

    /**
     * Appending costs as many bytes as there are changes, and what it leaves of no more use is read
     * again with the rows.
     */
    private boolean isToBeRewritten(OrderedList list, long rows, List<RowData> changes) {
        long appended = StoredRows.bytesOf(changes);
        boolean hasExpired = isStored && list.records() == 0;
        // What came and went is a change as well, from which on the rows live.
        boolean isRenewal = changes.isEmpty();
        boolean isShort = rows <= 2 * appended;
        boolean isGarbage = stored + appended > 2 * rows;
        boolean outgrowsItsChunk = hot == null && stored + appended > RowLog.CHUNK_BYTES;
        return hasExpired
                || isRenewal
                || !isFresh
                || isShort
                || isGarbage
                || outgrowsItsChunk
                || (hot == null && hasDoubled(list.records(), changes.size()));
    }

    /**
     * Whether many records come to another power of two. What is written then is one value again:
     * RocksDB looks for what was appended one by one at each read.
     */
    private static boolean hasDoubled(int records, int appended) {
        return records + appended >= MANY_RECORDS
                && Integer.highestOneBit(records + appended) > Integer.highestOneBit(records);
    }

    private void rewrite(List<RowData> rows) throws Exception {
        rows.forEach(log::renew);
        if (hot != null) {
            hot.clear();
        }
        if (rows.size() == 1 || StoredRows.bytesOf(rows) <= RowLog.CHUNK_BYTES) {
            log.replace(RowLog.FIRST, rows);
            return;
        }
        HotKey.appended(log, arity, rows.subList(0, 1)).append(rows.subList(1, rows.size()));
    }

    private void clear() throws Exception {
        if (hot != null) {
            hot.clear();
        } else if (isStored) {
            log.replace(RowLog.FIRST, List.of());
        }
    }
}
