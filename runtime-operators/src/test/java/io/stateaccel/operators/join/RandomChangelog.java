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
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;

/** A valid changelog of one side: nothing is retracted that is not there, unique keys hold. */
final class RandomChangelog {

    private static final int KEYS = 6;

    private final JoinCase.Side side;
    private final String hotKey;
    private final Random random;
    private final List<BinaryRowData> live = new ArrayList<>();
    private final List<BinaryRowData> changes = new ArrayList<>();
    private long nextId;

    private RandomChangelog(JoinCase.Side side, String hotKey, Random random) {
        this.side = side;
        this.hotKey = hotKey;
        this.random = random;
    }

    static List<BinaryRowData> of(JoinCase.Side side, String hotKey, Random random, int atLeast) {
        RandomChangelog changelog = new RandomChangelog(side, hotKey, random);
        while (changelog.changes.size() < atLeast) {
            changelog.step();
        }
        return changelog.changes;
    }

    private void step() {
        int what = side.changelog() == InputChangelog.INSERT_ONLY ? 0 : random.nextInt(10);
        if (what < 4 || live.isEmpty()) {
            insert();
        } else if (what < 8) {
            update(live.remove(random.nextInt(live.size())));
        } else {
            add(RowKind.DELETE, live.remove(random.nextInt(live.size())));
        }
    }

    private void insert() {
        String key = randomKey();
        if (side.uniqueKey() == JoinCase.UniqueKey.JOIN_KEY) {
            String taken = key;
            if (live.stream().anyMatch(row -> sameKey(row, taken))) {
                key = "new-" + nextId;
            }
        }
        // Few values and, without a unique key, few ids: equal rows are frequent.
        long id = side.uniqueKey() == JoinCase.UniqueKey.NONE ? random.nextInt(3) : nextId++;
        keep(RowKind.INSERT, JoinCase.row(key, id, random.nextInt(4)));
    }

    private void update(BinaryRowData old) {
        String key = old.isNullAt(JoinCase.KEY) ? null : old.getString(JoinCase.KEY).toString();
        boolean keyStays =
                side.changelog() == InputChangelog.UPSERT
                        || side.uniqueKey() == JoinCase.UniqueKey.JOIN_KEY;
        BinaryRowData updated =
                JoinCase.row(
                        keyStays || random.nextBoolean() ? key : randomKey(),
                        old.getLong(JoinCase.ID),
                        random.nextInt(4));
        if (side.changelog() == InputChangelog.RETRACT) {
            add(RowKind.UPDATE_BEFORE, old);
        }
        keep(RowKind.UPDATE_AFTER, updated);
    }

    private void keep(RowKind kind, BinaryRowData row) {
        live.add(row);
        add(kind, row);
    }

    private void add(RowKind kind, BinaryRowData row) {
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
