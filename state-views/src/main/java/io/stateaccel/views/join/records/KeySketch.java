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

import java.util.Arrays;
import org.apache.flink.table.data.RowData;

/**
 * Estimates, without reading state, how much has been appended to a key since it was last looked
 * at. A fixed array of counters indexed by the key's hash: keys that share a counter are looked at
 * too early, and whoever takes most of a counter is looked at most. Starts at zero after a restore.
 *
 * <p>A look resets the counter for all who share it. The chance that a key adds {@code n} times the
 * allowance without being looked at is therefore below {@code exp(-n)}, however small its share.
 */
public final class KeySketch {

    private static final int SLOTS = 4096;

    /** What has been appended since the last look, minus what that look allows. */
    private final int[] debts = new int[SLOTS];

    /**
     * @param allowance how much may be appended before the first look
     */
    public KeySketch(int allowance) {
        Arrays.fill(debts, -allowance);
    }

    /**
     * @return whether the key is due for a look
     */
    public boolean add(RowData key, int amount) {
        return (debts[slot(key)] += amount) >= 0;
    }

    /** The key has been looked at and may be appended so much before the next look. */
    public void allow(RowData key, int allowance) {
        debts[slot(key)] = -allowance;
    }

    private static int slot(RowData key) {
        int hash = key.hashCode() * 0x9E3779B9;
        return hash >>> (Integer.SIZE - Integer.numberOfTrailingZeros(SLOTS));
    }
}
