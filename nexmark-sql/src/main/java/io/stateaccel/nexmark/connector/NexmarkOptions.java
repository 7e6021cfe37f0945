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
package io.stateaccel.nexmark.connector;

import static org.apache.flink.configuration.ConfigOptions.key;

import io.stateaccel.nexmark.generator.GeneratorConfig;
import io.stateaccel.nexmark.latency.WallClock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;

/**
 * Options of the {@code nexmark} connector. Names are those of the public Nexmark connector, so
 * that its table definitions run unchanged; {@code base-time}, {@code rate.start} and {@code
 * rate.ramp} are ours.
 */
final class NexmarkOptions {

    static final ConfigOption<Long> EVENTS_NUM =
            key("events.num")
                    .longType()
                    .defaultValue(0L)
                    .withDescription("Number of events; 0 for an endless stream.");

    static final ConfigOption<Integer> FIRST_EVENT_RATE =
            key("first-event.rate")
                    .intType()
                    .defaultValue(10_000_000)
                    .withDescription(
                            "Events per second of event time in the first half of each rate"
                                    + " period.");

    static final ConfigOption<Integer> NEXT_EVENT_RATE =
            key("next-event.rate")
                    .intType()
                    .defaultValue(10_000_000)
                    .withDescription(
                            "Events per second of event time in the second half of each rate"
                                    + " period.");

    static final ConfigOption<Duration> RATE_PERIOD =
            key("rate.period")
                    .durationType()
                    .defaultValue(Duration.ofSeconds(600))
                    .withDescription("Length of a rate period in event time, whole seconds.");

