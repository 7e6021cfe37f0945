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

import java.util.HexFormat;

/**
 * The events of {@code iot-last-seen}, each a function of its number.
 *
 * <p>The published post-mortem ("The Impact of Disks on RocksDB State Backend in Flink") says:
 * millions of devices; events with a device id, an event type and a time; hundreds of event types;
 * a map per device from type to the latest time, read and compared per event, and written if the
 * event is newer; trouble when the block cache is full. What it does not say is chosen here:
 *
 * <ul>
 *   <li>{@value #DEVICES} devices, which is millions scaled to a stream of millions of events. They
 *       report in bursts of {@value #BURST} events, {@value #CONCURRENT_BURSTS} of them at a time,
 *       and which device reports next is chance.
 *   <li>{@value #TYPES} event types, a few of which are most of the events: type number {@code n}
 *       has a share of about {@code 1/n}, as heartbeats and readings have against alarms.
 *   <li>One event in ten was held back by its device for up to {@link #HELD_BACK_MILLIS}, so that
 *       it is often not newer than what is known.
 * </ul>
 *
 * <p>After five million events 3.5 million entries are kept. Immutable and thread safe.
 */
public final class DeviceEvents {

    static final int DEVICES = 100_000;

    /** Numbers of types have this many bits, each length being as likely. */
    private static final int TYPE_OCTAVES = 9;

    static final int TYPES = (1 << TYPE_OCTAVES) - 1;

    static final int BURST = 16;

    static final int CONCURRENT_BURSTS = 64;

    static final long HELD_BACK_MILLIS = 10 * 60_000;

    private static final int EVENTS_PER_SECOND = 10_000;

    private static final int HELD_BACK_RATIO = 10;

    private static final long BASE_MILLIS = GeneratorConfig.DEFAULT_BASE_TIME_MILLIS;

    private static final String[] AREAS = {
        "battery", "network", "sensor.temperature", "sensor.humidity", "door", "firmware", "motor"
    };

    private static final String[] TYPE_NAMES = new String[TYPES];

    static {
        for (int type = 0; type < TYPES; type++) {
            TYPE_NAMES[type] = AREAS[type % AREAS.length] + ".event-" + type;
        }
    }

    private static final HexFormat HEX = HexFormat.of();

    private enum Purpose {
        DEVICE,
        DEVICE_ID,
        OCTAVE,
        TYPE,
        HELD_BACK,
        DELAY
    }

    /** Makes the event of this number. */
    public DeviceEvent event(long number) {
        DeviceEvent event = new DeviceEvent();
        event.device = HEX.toHexDigits(bits(device(number), Purpose.DEVICE_ID));
        event.type = TYPE_NAMES[type(number)];
        event.time = timeMillis(number);
        return event;
    }

    /** Number of the device that reports it. */
    static long device(long number) {
        long block = number / (CONCURRENT_BURSTS * BURST);
        long burst = block * CONCURRENT_BURSTS + number % CONCURRENT_BURSTS;
        return below(DEVICES, burst, Purpose.DEVICE);
    }

    /** Number of its type, from 0. */
    static int type(long number) {
        int first = 1 << below(TYPE_OCTAVES, number, Purpose.OCTAVE);
        return first - 1 + (int) below(first, number, Purpose.TYPE);
    }

    private static long timeMillis(long number) {
        long time = BASE_MILLIS + number * 1000 / EVENTS_PER_SECOND;
        return Randomness.hot(HELD_BACK_RATIO, number, Purpose.HELD_BACK.ordinal())
                ? time
                : time - below(HELD_BACK_MILLIS, number, Purpose.DELAY);
    }

    private static long below(long bound, long number, Purpose purpose) {
        return Randomness.below(bound, number, purpose.ordinal());
    }

    private static long bits(long number, Purpose purpose) {
        return Randomness.bits(number, purpose.ordinal());
    }
}
