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
package io.stateaccel.operators.rank;

/**
 * The ranks that are the result of the current partition. What partitions have in common reads them
 * here, as each may have a last rank of its own. For one thread.
 */
final class ResultRanks {

    /** There are no lists of more. */
    private static final int MOST_ROWS = Integer.MAX_VALUE - 1;

    private final long first;
    private long last;

    /**
     * @param first rank of the result, 1 or more
     * @param last rank of the result, of all partitions unless one is {@link #endAt told}
     */
    ResultRanks(long first, long last) {
        this.first = first;
        this.last = last;
    }

    long first() {
        return first;
    }

    long last() {
        return last;
    }

    /** How many rows there are up to the last rank, at the most. */
    int most() {
        return (int) Math.min(last, MOST_ROWS);
    }

    /** Whether there are no such ranks. */
    boolean areNone() {
        return last < first;
    }

    /** The last rank is another one from now on, for another partition. */
    void endAt(long rank) {
        last = rank;
    }
}
