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
package io.stateaccel.nexmark.latency;

import java.util.HashMap;
import java.util.Map;

/**
 * Turns results into latencies of the rows that they are made of.
 *
 * <p>A result says how many rows it is made of and when the newest of them was created. Rows that
 * an earlier result of the same key did not have are new in it. Where there are several, as a
 * bundle gathers them, those before the newest are taken to lie evenly between it and the newest of
 * the result before: the newest alone, which waits least, would say nothing about what a bundle
 * costs the others. Of a key's first result only the newest row counts.
 *
 * <p>A result with no more rows than one before it says nothing new and does not count. Retractions
 * and deletions are no results and are not shown to this class. Not thread safe.
 */
final class Arrivals {

    /** What the results of a key have shown so far. */
    private static final class Shown {
        private long rows;
        private long newestMicros;
    }

    private final long fromMicros;
    private final long untilMicros;
    private final Map<Long, Shown> shown = new HashMap<>();

    private final LatencyHistogram ofRows = new LatencyHistogram();
    private final LatencyHistogram ofResults = new LatencyHistogram();

    /**
     * @param fromMicros rows created earlier do not count
     * @param untilMicros nor do rows created then or later
     */
    Arrivals(long fromMicros, long untilMicros) {
        this.fromMicros = fromMicros;
        this.untilMicros = untilMicros;
    }

    /**
     * Takes a result.
     *
     * @param key which result it is a version of
     * @param rows number of rows it is made of
     * @param newestMicros when the newest of them was created
     * @param nowMicros when it arrived
     */
    void arrived(long key, long rows, long newestMicros, long nowMicros) {
        Shown before = shown.get(key);
        if (before == null) {
            before = new Shown();
            shown.put(key, before);
            count(1, newestMicros, newestMicros, nowMicros);
        } else if (rows > before.rows) {
            count(rows - before.rows, before.newestMicros, newestMicros, nowMicros);
        } else {
            return;
        }
        before.rows = rows;
        before.newestMicros = Math.max(before.newestMicros, newestMicros);
    }

    private void count(long rows, long afterMicros, long newestMicros, long nowMicros) {
        if (isMeasured(newestMicros)) {
            ofResults.record(nowMicros - newestMicros);
        }
        long span = Math.max(0, newestMicros - afterMicros);
        for (long older = 0; older < rows; older++) {
            long created = newestMicros - span * older / rows;
            if (isMeasured(created)) {
                ofRows.record(nowMicros - created);
            }
        }
    }

    private boolean isMeasured(long createdMicros) {
        return createdMicros >= fromMicros && createdMicros < untilMicros;
    }

    /** Latencies of rows: from a row's creation to the first result that has it. */
    LatencyHistogram ofRows() {
        return ofRows;
    }

    /** Latencies of results: from the creation of a result's newest row to its arrival. */
    LatencyHistogram ofResults() {
        return ofResults;
    }
}
