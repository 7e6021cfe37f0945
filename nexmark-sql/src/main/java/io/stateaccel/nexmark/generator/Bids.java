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
 * Fields of bid events, each a pure function of the event number. Immutable and thread safe.
 *
 * <p>Bids are 92 in 100 events: nothing here allocates more than the returned string.
 */
public final class Bids {

    private static final int HOT_CHANNEL_RATIO = 2;
    private static final int FIXED_BYTES = 4 * Long.BYTES;

    private final People people;
    private final Auctions auctions;
    private final int hotAuctionRatio;
    private final int hotBidderRatio;
    private final int averageBytes;

    public Bids(GeneratorConfig config) {
        people = new People(config);
        auctions = new Auctions(config);
        hotAuctionRatio = config.hotAuctionRatio();
        hotBidderRatio = config.hotBidderRatio();
        averageBytes = config.averageBidBytes();
    }

    public long auction(long number) {
        return Randomness.hot(hotAuctionRatio, number, 40)
                ? auctions.hotId(number)
                : auctions.inFlightId(number, 41);
    }

    public long bidder(long number) {
        return Randomness.hot(hotBidderRatio, number, 42)
                ? people.hotId(number, 1)
                : people.activeId(number, 43);
    }

    public long price(long number) {
        return Prices.random(number, 44);
    }

    public BinaryStringData channel(long number) {
        return Channels.NAMES[channelIndex(number)];
    }

    public BinaryStringData url(long number) {
        return Channels.URLS[channelIndex(number)];
    }

    public BinaryStringData extra(long number) {
        return Text.padding(averageBytes, FIXED_BYTES, number, 45);
    }

    private static int channelIndex(long number) {
        return (int)
                (Randomness.hot(HOT_CHANNEL_RATIO, number, 47)
                        ? Randomness.below(Channels.HOT, number, 48)
                        : Channels.HOT + Randomness.below(Channels.COLD, number, 48));
    }
}
