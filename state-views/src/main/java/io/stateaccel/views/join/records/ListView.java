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

import io.stateaccel.views.join.LiveRows;
import io.stateaccel.views.join.LoadedRecords;
import io.stateaccel.views.join.MergedRecordView;
import io.stateaccel.views.join.hotkeys.HotKey;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.StoredRows;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;

/**
 * Rows of a join key as a merged list: one value per key, appended to with the backend's merge
 * operation.
 *
 * <p>A key that outgrows {@link RowLog#CHUNK_BYTES} becomes <em>hot</em>: its rows are spread over
 * chunks of about that size. No key needs a look-up before it is appended to: {@link KeySketch}
 * tells when so much has been appended to it (or to a key that shares its counter) that it must be
 * looked at, which is one read per {@link RowLog#CHUNK_BYTES}; a hot key is known by a marker in
 * its list. Whatever is read reveals the same for nothing.
 *
 * <p>Values stay within a small multiple of {@link RowLog#CHUNK_BYTES}, or of the largest row. Heap
 * beyond the rows being joined: one chunk per side, and what {@value #HOT_KEYS_IN_HEAP} hot keys
 * cost, eight bytes per chunk; together some MiB.
 */
abstract class ListView implements MergedRecordView {

    private static final int HOT_KEYS_IN_HEAP = 64;

    /** Rows of a list whose size in bytes is worth a look when it is read. */
    private static final int MANY_ROWS = 32;

    final RowLog log;

    private final KeySketch appendedBytes = new KeySketch(RowLog.CHUNK_BYTES);
    private final Map<RowData, HotKey> hotKeys =
            new LinkedHashMap<>(16, 0.75f, true) {
                @Override
                protected boolean removeEldestEntry(Map.Entry<RowData, HotKey> eldest) {
                    return size() > HOT_KEYS_IN_HEAP;
                }
            };

    /** The live rows of the ordinary key that was read last. */
    private List<RowData> lookedAt = List.of();

    /** Whose these are, until something is stored of any key. */
    @Nullable private RowData lookedAtKey;

    ListView(RowLog log) {
        this.log = log;
    }

    @Override
    public final LoadedRecords load(List<RowData> joinKeys) throws Exception {
        lookedAtKey = null;
        List<RowData> ordinary = joinKeys;
        if (!hotKeys.isEmpty()) {
            ordinary = new ArrayList<>(joinKeys);
            ordinary.removeAll(hotKeys.keySet());
        }
        log.readAhead(ordinary);
        return this;
    }

    @Override
    public final LiveRows records(RowData joinKey) throws Exception {
        HotKey hot = lookOnce(joinKey);
        if (hot != null) {
            return hotRows(joinKey, hot);
        }
        List<RowData> live = lookedAt;
        return live.isEmpty() ? LiveRows.NONE : ordinary(live);
    }

    /**
     * Reads a key that is not known to be hot.
     *
     * @return null if it is an ordinary one, whose rows {@link #lookedAt} has then
     */
    @Nullable
    final HotKey look(RowData joinKey) throws Exception {
        HotKey hot = hotKey(joinKey);
        if (hot != null) {
            return hot;
        }
        List<RowData> stored = log.read(RowLog.FIRST);
        if (isMarked(stored)) {
            return load(joinKey, stored);
        }
        List<RowData> live = compact(joinKey, stored, false);
        if (live.size() >= MANY_ROWS && StoredRows.bytesOf(live) > RowLog.CHUNK_BYTES) {
            return split(joinKey, live);
        }
        lookedAt = live;
        lookedAtKey = joinKey;
        return null;
    }

    /** As {@link #look}, but for a key that is the last to have been read, since its last load. */
    @Nullable
    final HotKey lookOnce(RowData joinKey) throws Exception {
        return joinKey == lookedAtKey ? null : look(joinKey);
    }

    @Override
    public void apply(RowData joinKey, List<RowData> changes) throws Exception {
        append(joinKey, changes, normalise(changes));
    }

    /**
     * Appends without a look at what is stored, unless one is due.
     *
     * @param changes as they are stored
     * @param garbage how many stored changes they make useless, themselves included, at most
     */
    final void append(RowData joinKey, List<RowData> changes, int garbage) throws Exception {
        lookedAtKey = null;
        HotKey hot = hotKey(joinKey);
        if (hot == null) {
            int bytes = (int) Math.min(1 << 30, StoredRows.bytesOf(changes));
            if (appendedBytes.add(joinKey, bytes)) {
                hot = lookAt(joinKey, bytes, false);
            }
        }
        if (hot != null) {
            hot.append(changes);
            return;
        }
        log.append(RowLog.FIRST, changes);
        if (garbage > 0 && garbageIsDue(joinKey, garbage)) {
            lookAt(joinKey, 0, true);
        }
    }

