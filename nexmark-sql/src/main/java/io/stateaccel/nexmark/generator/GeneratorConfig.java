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

import java.io.Serializable;

/**
 * Shape of a Nexmark stream. Two equal configurations give the same stream on every machine.
 *
 * @param firstEventRate events per second of event time in the first half of every rate period, at
 *     least 1
 * @param nextEventRate events per second of event time in the second half, at least 1; equal to the
 *     first rate for evenly spaced events
 * @param ratePeriodSeconds length of a rate period in seconds of event time, at least 2
 * @param baseTimeMillis event time of event 0, milliseconds since the epoch
 * @param personProportion people in every run of {@code personProportion + auctionProportion +
 *     bidProportion} events, at least 1 because auctions and bids refer to people
 * @param auctionProportion auctions in every such run, at least 1 because bids refer to auctions
 * @param bidProportion bids in every such run, at least 0
 * @param averagePersonBytes size to which {@code extra} pads a person, 0 or more
 * @param averageAuctionBytes size to which {@code extra} pads an auction, 0 or more
 * @param averageBidBytes size to which {@code extra} pads a bid without its channel and url (they
 *     came later to the benchmark and are not counted), 0 or more
 * @param hotAuctionRatio a bid is for the hot auction with probability {@code 1 - 1/ratio}, at
 *     least 1
 * @param hotBidderRatio a bid is by the hot bidder with probability {@code 1 - 1/ratio}, at least 1
 * @param hotSellerRatio an auction is by the hot seller with probability {@code 1 - 1/ratio}, at
 *     least 1
 */
public record GeneratorConfig(
        int firstEventRate,
        int nextEventRate,
        int ratePeriodSeconds,
        long baseTimeMillis,
        int personProportion,
        int auctionProportion,
        int bidProportion,
        int averagePersonBytes,
        int averageAuctionBytes,
        int averageBidBytes,
        int hotAuctionRatio,
        int hotBidderRatio,
        int hotSellerRatio)
        implements Serializable {

    /** 2026-01-01T00:00:00Z: any fixed moment does, as long as two runs agree on it. */
    public static final long DEFAULT_BASE_TIME_MILLIS = 1_767_225_600_000L;

    /** The published stream at ten million events per second of event time. */
    public static final GeneratorConfig DEFAULT =
            new GeneratorConfig(
                    10_000_000,
                    10_000_000,
                    600,
                    DEFAULT_BASE_TIME_MILLIS,
                    1,
                    3,
                    46,
                    200,
                    500,
                    100,
                    2,
                    4,
                    4);

    /** Checks every bound named above; {@link IllegalArgumentException} tells which one failed. */
    public GeneratorConfig {
        atLeast(1, firstEventRate, "first-event.rate");
        atLeast(1, nextEventRate, "next-event.rate");
        atLeast(2, ratePeriodSeconds, "rate.period in seconds");
        atLeast(1, personProportion, "person.proportion");
        atLeast(1, auctionProportion, "auction.proportion");
        atLeast(0, bidProportion, "bid.proportion");
        atLeast(0, averagePersonBytes, "person.avg-size");
        atLeast(0, averageAuctionBytes, "auction.avg-size");
        atLeast(0, averageBidBytes, "bid.avg-size");
        atLeast(1, hotAuctionRatio, "bid.hot-ratio.auctions");
        atLeast(1, hotBidderRatio, "bid.hot-ratio.bidders");
        atLeast(1, hotSellerRatio, "auction.hot-ratio.sellers");
    }

    /** The same stream with another spacing of event time, in events per second. */
    public GeneratorConfig withEventRate(int eventsPerSecond) {
        return new GeneratorConfig(
                eventsPerSecond,
                eventsPerSecond,
                ratePeriodSeconds,
                baseTimeMillis,
                personProportion,
                auctionProportion,
                bidProportion,
                averagePersonBytes,
                averageAuctionBytes,
                averageBidBytes,
                hotAuctionRatio,
                hotBidderRatio,
                hotSellerRatio);
    }

    private static void atLeast(int minimum, int value, String option) {
        if (value < minimum) {
            throw new IllegalArgumentException(
                    option + " must be at least " + minimum + " but is " + value);
        }
    }
}
