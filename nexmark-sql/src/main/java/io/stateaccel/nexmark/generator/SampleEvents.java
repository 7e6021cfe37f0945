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

import io.stateaccel.nexmark.generator.SampleEvent.Action;
import io.stateaccel.nexmark.generator.SampleEvent.Kind;
import java.util.HexFormat;

/**
 * The events of {@code sample-join}, each a function of its number.
 *
 * <p>Weibo's account of its sample joins on Gemini says: a union of several streams, aggregated by
 * sample id into one object, which a timer emits and clears; state that RocksDB cannot hold in a
 * cache of 10 GB. Rates, sizes and delays are not told, and chosen here after what is usual with
 * recommendations:
 *
 * <ul>
 *   <li>Samples are served at an even rate, {@link #SAMPLES_PER_SECOND}, and have ids in no order.
 *       Serving logs {@value #SERVED_FEATURES} features.
 *   <li>On average a sample is exposed once, within 16 s: not at all when the user never scrolls to
 *       it, or several times.
 *   <li>One sample in four is of interest to its user, and has one click, within two minutes, and
 *       seven follow-ups on average. Delays are spread evenly over orders of magnitude: half of the
 *       follow-ups come within a minute and a half, one in eight after more than a quarter of an
 *       hour, and one in thirty too late to count.
 *   <li>Events are late by up to {@link #DISORDER_MILLIS}.
 * </ul>
 *
 * <p>So a sample waits {@link #WINDOW_MILLIS} for what belongs to it, most of that time untouched:
 * 450,000 samples at a time, of more than a kilobyte each. A stream of less than 1.8 million events
 * holds all of its samples until it ends. Immutable and thread safe.
 */
public final class SampleEvents {

    /** After this time a sample is complete; later events do not count. */
    public static final long WINDOW_MILLIS = 30 * 60_000;

    /** By this much an event's time may be before that of an event with a smaller number. */
    public static final long DISORDER_MILLIS = 4_000;

    /** Features that are logged when a sample is served. */
    public static final int SERVED_FEATURES = 128;

    /** Features that are logged when a sample is exposed. */
    public static final int EXPOSED_FEATURES = 8;

    /** In event time. */
    static final int SAMPLES_PER_SECOND = 250;

    private static final long BASE_MILLIS = GeneratorConfig.DEFAULT_BASE_TIME_MILLIS;

    /** Of four events one serves a sample, so there is one event per millisecond. */
    private static final int EVENTS_PER_SAMPLE = 4;

    /** Per sixteen events: four are served, four are exposures, one is a click, others follow. */
    private static final int CLICK_OFFSET = 2;

    private static final int CYCLE = 16;

    /** Samples whose users are interested have numbers that are multiples of it. */
    private static final int ONE_IN_INTERESTING = 4;

    private static final HexFormat HEX = HexFormat.of();

    private enum Purpose {
        ID,
        DISORDER,
        DELAY,
        USER,
        ITEM,
        ACTION,
        WATCHED,
        FEATURES
    }

    /** Makes the event of this number. */
    public SampleEvent event(long number) {
        long newest = number / EVENTS_PER_SAMPLE;
        SampleEvent event = new SampleEvent();
        event.time = timeMillis(number);
        event.kind = kind(number);
        long sample =
                switch (event.kind) {
                    case SERVED -> newest;
                    case EXPOSURE -> earlier(newest, number, 6, 12);
                    case CLICK -> interesting(earlier(newest, number, 9, 15));
                    case FOLLOW_UP -> interesting(earlier(newest, number, 10, 19));
                };
        event.sample = HEX.toHexDigits(bits(sample, Purpose.ID));
        event.servedAt = timeMillis(sample * EVENTS_PER_SAMPLE);
        switch (event.kind) {
            case SERVED -> {
                event.user = below(10_000_000, sample, Purpose.USER);
                event.item = below(1_000_000, sample, Purpose.ITEM);
                event.features = features(number, SERVED_FEATURES);
            }
            case EXPOSURE -> event.features = features(number, EXPOSED_FEATURES);
            case CLICK -> {}
            case FOLLOW_UP -> {
                event.action = action(below(10, number, Purpose.ACTION));
                event.watchedMillis = below(60_000, number, Purpose.WATCHED);
            }
        }
        return event;
    }

    private static Kind kind(long number) {
        int offset = (int) (number % EVENTS_PER_SAMPLE);
        if (offset == 0) {
            return Kind.SERVED;
        }
        if (offset == 1) {
            return Kind.EXPOSURE;
        }
        return number % CYCLE == CLICK_OFFSET ? Kind.CLICK : Kind.FOLLOW_UP;
    }

    /** Most users just watch. */
    private static Action action(long ofTen) {
        Action[] actions = Action.values();
        return ofTen < actions.length ? actions[(int) ofTen] : Action.PLAY;
    }

    /**
     * A sample that was served before the newest one, by {@code 2^from} to {@code 2^to} samples,
     * each power of two being as likely. The first samples have none so far before them.
     */
    private static long earlier(long newest, long number, int from, int to) {
        long power = 1L << from + below(to - from, number, Purpose.DELAY);
        // The power came from the draw's high bits.
        long delay = power + (bits(number, Purpose.DELAY) & power - 1);
        return Math.floorMod(newest - delay, newest + 1);
    }

    private static long interesting(long sample) {
        return sample - sample % ONE_IN_INTERESTING;
    }

    private static long timeMillis(long number) {
        return BASE_MILLIS
                + number * 1000 / (SAMPLES_PER_SECOND * EVENTS_PER_SAMPLE)
                - below(DISORDER_MILLIS, number, Purpose.DISORDER);
    }

    private static long[] features(long number, int count) {
        long[] features = new long[count];
        for (int i = 0; i < count; i++) {
            features[i] = Randomness.bits(number, Purpose.FEATURES.ordinal() + i);
        }
        return features;
    }

    private static long below(long bound, long number, Purpose purpose) {
        return Randomness.below(bound, number, purpose.ordinal());
    }

    private static long bits(long number, Purpose purpose) {
        return Randomness.bits(number, purpose.ordinal());
    }
}
