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
 * The arithmetic of event numbers: which event is what, when it happens, and how many people and
 * auctions exist by then. Immutable and thread safe.
 */
public final class EventSequence {

    /** Ids of people and of auctions count up from here. */
    public static final long FIRST_ID = 1000;

    private final int people;
    private final int auctions;
    private final int cycle;

    private final long baseMillis;
    private final int firstRate;
    private final int nextRate;
    private final long halfPeriodMillis;
    private final long firstHalfEvents;
    private final long periodEvents;

    public EventSequence(GeneratorConfig config) {
        people = config.personProportion();
        auctions = config.auctionProportion();
        cycle = Math.addExact(Math.addExact(people, auctions), config.bidProportion());
        baseMillis = config.baseTimeMillis();
        firstRate = config.firstEventRate();
        nextRate = config.nextEventRate();
        halfPeriodMillis = config.ratePeriodSeconds() * 500L;
        firstHalfEvents = halfPeriodMillis * firstRate / 1000;
        periodEvents = firstHalfEvents + halfPeriodMillis * nextRate / 1000;
    }

    /** What the event of this number is. */
    public EventType typeOf(long number) {
        long offset = number % cycle;
        if (offset >= people + auctions) {
            return EventType.BID;
        }
        return offset < people ? EventType.PERSON : EventType.AUCTION;
    }

    /** When the event of this number happens, in milliseconds since the epoch; never decreasing. */
    public long timeMillis(long number) {
        return baseMillis + afterFirst(number, 1000);
    }

    /** How long after the first event the event of this number happens, in microseconds. */
    public long microsAfterFirst(long number) {
        return afterFirst(number, 1_000_000);
    }

    /** Number of milliseconds after the given event until this many more auctions exist. */
    long millisUntilMoreAuctions(long number, int moreAuctions) {
        return timeMillis(number + (long) moreAuctions * cycle / auctions) - timeMillis(number);
    }

    /**
     * How many people precede or are the last one known at this event, minus one: the zero-based
     * index of the newest person. At least 0.
     */
    long newestPerson(long number) {
        long offset = number % cycle;
        return number / cycle * people + Math.min(offset, people - 1);
    }

    /**
     * The zero-based index of the newest auction known at this event; 0 before the first auction,
     * so that there is always one to refer to.
     */
    long newestAuction(long number) {
        long offset = number % cycle - people;
        long before = number / cycle * auctions;
        // A person comes before its cycle's auctions, so it knows those of the cycle before.
        return Math.max(0, before + Math.min(offset < 0 ? -1 : offset, auctions - 1));
    }

    private long afterFirst(long number, int unitsPerSecond) {
        if (firstRate == nextRate) {
            return timeFor(number, firstRate, unitsPerSecond);
        }
        long inPeriod = number % periodEvents;
        long halfPeriod = halfPeriodMillis * (unitsPerSecond / 1000);
        long start = number / periodEvents * (2 * halfPeriod);
        return inPeriod < firstHalfEvents
                ? start + timeFor(inPeriod, firstRate, unitsPerSecond)
                : start
                        + halfPeriod
                        + timeFor(inPeriod - firstHalfEvents, nextRate, unitsPerSecond);
    }

    private static long timeFor(long events, int rate, long unitsPerSecond) {
        // Split so that the product stays small for any event number.
        return events / rate * unitsPerSecond + events % rate * unitsPerSecond / rate;
    }
}
