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
package io.stateaccel.rocksdb.cache;

/**
 * Decides whether a state's keys are worth caching, from the share of accesses that the cache saves
 * RocksDB: reads that it answers and writes that replace one not yet written back.
 *
 * <p><b>Caching</b>, all keys are covered. A window of {@link #WINDOW} accesses with a lower hit
 * ratio than the threshold ends that, but only when entries were evicted in it: a cache that is not
 * full yet has not shown what it can do.
 *
 * <p><b>Bypassed</b>, one key in {@link #SAMPLED_PART} is covered, chosen by hash, in as small a
 * part of the memory. The hit ratio of such a sample is that of the whole (the argument of SHARDS,
 * Waldspurger et al., FAST 2015), so caching starts again when it exceeds the threshold by a
 * margin. A few very hot keys can escape the sample; a small table of recent hashes, which sees all
 * keys, finds those.
 *
 * <p>Not thread-safe.
 */
final class HitRatioMonitor {

    static final int WINDOW = 1 << 16;
    static final int SAMPLED_PART = 32;

    private static final int SAMPLED_SHIFT =
            Integer.SIZE - Integer.numberOfTrailingZeros(SAMPLED_PART);
    private static final int RECENT = 1 << 10;

    /** What the ratio must exceed the threshold by, so that noise does not switch to and fro. */
    private static final double RETURN_MARGIN = 1.25;

    private final double threshold;

    private boolean bypassed;
    private int accesses;
    private int saved;
    private long evictionsBefore;

    private final int[] recent = new int[RECENT];
    private int uncovered;
    private int repeated;

    private double lastRatio = Double.NaN;

    /** What the end of a window brought. */
    enum Change {
        NONE,
        BYPASS,
        RETURN
    }

    /**
     * @param threshold least hit ratio, 0 to 1, that is worth caching; 0 never bypasses
     */
    HitRatioMonitor(double threshold) {
        this.threshold = threshold;
    }

    boolean isBypassed() {
        return bypassed;
    }

    /** Whether the key with this hash is to be cached. */
    boolean covers(int hash) {
        return !bypassed || hash >>> SAMPLED_SHIFT == 0;
    }

    /** The hit ratio, 0 to 1, of the last full window; NaN before there was one. */
    double lastRatio() {
        return lastRatio;
    }

    /**
     * Counts an access to a covered key.
     *
     * @param hit whether it saved RocksDB an access
     * @param evictions all that the cache has made so far
     */
    Change covered(boolean hit, long evictions) {
        accesses++;
        if (hit) {
            saved++;
        }
        return accesses < (bypassed ? WINDOW / SAMPLED_PART : WINDOW)
                ? Change.NONE
                : endWindow((double) saved / accesses, evictions);
    }

    /**
     * Counts a visit of a key that is not covered.
     *
     * @param evictions all that the cache has made so far
     */
    Change uncovered(int hash, long evictions) {
        int index = hash & RECENT - 1;
        if (recent[index] == hash) {
            repeated++;
        } else {
            recent[index] = hash;
        }
        return ++uncovered < WINDOW
                ? Change.NONE
                : endWindow((double) repeated / uncovered, evictions);
    }

    /** Covers all keys again, because the cache could not step aside. */
    void stay() {
        bypassed = false;
    }

    private Change endWindow(double ratio, long evictions) {
        boolean evicted = evictions != evictionsBefore;
        lastRatio = ratio;
        accesses = 0;
        saved = 0;
        uncovered = 0;
        repeated = 0;
        evictionsBefore = evictions;
        if (bypassed) {
            bypassed = ratio < Math.min(1, RETURN_MARGIN * threshold);
            return bypassed ? Change.NONE : Change.RETURN;
        }
        bypassed = evicted && ratio < threshold;
        return bypassed ? Change.BYPASS : Change.NONE;
    }
}
