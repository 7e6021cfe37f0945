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
package io.stateaccel.operators.bundle.metrics;

import java.util.SplittableRandom;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;

/**
 * Estimates which key most of the latest rows have, and what part of them.
 *
 * <p>Looks at one row in {@value #MEAN_GAP}, at random as rows may come in turns, and counts the
 * keys of those by the Space-Saving algorithm (Metwally, Agrawal, El Abbadi, <i>Efficient
 * Computation of Frequent and Top-k Elements in Data Streams</i>, 2005): a key that is not among
 * the {@value #TRACKED} that are tracked takes the place of the least of them, and inherits its
 * count as its possible error. The part told is the one that is certain of the sample. Counts are
 * halved every {@value #HALF_LIFE} samples, so that what is over fades.
 *
 * <p>Written by the task thread; {@link #hottest()} may be read by any.
 */
final class HotKeys {

    static final int MEAN_GAP = 128;

    private static final int TRACKED = 64;
    private static final int HALF_LIFE = 4096;
    private static final int SAMPLES_PER_PUBLICATION = 128;

    // A key that is not tracked needs a look at all counts, so it may as well be looked for among
    // all: arrays are several times as fast as a map and a queue.
    private final RowData[] keys = new RowData[TRACKED];
    private final int[] hashes = new int[TRACKED];

    /** How many of the samples a key has at most, and how many of those may be others'. */
    private final double[] most = new double[TRACKED];

    private final double[] error = new double[TRACKED];
    private int tracked;

    private final SplittableRandom random;

    private int rowsUntilSample;
    private int samplesUntilPublication = SAMPLES_PER_PUBLICATION;
    private int samplesUntilHalving = HALF_LIFE;
    private double samples;

    @Nullable private volatile Hottest hottest;

    /**
     * @param seed of the choice of rows
     */
    HotKeys(long seed) {
        this.random = new SplittableRandom(seed);
        this.rowsUntilSample = gap();
    }

    private int gap() {
        return 1 + random.nextInt(2 * MEAN_GAP - 1);
    }

    /**
     * A row has come.
     *
     * @param key kept
     */
    void rowAdded(RowData key) {
        if (--rowsUntilSample == 0) {
            rowsUntilSample = gap();
            sample(key);
        }
    }

    private void sample(RowData key) {
        samples++;
        most[placeOf(key, key.hashCode())]++;
        if (--samplesUntilHalving == 0) {
            samplesUntilHalving = HALF_LIFE;
            halve();
        }
        if (--samplesUntilPublication == 0) {
            samplesUntilPublication = SAMPLES_PER_PUBLICATION;
            publish();
        }
    }

    private int placeOf(RowData key, int hash) {
        for (int i = 0; i < tracked; i++) {
            if (hashes[i] == hash && keys[i].equals(key)) {
                return i;
            }
        }
        int place = tracked < TRACKED ? tracked++ : least();
        keys[place] = key;
        hashes[place] = hash;
        error[place] = most[place];
        return place;
    }

    private int least() {
        int least = 0;
        for (int i = 1; i < TRACKED; i++) {
            if (most[i] < most[least]) {
                least = i;
            }
        }
        return least;
    }

    private void halve() {
        samples /= 2;
        for (int i = 0; i < tracked; i++) {
            most[i] /= 2;
            error[i] /= 2;
        }
    }

    private void publish() {
        int first = 0;
        for (int i = 1; i < tracked; i++) {
            if (most[i] - error[i] > most[first] - error[first]) {
                first = i;
            }
        }
        hottest = new Hottest(keys[first], (most[first] - error[first]) / samples);
    }

    /** The key that most rows have, null until enough rows have come. */
    @Nullable
    Hottest hottest() {
        return hottest;
    }

    /**
     * A key and how frequent it is.
     *
     * @param key not changed any more
     * @param part of the rows that have it, at least, 0 to 1
     */
    record Hottest(RowData key, double part) {}
}
