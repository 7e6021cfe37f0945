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
package io.stateaccel.operators.bundle;

import java.util.HashMap;
import java.util.Map;
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

    static final int MEAN_GAP = 32;

    private static final int TRACKED = 64;
    private static final int HALF_LIFE = 4096;
    private static final int SAMPLES_PER_PUBLICATION = 256;

    private final Map<RowData, Count> counts = new HashMap<>();
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
        Count count = counts.get(key);
        if (count == null) {
            count = counts.size() < TRACKED ? new Count() : replaceLeast();
            counts.put(key, count);
        }
        count.most++;
        if (--samplesUntilHalving == 0) {
            samplesUntilHalving = HALF_LIFE;
            samples /= 2;
            counts.values().forEach(Count::halve);
        }
        if (--samplesUntilPublication == 0) {
            samplesUntilPublication = SAMPLES_PER_PUBLICATION;
            publish();
        }
    }

    private Count replaceLeast() {
        Map.Entry<RowData, Count> least = null;
        for (Map.Entry<RowData, Count> entry : counts.entrySet()) {
            if (least == null || entry.getValue().most < least.getValue().most) {
                least = entry;
            }
        }
        counts.remove(least.getKey());
        Count count = least.getValue();
        count.error = count.most;
        return count;
    }

    private void publish() {
        RowData key = null;
        double rows = 0;
        for (Map.Entry<RowData, Count> entry : counts.entrySet()) {
            double certain = entry.getValue().most - entry.getValue().error;
            if (certain > rows) {
                rows = certain;
                key = entry.getKey();
            }
        }
        hottest = key == null ? null : new Hottest(key, rows / samples);
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

    /** How many of the samples a key has at most, and how many of those may be others'. */
    private static final class Count {
        double most;
        double error;

        void halve() {
            most /= 2;
            error /= 2;
        }
    }
}