    static final ConfigOption<Boolean> RATE_LIMITED =
            key("rate.limited")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether the rates are also those of the wall clock, all sub-tasks"
                                    + " together: each event is due at a time, which the column"
                                    + " created has in microseconds after rate.start, and is not"
                                    + " emitted before. A source that was held up emits as fast as"
                                    + " it can until nothing is late.");

    static final ConfigOption<String> RATE_START =
            key("rate.start")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "When the first event is due, an ISO-8601 instant; when the query is"
                                    + " planned if not set. Only with rate.limited.");

    static final ConfigOption<Duration> RATE_RAMP =
            key("rate.ramp")
                    .durationType()
                    .defaultValue(Duration.ZERO)
                    .withDescription(
                            "For how long events come at half the rate at first, by the wall"
                                    + " clock. Only with rate.limited.");

    static final ConfigOption<String> BASE_TIME =
            key("base-time")
                    .stringType()
                    .defaultValue(
                            Instant.ofEpochMilli(GeneratorConfig.DEFAULT_BASE_TIME_MILLIS)
                                    .toString())
                    .withDescription("Event time of the first event, an ISO-8601 instant.");

    static final ConfigOption<Integer> PERSON_PROPORTION = proportion("person", 1);
    static final ConfigOption<Integer> AUCTION_PROPORTION = proportion("auction", 3);
    static final ConfigOption<Integer> BID_PROPORTION = proportion("bid", 46);

    static final ConfigOption<MemorySize> PERSON_AVG_SIZE = averageSize("person", 200);
    static final ConfigOption<MemorySize> AUCTION_AVG_SIZE = averageSize("auction", 500);
    static final ConfigOption<MemorySize> BID_AVG_SIZE = averageSize("bid", 100);

    static final ConfigOption<Integer> BID_HOT_RATIO_AUCTIONS =
            hotRatio("bid.hot-ratio.auctions", 2, "A bid is for the hot auction");
    static final ConfigOption<Integer> BID_HOT_RATIO_BIDDERS =
            hotRatio("bid.hot-ratio.bidders", 4, "A bid is by the hot bidder");
    static final ConfigOption<Integer> AUCTION_HOT_RATIO_SELLERS =
            hotRatio("auction.hot-ratio.sellers", 4, "An auction is by the hot seller");

    private NexmarkOptions() {}

    static Set<ConfigOption<?>> all() {
        return Set.of(
                EVENTS_NUM,
                FIRST_EVENT_RATE,
                NEXT_EVENT_RATE,
                RATE_PERIOD,
                RATE_LIMITED,
                RATE_START,
                RATE_RAMP,
                BASE_TIME,
                PERSON_PROPORTION,
                AUCTION_PROPORTION,
                BID_PROPORTION,
                PERSON_AVG_SIZE,
                AUCTION_AVG_SIZE,
                BID_AVG_SIZE,
                BID_HOT_RATIO_AUCTIONS,
                BID_HOT_RATIO_BIDDERS,
                AUCTION_HOT_RATIO_SELLERS);
    }

    /** Reads the shape of the stream; {@link ValidationException} names a value out of bounds. */
    static GeneratorConfig generatorConfig(ReadableConfig options) {
        try {
            return new GeneratorConfig(
                    options.get(FIRST_EVENT_RATE),
                    options.get(NEXT_EVENT_RATE),
                    Math.toIntExact(options.get(RATE_PERIOD).toSeconds()),
                    instant(options, BASE_TIME).toEpochMilli(),
                    options.get(PERSON_PROPORTION),
                    options.get(AUCTION_PROPORTION),
                    options.get(BID_PROPORTION),
                    Math.toIntExact(options.get(PERSON_AVG_SIZE).getBytes()),
                    Math.toIntExact(options.get(AUCTION_AVG_SIZE).getBytes()),
                    Math.toIntExact(options.get(BID_AVG_SIZE).getBytes()),
                    options.get(BID_HOT_RATIO_AUCTIONS),
                    options.get(BID_HOT_RATIO_BIDDERS),
                    options.get(AUCTION_HOT_RATIO_SELLERS));
        } catch (IllegalArgumentException e) {
            throw new ValidationException(e.getMessage(), e);
        }
    }

    /** Reads when events are due; empty if they are as fast as the job takes them. */
    static Optional<Timetable> timetable(ReadableConfig options) {
        if (!options.get(RATE_LIMITED)) {
            for (ConfigOption<?> option : List.of(RATE_START, RATE_RAMP)) {
                if (options.getOptional(option).isPresent()) {
                    throw new ValidationException(
                            option.key() + " has no effect without 'rate.limited' = 'true'");
                }
            }
            return Optional.empty();
        }
        long rampMicros = TimeUnit.MILLISECONDS.toMicros(options.get(RATE_RAMP).toMillis());
        long startMicros =
                options.getOptional(RATE_START).isPresent()
                        ? WallClock.micros(instant(options, RATE_START))
                        : WallClock.micros();
        return Optional.of(new Timetable(generatorConfig(options), startMicros, rampMicros));
    }

    private static Instant instant(ReadableConfig options, ConfigOption<String> option) {
        try {
            return Instant.parse(options.get(option));
        } catch (DateTimeParseException e) {
            throw new ValidationException(
                    option.key()
                            + " must be an instant such as 2026-01-01T00:00:00Z but is '"
                            + options.get(option)
                            + "'");
        }
    }

    /** Reads the number of events, 0 for endless; {@link ValidationException} if negative. */
    static long events(ReadableConfig options) {
        long events = options.get(EVENTS_NUM);
        if (events < 0) {
            throw new ValidationException(
                    "events.num must be at least 0 (0 is endless) but is " + events);
        }
        return events;
    }

    private static ConfigOption<Integer> proportion(String event, int value) {
        return key(event + ".proportion")
                .intType()
                .defaultValue(value)
                .withDescription(
                        "Number of these events in every run of person.proportion +"
                                + " auction.proportion + bid.proportion events.");
    }

    private static ConfigOption<MemorySize> averageSize(String event, int bytes) {
        return key(event + ".avg-size")
                .memoryType()
                .defaultValue(new MemorySize(bytes))
                .withDescription("Average size to which the column extra pads such an event.");
    }

    private static ConfigOption<Integer> hotRatio(String name, int ratio, String what) {
        return key(name)
                .intType()
                .defaultValue(ratio)
                .withDescription(what + " with probability 1 - 1/ratio.");
    }
}
