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

import org.apache.flink.table.data.binary.BinaryStringData;

/**
 * Fields of auction events, each a pure function of the event number, and the choice of an auction
 * by bids. Immutable and thread safe.
 */
public final class Auctions {

    /** Bids refer to this many of the newest auctions ... */
    private static final int IN_FLIGHT = 100;

    /** ... and to this many that do not exist yet. */
    private static final int LEAD = 10;

    private static final int HOT_EVERY = 100;
    private static final long FIRST_CATEGORY = 10;
    private static final int CATEGORIES = 5;
    private static final int FIXED_BYTES = 7 * Long.BYTES;

    private final EventSequence sequence;
    private final People people;
    private final int hotSellerRatio;
    private final int averageBytes;

    public Auctions(GeneratorConfig config) {
        sequence = new EventSequence(config);
        people = new People(config);
        hotSellerRatio = config.hotSellerRatio();
        averageBytes = config.averageAuctionBytes();
    }

    public long id(long number) {
        return EventSequence.FIRST_ID + sequence.newestAuction(number);
    }

    public BinaryStringData itemName(long number) {
        return Text.random(3, 20, number, 20);
    }

    public BinaryStringData description(long number) {
        return Text.random(3, 100, number, 22);
    }

    public long initialBid(long number) {
        return Prices.random(number, 24);
    }

    public long reserve(long number) {
        return initialBid(number) + Prices.random(number, 25);
    }

    /** When the auction ends, in milliseconds since the epoch; at least one after its start. */
    public long expiresMillis(long number) {
        long longest = 2 * sequence.millisUntilMoreAuctions(number, IN_FLIGHT);
        return sequence.timeMillis(number) + 1 + Randomness.below(Math.max(1, longest), number, 26);
    }

    public long seller(long number) {
        return Randomness.hot(hotSellerRatio, number, 27)
                ? people.hotId(number, 0)
                : people.activeId(number, 28);
    }

    public long category(long number) {
        return FIRST_CATEGORY + Randomness.below(CATEGORIES, number, 29);
    }

    public BinaryStringData extra(long number) {
        int present =
                FIXED_BYTES
                        + itemName(number).getSizeInBytes()
                        + description(number).getSizeInBytes();
        return Text.padding(averageBytes, present, number, 30);
    }

    /** The id that most bids are for now: changes with every hundredth auction. */
    long hotId(long number) {
        return EventSequence.FIRST_ID + sequence.newestAuction(number) / HOT_EVERY * HOT_EVERY;
    }

    /** The id of an auction in flight now or soon. */
    long inFlightId(long number, int purpose) {
        long newest = sequence.newestAuction(number);
        long oldest = Math.max(0, newest - IN_FLIGHT);
        return EventSequence.FIRST_ID
                + oldest
                + Randomness.below(newest - oldest + 1 + LEAD, number, purpose);
    }
}
