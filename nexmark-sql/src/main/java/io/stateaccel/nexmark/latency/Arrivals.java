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
 * <p>A result says how many rows it is made of and what their creation times sum up to. What that
 * is more than in an earlier result of the same key, is the rows that are new in it: how many, and
 * when they were created on average. Where there are several, as a bundle gathers them, they are
 * taken to lie evenly around that, as far apart as the rows of this result and those of the one
 * before suggest, and none later than the result. The newest alone, which waits least, would say
 * nothing about what a bundle costs the others; in a key's first result all are taken to be as old
 * as the average.
 *
 * <p>A result with no more rows than one before it says nothing new and does not count. Retractions
 * and deletions are no results and are not shown to this class. Times are microseconds after a
 * common start. Not thread safe.
 */
final class Arrivals {

    /** What the results of a key have shown so far. */
    private static final class Shown {
        private long rows;
        private long createdSum;

        /** Of the rows that were new in the last result. */
        private long newRows;

        private double newCreated;
    }

    private final long from;
    private final long until;
    private final Map<Long, Shown> shown = new HashMap<>();

    private final LatencyHistogram ofRows = new LatencyHistogram();
    private final LatencyHistogram ofResults = new LatencyHistogram();

    /**
     * @param from rows created earlier do not count
     * @param until nor do rows created then or later
     */
    Arrivals(long from, long until) {
        this.from = from;
        this.until = until;
    }

    /**
     * Takes a result.
     *
     * @param key which result it is a version of
     * @param rows number of rows it is made of
     * @param createdSum sum of their creation times
     * @param now when it arrived
     */
    void arrived(long key, long rows, long createdSum, long now) {
        Shown before = shown.computeIfAbsent(key, any -> new Shown());
        long newRows = rows - before.rows;
        if (newRows <= 0) {
            return;
        }
        double newCreated = (createdSum - before.createdSum) / (double) newRows;
        count(newRows, newCreated, apart(newRows, newCreated, before, now), now);
        before.rows = rows;
        before.createdSum = createdSum;
        before.newRows = newRows;
        before.newCreated = newCreated;
    }

    /** How far apart new rows are. */
    private static double apart(long newRows, double newCreated, Shown before, long now) {
        if (newRows == 1 || before.newRows == 0) {
            return 0;
        }
        // From the middle of the rows before to the middle of these it is half of both.
        double apart = (newCreated - before.newCreated) * 2 / (before.newRows + newRows);
        double mostUntilNow = (now - newCreated) * 2 / (newRows - 1);
        return Math.max(0, Math.min(apart, mostUntilNow));
    }

    private void count(long newRows, double newCreated, double apart, long now) {
        double newest = newCreated + apart * (newRows - 1) / 2;
        for (long older = 0; older < newRows; older++) {
            long created = Math.round(newest - apart * older);
            if (created >= from && created < until) {
                ofRows.record(now - created);
                if (older == 0) {
                    ofResults.record(now - created);
                }
            }
        }
    }

    /** Latencies of rows: from a row's creation to the first result that has it. */
    LatencyHistogram ofRows() {
        return ofRows;
    }

    /**
     * Latencies of results: from the creation of the newest row that is new in it to its arrival.
     */
    LatencyHistogram ofResults() {
        return ofResults;
    }
}
