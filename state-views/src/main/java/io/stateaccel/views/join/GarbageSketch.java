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
package io.stateaccel.views.join;

import java.util.Arrays;
import org.apache.flink.table.data.RowData;

/**
 * Estimates, without reading state, how much garbage has been appended to a key since it was last
 * compacted. A fixed array of counters indexed by the key's hash: keys that share a counter are
 * looked at too early, or as late as the larger of them deserves, which bounds the garbage of all
 * of them together by their live rows. Starts at zero after a restore.
 */
final class GarbageSketch {

    /** Changes of no more use that a key may always hold. */
    static final int TOLERATED = 32;

    private static final int SLOTS = 4096;

    /** Garbage since the last compaction, minus what that compaction allows. */
    private final int[] debts = new int[SLOTS];

    GarbageSketch() {
        Arrays.fill(debts, -TOLERATED);
    }

    /**
     * @return whether the key is due for compaction
     */
    boolean add(RowData key, int garbage) {
        return (debts[slot(key)] += garbage) >= 0;
    }

    /** The key has been compacted to this many live rows; it may collect as many garbage ones. */
    void compacted(RowData key, int live) {
        debts[slot(key)] = -Math.max(live, TOLERATED);
    }

    private static int slot(RowData key) {
        int hash = key.hashCode() * 0x9E3779B9;
        return hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(SLOTS));
    }
}
