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
package io.stateaccel.views.join.temporal;

import io.stateaccel.views.ViewContext;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.RowLogs;
import io.stateaccel.views.join.log.StoredRows;
import io.stateaccel.views.join.records.KeySketch;
import io.stateaccel.views.layout.StateLayout;
import io.stateaccel.views.time.TimeToLive;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.types.RowKind;

/**
 * The rows of one input of a row-time temporal join per key, in the order in which they came and
 * with their kinds: a merged list that rows are appended to blind and that is read as a whole when
 * a watermark has passed one of them. Whoever goes through it says what is of no more use, which is
 * dropped by a <em>mark</em> behind it, and by writing the list anew once that is half of it.
 *
 * <p>What outgrows {@link RowLog#CHUNK_BYTES} moves to chunks of about that size, one after the
 * other, whose numbers and first times are in a <em>directory</em> at the beginning of the list.
 * Appends go on to the list itself, so that nobody has to know whether a key has chunks; a sketch
 * on the heap tells when so much has come that the list needs a look. A key with chunks has no
 * marks: what has rows that are of no more use is written anew, which is as much as a chunk each.
 *
 * <p>Used by one task thread. Every call acts on the key that the operator has set as current.
 */
abstract class TimedRows {

    /** The first number of a marker. */
    private static final long DIRECTORY = 0;

    private static final long MARK = 1;

    final RowLog log;

    private final int arity;
    private final int timeColumn;
    private final KeySketch appendedBytes = new KeySketch(RowLog.CHUNK_BYTES);

    /** Of the key that was read last, in the order in which their rows came. */
    private List<Chunk> chunks = new ArrayList<>();

    /** What its list holds behind the directory: rows and marks. */
    private List<RowData> records = List.of();

    private boolean isDirectoryChanged;

    TimedRows(RowLog log, InternalTypeInfo<RowData> type, int timeColumn) {
        this.log = log;
        this.arity = type.toRowSize();
        this.timeColumn = timeColumn;
    }

    static RowLog open(ViewContext context, String stateName, InternalTypeInfo<RowData> type)
            throws Exception {
        return context.layouts()
                .open(
                        stateName,
                        StateLayout.TIMED_LIST,
                        () ->
                                RowLogs.open(
                                        context,
                                        stateName,
                                        type,
                                        context.lifetime(TimeToLive.FOREVER),
                                        false));
    }

    /**
     * Reads these keys ahead, for the next visit of each.
     *
     * @param keys each once; any of them, or none, is the current key afterwards
     */
    public final void load(List<RowData> keys) throws Exception {
        log.readAhead(keys);
    }

    /**
     * Appends rows, without reading unless the key may need chunks.
     *
     * @param key the current one
     * @param rows {@code BinaryRowData}, not empty; they belong to the state from now on
     */
    public final void append(RowData key, List<RowData> rows) throws Exception {
        List<RowData> stored = new ArrayList<>(rows.size());
        for (RowData row : rows) {
            stored.add(toRecord(row));
        }
        log.append(RowLog.FIRST, stored);
        int bytes = (int) Math.min(1 << 30, StoredRows.bytesOf(stored));
        if (appendedBytes.add(key, bytes)) {
            read();
            appendedBytes.allow(key, Math.max(0, RowLog.CHUNK_BYTES - (int) storeLive()));
        }
    }

    /** Drops all rows of the current key. */
    public final void clear() throws Exception {
        read();
        for (Chunk chunk : chunks) {
            log.replace(chunk.number, List.of());
        }
        log.replace(RowLog.FIRST, List.of());
    }

    /** Reads the list of the current key, but none of its chunks. */
    final void read() throws Exception {
        chunks = new ArrayList<>();
        isDirectoryChanged = false;
        records = log.read(RowLog.FIRST);
        if (!records.isEmpty() && isMarker(records.get(0), DIRECTORY)) {
            long[] numbers = StoredRows.valuesOf(records.get(0));
            for (int i = 1; i < numbers.length; i += 2) {
                chunks.add(new Chunk((int) numbers[i], numbers[i + 1], false));
            }
            records = records.subList(1, records.size());
        }
    }

    /** What the list holds beside chunks: rows, and marks, in the order in which they came. */
    final List<RowData> records() {
        return records;
    }

    /** How many chunks there are, for {@link #readChunk}; what is replaced by nothing stays one. */
    final int chunks() {
        return chunks.size();
    }

    /** The first time in a chunk, {@code Long.MAX_VALUE} if it has become empty. */
    final long firstTimeOfChunk(int index) {
        return chunks.get(index).firstTime;
    }

    final List<RowData> readChunk(int index) throws Exception {
        return log.read(chunks.get(index).number);
    }