    /**
     * Stores rows of a key that {@link #look} has found to be an ordinary one, in place of what it
     * has read.
     */
    final void replace(RowData joinKey, List<RowData> live) throws Exception {
        lookedAtKey = null;
        if (live.size() >= MANY_ROWS && StoredRows.bytesOf(live) > RowLog.CHUNK_BYTES) {
            split(joinKey, live);
        } else {
            log.replace(RowLog.FIRST, live);
        }
    }

    /** Takes all rows of a key away, and what else is stored of it. */
    final void clear(RowData joinKey) throws Exception {
        HotKey hot = lookOnce(joinKey);
        lookedAtKey = null;
        if (hot == null) {
            log.replace(RowLog.FIRST, List.of());
        } else {
            hot.clear();
            hotKeys.remove(joinKey);
        }
    }

    /** The live rows of the ordinary key that {@link #look} has read last. */
    final List<RowData> lookedAt() {
        return lookedAt;
    }

    /** Returns null if the key is not known to be hot. */
    @Nullable
    final HotKey hotKey(RowData joinKey) {
        HotKey hot = hotKeys.isEmpty() ? null : hotKeys.get(joinKey);
        if (hot != null && hot.hasExpired()) {
            hotKeys.remove(joinKey);
            return null;
        }
        return hot;
    }

    private LiveRows hotRows(RowData joinKey, HotKey hot) throws Exception {
        if (hot.tidy()) {
            return hot.rows();
        }
        hotKeys.remove(joinKey);
        return LiveRows.NONE;
    }

    /** Returns null if the key is an ordinary one and stays so with this much appended. */
    private HotKey lookAt(RowData joinKey, int incoming, boolean garbageIsDue) throws Exception {
        List<RowData> stored = log.read(RowLog.FIRST);
        if (isMarked(stored)) {
            return load(joinKey, stored);
        }
        List<RowData> live = compact(joinKey, stored, garbageIsDue);
        long free = RowLog.CHUNK_BYTES - StoredRows.bytesOf(live) - incoming;
        if (free < 0) {
            return split(joinKey, live);
        }
        appendedBytes.allow(joinKey, (int) free);
        return null;
    }

    private HotKey load(RowData joinKey, List<RowData> stored) throws Exception {
        HotKey hot = loadHot(stored.get(0), stored.subList(1, stored.size()));
        remember(joinKey, hot);
        return hot;
    }

    private HotKey split(RowData joinKey, List<RowData> live) throws Exception {
        HotKey hot = makeHot(live);
        remember(joinKey, hot);
        return hot;
    }

    private void remember(RowData joinKey, HotKey hot) {
        hotKeys.put(joinKey, hot);
        appendedBytes.allow(joinKey, RowLog.CHUNK_BYTES);
    }

    private static boolean isMarked(List<RowData> stored) {
        return !stored.isEmpty() && StoredRows.isMarker(stored.get(0));
    }

    /**
     * Makes the changes {@code +I} and {@code -D}.
     *
     * @return how many stored changes they make useless, themselves included, at most
     */
    abstract int normalise(List<RowData> changes);

    /** Whether so many more useless changes are a reason to look at the key. */
    abstract boolean garbageIsDue(RowData joinKey, int garbage);

    /**
     * The live rows of an ordinary key, stored without the rest if that has become too much.
     *
     * @param stored what has just been read
     * @param due whether to store them if there is anything to drop at all
     */
    abstract List<RowData> compact(RowData joinKey, List<RowData> stored, boolean due)
            throws Exception;

    /** Live rows of an ordinary key for whoever joins. */
    abstract LiveRows ordinary(List<RowData> live);

    /**
     * @param marker just read
     * @param misplaced rows and tombstones behind the marker, just read
     */
    abstract HotKey loadHot(RowData marker, List<RowData> misplaced) throws Exception;

    /**
     * Spreads an ordinary key over chunks.
     *
     * @param live its rows, of those just read
     */
    abstract HotKey makeHot(List<RowData> live) throws Exception;
}
