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

/**
 * A table that changes: rows are inserted, updated, deleted and inserted again, in one round after
 * the other through all of them. Each change is a pure function of its number. Rows are spread over
 * {@value #LANES} lanes: change {@code n} is one of lane {@code n} modulo that, and so are all
 * changes of the same row and of all rows of the same place, so that any reader that takes whole
 * lanes has them in order. Immutable and thread safe.
 */
public final class ChangeEvents {

    /** Divided by most numbers of readers that one would try. */
    public static final int LANES = 24;

    /** In every so manieth round a row is not there. */
    private static final int ROUNDS_PER_DELETION = 8;

    /** In every so manieth round the change before is told again. */
    private static final int ROUNDS_PER_REPETITION = 10;

    private final long rows;
    private final long places;

    /**
     * @param changes how many there are
     * @param changesPerRow how often each row changes; the last changes may not be a whole round
     * @param rowsPerPlace how many rows share a place
     */
    public ChangeEvents(long changes, int changesPerRow, int rowsPerPlace) {
        long unit = (long) LANES * rowsPerPlace;
        long atLeast = (changes + changesPerRow - 1) / changesPerRow;
        this.rows = (atLeast + unit - 1) / unit * unit;
        this.places = rows / rowsPerPlace;
    }

    /** Which row the change of this number is one of. */
    private long row(long number) {
        long inLane = rows / LANES;
        long at = number % rows / LANES;
        // No round begins where the one before did: the next change of a row may come soon or late.
        long start = Randomness.below(inLane, number / rows, 0);
        return (at + start) % inLane * LANES + number % LANES;
    }

    /**
     * The key of the row that changes: any BIGINT, so that neighbours in time are none in order.
     */
    public long id(long number) {
        return Randomness.bits(row(number), 1);
    }

    /** What the row belongs to, for good. Also any BIGINT. */
    public long place(long number) {
        return Randomness.bits(row(number) % places, 2);
    }

    /** The row's value behind the change, or before it where the change deletes the row. */
    public long amount(long number) {
        long round = told(number / rows);
        return amount(number, isDeleted(round) ? round - 1 : round);
    }

    /** The row's value before the change, where the row was there. */
    public long amountBefore(long number) {
        return amount(number, told(number / rows - 1));
    }

    /** Whether the row is there behind the change. */
    public boolean isThere(long number) {
        return !isDeleted(told(number / rows));
    }

    /** Whether the row was there before the change. */
    public boolean wasThere(long number) {
        return number >= rows && !isDeleted(told(number / rows - 1));
    }

    /** Whether the change is the one before, told again. */
    public boolean isRepetition(long number) {
        long round = number / rows;
        return told(round) != round;
    }

    private long amount(long number, long round) {
        return Randomness.below(1_000_000, row(number), 3 + (int) round);
    }

    private static long told(long round) {
        return round % ROUNDS_PER_REPETITION == ROUNDS_PER_REPETITION - 1 ? round - 1 : round;
    }

    private static boolean isDeleted(long round) {
        return round % ROUNDS_PER_DELETION == ROUNDS_PER_DELETION - 1;
    }
}
