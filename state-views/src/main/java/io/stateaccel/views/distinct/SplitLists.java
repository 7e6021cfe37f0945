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
package io.stateaccel.views.distinct;

import io.stateaccel.views.batch.KeyHash;
import java.util.Arrays;
import java.util.BitSet;
import javax.annotation.Nullable;

/**
 * Which lists of the keys that have most of them are split, so that these need not be read again
 * and again to be told so. Of a fixed size: a key that is new takes the place of another. Used by
 * the task thread.
 */
final class SplitLists {

    private static final int KEYS = 64;

    /** Those of larger numbers are read, so that those of a key take at most 8 KiB. */
    private static final int NUMBERS = 1 << 16;

    private final byte[][] keys = new byte[KEYS][];
    private final BitSet[] numbers = new BitSet[KEYS];

    /**
     * What is known of a key.
     *
     * @param key as serialised
     * @return by their numbers, null if nothing is known
     */
    @Nullable
    BitSet find(byte[] key) {
        int place = place(key);
        return Arrays.equals(keys[place], key) ? numbers[place] : null;
    }

    /** Notes that a list of a key is split. */
    void add(byte[] key, int number) {
        if (number >= NUMBERS) {
            return;
        }
        int place = place(key);
        if (!Arrays.equals(keys[place], key)) {
            keys[place] = key.clone();
            numbers[place] = new BitSet();
        }
        numbers[place].set(number);
    }

    /** Forgets what is known of a key, whose lists are removed. */
    void forget(byte[] key) {
        int place = place(key);
        if (Arrays.equals(keys[place], key)) {
            keys[place] = null;
            numbers[place] = null;
        }
    }

    private static int place(byte[] key) {
        return KeyHash.of(key) & KEYS - 1;
    }
}