    final void replaceChunk(int index, List<RowData> rows) throws Exception {
        int number = chunks.get(index).number;
        log.replace(number, rows);
        chunks.set(index, new Chunk(number, firstTimeOf(rows), rows.isEmpty()));
        isDirectoryChanged = true;
    }

    /**
     * Stores what is left of the list, once chunks have been replaced.
     *
     * @param live its records that are still of use, of those just read
     * @param watermark drops others of them by a mark
     * @param drops whether it drops any
     */
    final void store(List<RowData> live, long watermark, boolean drops) throws Exception {
        long liveBytes = StoredRows.bytesOf(live);
        long allBytes = StoredRows.bytesOf(records);
        boolean isGarbage = !records.isEmpty() && 2 * liveBytes <= allBytes;
        boolean isTooLong = records.size() > 1 && allBytes > RowLog.CHUNK_BYTES;
        if (isDirectoryChanged || isGarbage || isTooLong || (drops && !chunks.isEmpty())) {
            rewrite(live);
        } else if (drops) {
            log.append(RowLog.FIRST, List.of(StoredRows.marker(arity, MARK, watermark)));
        }
    }

    /**
     * Stores the live rows of a list that has just been read, in a chunk if they need one.
     *
     * @return bytes of the list
     */
    private long storeLive() throws Exception {
        List<RowData> live = liveRecords();
        long bytes = StoredRows.bytesOf(live);
        if (bytes <= RowLog.CHUNK_BYTES && live.size() == records.size()) {
            return bytes;
        }
        return StoredRows.bytesOf(rewrite(live));
    }

    /**
     * Moves what is too much for the list to chunks, full ones, and writes the list.
     *
     * @return the rows that the list has
     */
    private List<RowData> rewrite(List<RowData> live) throws Exception {
        chunks.removeIf(Chunk::isEmpty);
        int from = 0;
        int bytes = 0;
        for (int i = 0; i < live.size(); i++) {
            int more = StoredRows.bytesOf(live.get(i));
            if (i > from && bytes + more > RowLog.CHUNK_BYTES) {
                addChunk(live.subList(from, i));
                from = i;
                bytes = 0;
            }
            bytes += more;
        }
        List<RowData> rest = live.subList(from, live.size());
        List<RowData> list = new ArrayList<>(rest.size() + 1);
        if (!chunks.isEmpty()) {
            list.add(directory());
        }
        list.addAll(rest);
        log.replace(RowLog.FIRST, list);
        return rest;
    }

    private void addChunk(List<RowData> rows) throws Exception {
        int last = chunks.isEmpty() ? RowLog.FIRST : chunks.get(chunks.size() - 1).number;
        log.replace(last + 1, rows);
        chunks.add(new Chunk(last + 1, firstTimeOf(rows), false));
    }

    private RowData directory() {
        long[] numbers = new long[1 + 2 * chunks.size()];
        numbers[0] = DIRECTORY;
        for (int i = 0; i < chunks.size(); i++) {
            numbers[1 + 2 * i] = chunks.get(i).number;
            numbers[2 + 2 * i] = chunks.get(i).firstTime;
        }
        return StoredRows.marker(arity, numbers);
    }

    /** The rows of {@link #records} that are still of use, in the order in which they came. */
    abstract List<RowData> liveRecords();

    final long timeOf(RowData record) {
        return record.getLong(timeColumn);
    }

    private long firstTimeOf(List<RowData> rows) {
        long first = Long.MAX_VALUE;
        for (int i = 0; i < rows.size(); i++) {
            first = Math.min(first, timeOf(rows.get(i)));
        }
        return first;
    }

    final boolean isMark(RowData record) {
        return isMarker(record, MARK);
    }

    /** The watermark of a mark. */
    static long watermarkOf(RowData mark) {
        return StoredRows.valuesOf(mark)[1];
    }

    private static boolean isMarker(RowData record, long type) {
        return StoredRows.isMarker(record) && StoredRows.valuesOf(record)[0] == type;
    }

    /** Any kind but {@code +I} is kept behind the row, as other kinds of records are no rows. */
    private static RowData toRecord(RowData row) {
        RowKind kind = row.getRowKind();
        if (kind == RowKind.INSERT) {
            return row;
        }
        row.setRowKind(RowKind.INSERT);
        return StoredRows.repeated(row, kind.toByteValue());
    }

    /** A row as it came. */
    static RowData toRow(RowData record) {
        if (!StoredRows.isRepeated(record)) {
            return record;
        }
        BinaryRowData row = (BinaryRowData) StoredRows.once(record);
        row.setRowKind(RowKind.fromByteValue((byte) StoredRows.countOf(record)));
        return row;
    }

    /**
     * Some of a key's rows.
     *
     * @param firstTime the least of theirs, {@code Long.MAX_VALUE} if there are none
     * @param isEmpty whether nothing is there any more
     */
    private record Chunk(int number, long firstTime, boolean isEmpty) {}
}
