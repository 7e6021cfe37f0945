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
package io.stateaccel.views.join.log;

import java.util.Collections;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * The changes appended for the current key, in numbered chunks that are one value each in the
 * backend. An ordinary key has the chunk {@link #FIRST} alone.
 */
public interface RowLog {

    /** Bytes that a chunk is meant to hold. */
    int CHUNK_BYTES = 64 << 10;

    /** The chunk that appends go to unless the key is known to have more. */
    int FIRST = 0;

    /** The bytes of a chunk that has to be read for it. */
    long UNREAD = -1;

    /** What has not expired, oldest first; callers change neither the list nor the rows. */
    List<RowData> read(int chunk) throws Exception;

    /**
     * The bytes of a chunk, 0 if there is none. {@link #UNREAD} where to find them takes as long as
     * {@link #read}, and of one that holds a marker.
     */
    default long bytesOf(int chunk) throws Exception {
        return UNREAD;
    }

    /**
     * Whether a chunk holds this row, of this kind, and nothing else. False wherever {@link
     * #bytesOf} does not tell the bytes.
     *
     * @param row in one segment
     */
    default boolean isOnly(int chunk, BinaryRowData row) throws Exception {
        return false;
    }

    /**
     * Reads the first chunk of these keys ahead, for the next {@link #read} of each.
     *
     * @param keys each once; any of them, or none, is the current key afterwards
     */
    void readAhead(List<RowData> keys) throws Exception;

    /** Appends without reading. */
    void append(int chunk, List<RowData> changes) throws Exception;

    /** Appends rows that the last {@link #read} returned, with the age they have. */
    void move(int chunk, List<RowData> rows) throws Exception;

    /**
     * The chunk now holds these rows and no others; those that the last {@link #read} returned keep
     * their age.
     */
    void replace(int chunk, List<RowData> rows) throws Exception;

    /**
     * As many equal rows in one, see {@link StoredRows#repeated}, for {@link #replace} or {@link
     * #move}.
     *
     * @param youngest of those that the last {@link #read} returned: the others become as young
     */
    RowData repeated(RowData youngest, long count);

    /**
     * Whether one row may expire when another, which is no older, does; of the last {@link #read}.
     */
    default boolean mayBecomeAsYoung(RowData row, RowData younger) {
        return true;
    }

    /** Has a row be as old as one that is appended now, for {@link #replace} or {@link #move}. */
    default void renew(RowData row) {}

    /**
     * Whether appending a row of the last {@link #read} again, now, would have it live no longer.
     */
    default boolean isFresh(RowData row) {
        return true;
    }

    /** Whether a row of the last {@link #read} has outlived its time, by what is allowed. */
    default boolean isOverdue(RowData row) {
        return false;
    }

    /**
     * Makes a marker all that the chunk {@link #FIRST} holds.
     *
     * @return until when rows may be appended without outliving the marker
     */
    default long mark(RowData marker) throws Exception {
        replace(FIRST, Collections.singletonList(marker));
        return Long.MAX_VALUE;
    }

    /** What {@link #mark} returned for a marker that the last {@link #read} returned. */
    default long markedUntil(RowData marker) {
        return Long.MAX_VALUE;
    }

    /** Whether what is appended now is covered by a marker until then. */
    default boolean isMarked(long markedUntil) {
        return true;
    }

    /** Whether a marker until then has expired, and all rows that it covered. */
    default boolean hasExpired(long markedUntil) {
        return false;
    }
}
