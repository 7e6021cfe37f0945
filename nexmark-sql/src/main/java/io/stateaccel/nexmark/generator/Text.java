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
package io.stateaccel.nexmark.generator;

import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.table.data.binary.BinaryStringData;

/**
 * Random text: letters a-z, about one in thirteen characters a space.
 *
 * <p>A text is a slice of one fixed pool at a random offset, so it costs a copy and no random
 * number per character. The pool is large compared with a RocksDB block (4 KiB), so that slices do
 * not make blocks compressible. Immutable and thread safe.
 */
final class Text {

    private static final int POOL_BYTES = 1 << 18;
    private static final int LONGEST = 1 << 16;
    private static final String ALPHABET = "abcdefghijklmnopqrstuvwxyz";
    private static final MemorySegment[] POOL = {MemorySegmentFactory.wrap(pool())};

    private Text() {}

    /** Returns a random text of exactly this many characters, at most 65,536. */
    static BinaryStringData random(int length, long eventNumber, int purpose) {
        int size = Math.min(length, LONGEST);
        int offset = (int) Randomness.below(POOL_BYTES - LONGEST, eventNumber, purpose);
        return BinaryStringData.fromAddress(POOL, offset, size);
    }

    /** Returns a random text of {@code shortest..longest} characters. */
    static BinaryStringData random(int shortest, int longest, long eventNumber, int purpose) {
        int length =
                shortest
                        + (int) Randomness.below(longest - shortest + 1L, eventNumber, purpose + 1);
        return random(length, eventNumber, purpose);
    }

    /**
     * Returns the text that pads an event to the wanted size: random in length within 20% of what
     * is missing, empty if nothing is.
     */
    static BinaryStringData padding(
            int wantedBytes, int presentBytes, long eventNumber, int purpose) {
        int missing = Math.max(0, wantedBytes - presentBytes);
        int spread = missing / 5;
        return random(missing - spread, missing + spread, eventNumber, purpose);
    }

    /** Appends letters a-z (no space) that depend only on the bits given, at most 12 of them. */
    static void letters(StringBuilder to, int count, long bits) {
        long rest = bits >>> 1;
        for (int i = 0; i < count; i++) {
            to.append(ALPHABET.charAt((int) (rest % ALPHABET.length())));
            rest /= ALPHABET.length();
        }
    }

    private static byte[] pool() {
        byte[] pool = new byte[POOL_BYTES];
        for (int i = 0; i < pool.length; i++) {
            // Any two purposes no event uses; the pool belongs to no event.
            boolean space = Randomness.below(13, -2L - i, 1) == 0;
            int letter = (int) Randomness.below(ALPHABET.length(), -2L - i, 2);
            pool[i] = (byte) (space ? ' ' : ALPHABET.charAt(letter));
        }
        return pool;
    }
}
