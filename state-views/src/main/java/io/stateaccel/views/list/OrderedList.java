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

import io.stateaccel.views.join.Changes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;

/**
 * The rows of one key in the order in which they came, on the heap while a bundle is worked off:
 * what is stored, and what the bundle makes of it. Changes as the list of Flink's {@code
 * SinkUpsertMaterializer} does.
 *
 * <p>Rows are the same if they have the same unique key or, where they have none, the same bytes,
 * as in Flink. All rows that are given and returned are of kind {@code +I}.
 *
 * <p>Valid until {@link OrderedRows#store}. Used by the task thread.
 */
public final class OrderedList {

    @Nullable private final KeySelector<RowData, RowData> uniqueKey;

    /** Whether rows are added with nothing read, as long as nothing else is done. */
    private final boolean addsUnread;

    /** Reads what is stored, if that has not been necessary so far; null once it is read. */
    @Nullable private Records stored;

    /** Rows that were added while nothing was read. */
    private final List<RowData> unread = new ArrayList<>(1);

    /** What can be found by its identity: the first of what is the same. */
    private Map<RowData, Node> nodes = new HashMap<>(4);

    @Nullable private Node first;
    @Nullable private Node last;
    private int size;

    /** Rows as which stored ones have gone, in that order. */
    private final List<RowData> gone = new ArrayList<>(1);

    private int records;
    private boolean changed;

    /**
     * @param uniqueKey extracts what tells rows apart, null where only their fields do
     * @param addsUnread whether rows are added with nothing read, as long as nothing else is done;
     *     of those with the same unique key the last one is in the place of the first
     * @param stored the records that are stored
     */
    OrderedList(
            @Nullable KeySelector<RowData, RowData> uniqueKey, boolean addsUnread, Records stored) {
        this.uniqueKey = uniqueKey;
        this.addsUnread = addsUnread;
        this.stored = stored;
    }

    /** Reads what is stored, and has the rows that were added meanwhile behind it. */
    void read() throws Exception {
        if (stored == null) {
            return;
        }
        List<RowData> all = stored.read();
        stored = null;
        records = all.size();
        nodes = new HashMap<>(2 * records + 2);
        for (RowData record : all) {
            // A snapshot of a heap backend may be taken while a row is emitted as another kind.
            RowData row = Changes.asInsert(record);
            if (RowDataUtil.isAccumulateMsg(record)) {
                put(row, true);
            } else {
                take(row);
            }
        }
        for (RowData row : unread) {
            put(row, false);
        }
        unread.clear();
    }

    /** Whether there is no row. */
    public boolean isEmpty() {
        return size == 0 && unread.isEmpty() && stored == null;
    }

    /**
     * Adds a row at the end, or in the place of the one with the same unique key.
     *
     * @param row belongs to the list from now on
     */
    public void add(BinaryRowData row) throws Exception {
        changed = true;
        if (stored != null && addsUnread) {
            unread.add(row);
            return;
        }
        read();
        put(row, false);
    }

    /**
     * Removes the first row that is the same.
     *
     * @param row belongs to the list from now on
     */
    public Removal remove(BinaryRowData row) throws Exception {
        if (stored != null && unread.isEmpty() && stored.isOnly(row)) {
            stored = null;
            records = 1;
            changed = true;
            gone.add(row);
            return Removal.LAST;
        }
        read();
        Node lastBefore = last;
        Node node = take(row);
        if (node == null) {
            return Removal.NOT_FOUND;
        }
        changed = true;
        if (node.isStored) {
            gone.add(row);
        }
        return node == lastBefore ? Removal.LAST : Removal.OTHER;
    }

    /** The last of the rows, of which there have to be some. */
    public RowData last() throws Exception {
        read();
        return last.row;
    }

    /** The records of a list where they are stored. */
    interface Records {

        /** All of them, rows and tombstones, oldest first. */
        List<RowData> read() throws Exception;

        /**
         * Whether this row, byte for byte, is all that is stored, if that can be said with no
         * record decoded.
         */
        default boolean isOnly(BinaryRowData row) throws Exception {
            return false;
        }
    }

    /** What became of a row that was to be removed. */
    public enum Removal {
        /** There was no such row. */
        NOT_FOUND,
        /** It was the last one; there may be no others. */
        LAST,
        /** It was another one. */
        OTHER
    }

    /** Whether anything was added or removed, even if nothing is left of that. */
    boolean isChanged() {
        return changed;
    }

    /** Whether nothing of what is stored has been read. */
    boolean isUnread() {
        return stored != null;
    }

    /** How many records are stored, if they have been read. */
    int records() {
        return records;
    }

    /** All rows, if those that are stored have been read. */
    List<RowData> rows() {
        List<RowData> rows = new ArrayList<>(size);
        for (Node node = first; node != null; node = node.next) {
            rows.add(node.row);
        }
        return rows;
    }

    /**
     * What is to be appended to the stored records so that they come to the rows.
     *
     * <p>Tombstones come first. None of them finds another row than it is meant for: of equal rows
     * the first goes first, so what is stored goes before what was added.
     */
    List<RowData> changes() {
        if (stored != null) {
            return unread;
        }
        List<RowData> changes = new ArrayList<>(gone.size() + 1);
        for (RowData row : gone) {
            row.setRowKind(RowKind.DELETE);
            changes.add(row);
        }
        for (Node node = first; node != null; node = node.next) {
            if (node.isNew) {
                changes.add(node.row);
            }
        }
        return changes;
    }

    private RowData identityOf(RowData row) throws Exception {
        return uniqueKey == null ? row : uniqueKey.getKey(row);
    }

    private void put(RowData row, boolean isStored) throws Exception {
        Node node = new Node(row, isStored);
        Node same = nodes.putIfAbsent(identityOf(row), node);
        if (same != null && uniqueKey != null) {
            same.row = row;
            same.isNew = !isStored;
            return;
        }
        if (same != null) {
            same.lastSame.nextSame = node;
            same.lastSame = node;
        }
        node.previous = last;
        if (last == null) {
            first = node;
        } else {
            last.next = node;
        }
        last = node;
        size++;
    }

    @Nullable
    private Node take(RowData row) throws Exception {
        RowData identity = identityOf(row);
        Node node = nodes.remove(identity);
        if (node == null) {
            return null;
        }
        if (node.nextSame != null) {
            node.nextSame.lastSame = node.lastSame;
            nodes.put(identity, node.nextSame);
        }
        if (node.previous == null) {
            first = node.next;
        } else {
            node.previous.next = node.next;
        }
        if (node.next == null) {
            last = node.previous;
        } else {
            node.next.previous = node.previous;
        }
        size--;
        return node;
    }

    /** A place in the list. */
    private static final class Node {
        private RowData row;

        /** Whether a row is stored in this place, be it another one. */
        private final boolean isStored;

        /** Whether the row is not stored. */
        private boolean isNew;

        @Nullable private Node previous;
        @Nullable private Node next;

        /** Of the rows that are the same, in order. */
        @Nullable private Node nextSame;

        /** The last of those; kept by the first. */
        private Node lastSame = this;

        Node(RowData row, boolean isStored) {
            this.row = row;
            this.isStored = isStored;
            this.isNew = !isStored;
        }
    }
}
