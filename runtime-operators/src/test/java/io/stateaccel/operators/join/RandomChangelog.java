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
package io.stateaccel.operators.join;

import io.stateaccel.views.join.InputChangelog;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;

/**
 * A valid changelog of one side: nothing is retracted that is not there or has expired, unique keys
 * hold.
 */
public final class RandomChangelog {

    private static final int KEYS = 6;

    private final JoinCase.Side side;
    private final String hotKey;
    private final Random random;
    private final ExpiringRows live;
    private final Deque<BinaryRowData> changes = new ArrayDeque<>();
    private long nextId;
    private long now;

    /**
     * @param ttl milliseconds a row lives, 0 for ever
     */
    RandomChangelog(JoinCase.Side side, long ttl, String hotKey, Random random) {
        this.side = side;
        this.hotKey = hotKey;
        this.random = random;
        this.live = new ExpiringRows(ttl);
    }

    /** A changelog of rows that never expire, which does not end within an update. */
    public static List<BinaryRowData> of(
            JoinCase.Side side, String hotKey, Random random, int atLeast) {
        RandomChangelog changelog = new RandomChangelog(side, 0, hotKey, random);
        List<BinaryRowData> changes = new ArrayList<>();
        while (changes.size() < atLeast || changelog.isUpdating()) {
            changes.add(changelog.next(0));
        }
        return changes;
    }

    /** Whether the last change was a {@code -U}, so that the next one is its {@code +U}. */
    boolean isUpdating() {
        return !changes.isEmpty();
    }

    /**
     * @param millis the time, which does not change within an update
     */
    BinaryRowData next(long millis) {
        now = millis;
        if (changes.isEmpty()) {
            step();
        }
        return changes.poll();
    }

    private void step() {
        List<BinaryRowData> rows = live.rows(now);
        int what = side.changelog() == InputChangelog.INSERT_ONLY ? 0 : random.nextInt(10);
        if (what < 4 || rows.isEmpty()) {
            insert(rows);
        } else if (what < 8) {
            update(rows.get(random.nextInt(rows.size())));
        } else {
            remove(RowKind.DELETE, rows.get(random.nextInt(rows.size())));
        }
    }

    private void insert(List<BinaryRowData> rows) {
        String key = randomKey();
        if (side.uniqueKey() == JoinCase.UniqueKey.JOIN_KEY) {
            String taken = key;
            if (rows.stream().anyMatch(row -> sameKey(row, taken))) {
                key = "new-" + nextId;
            }
        }
        // Few values and, without a unique key, few ids: equal rows are frequent.
        long id = side.uniqueKey() == JoinCase.UniqueKey.NONE ? random.nextInt(3) : nextId++;
        add(RowKind.INSERT, JoinCase.row(key, id, random.nextInt(4)));
    }

    private void update(BinaryRowData old) {
        String key = old.isNullAt(JoinCase.KEY) ? null : old.getString(JoinCase.KEY).toString();
        BinaryRowData updated =
                JoinCase.row(
                        !side.keyMoves() || random.nextBoolean() ? key : randomKey(),
                        old.getLong(JoinCase.ID),
                        random.nextInt(4));
        if (side.changelog() == InputChangelog.RETRACT) {
            remove(RowKind.UPDATE_BEFORE, old);
        } else {
            live.remove(old, now);
        }
        add(RowKind.UPDATE_AFTER, updated);
    }

    private void add(RowKind kind, BinaryRowData row) {
        live.add(row, now);
        change(kind, row);
    }

    private void remove(RowKind kind, BinaryRowData row) {
        live.remove(row, now);
        change(kind, row);
    }

    private void change(RowKind kind, BinaryRowData row) {
        BinaryRowData change = row.copy();
        change.setRowKind(kind);
        changes.add(change);
    }

    /** A hot key, some others, NULL. */
    private String randomKey() {
        int i = random.nextInt(KEYS * 2);
        if (i == 0) {
            return null;
        }
        return i < KEYS ? "key-number-" + i : hotKey;
    }

    private static boolean sameKey(BinaryRowData row, String key) {
        return row.isNullAt(JoinCase.KEY)
                ? key == null
                : row.getString(JoinCase.KEY).toString().equals(key);
    }
}
