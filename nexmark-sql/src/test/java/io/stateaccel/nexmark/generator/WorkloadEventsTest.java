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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.stateaccel.nexmark.generator.SampleEvent.Kind;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** What the Javadoc of {@link SampleEvents} and {@link DeviceEvents} says of their events. */
class WorkloadEventsTest {

    private static final long EVENTS = 200_000;

    /** Where the stream has been running for long. */
    private static final long LATER = 10_000_000;

    private final SampleEvents samples = new SampleEvents();
    private final DeviceEvents devices = new DeviceEvents();

    @Test
    void everySampleIsServedOnceUnderAnIdOfItsOwn() {
        Set<String> ids = new HashSet<>();
        for (long n = 0; n < EVENTS; n++) {
            SampleEvent event = samples.event(n);
            if (event.kind == Kind.SERVED) {
                assertThat(ids.add(event.sample)).isTrue();
                assertThat(event.servedAt).isEqualTo(event.time);
                assertThat(event.features).hasSize(SampleEvents.SERVED_FEATURES);
            }
        }
        assertThat(ids).hasSize((int) EVENTS / 4);
    }

    @Test
    void allEventsOfASampleSayWhenItWasServed() {
        Map<String, Long> servedAt = new HashMap<>();
        for (long n = 0; n < EVENTS; n++) {
            SampleEvent event = samples.event(n);
            if (event.kind == Kind.SERVED) {
                servedAt.put(event.sample, event.servedAt);
            } else {
                assertThat(servedAt).containsEntry(event.sample, event.servedAt);
            }
        }
    }

    @Test
    void aSampleIsExposedOnceOnAverageAndOneInFourIsOfInterest() {
        assertThat(share(e -> samples.event(e).kind == Kind.EXPOSURE)).isEqualTo(0.25);
        assertThat(share(e -> samples.event(e).kind == Kind.CLICK)).isEqualTo(1 / 16.0);
        Set<String> served = new HashSet<>();
        Set<String> followedUp = new HashSet<>();
        for (long n = 0; n < EVENTS; n++) {
            SampleEvent event = samples.event(n);
            if (event.kind == Kind.SERVED) {
                served.add(event.sample);
            } else if (event.kind == Kind.FOLLOW_UP) {
                followedUp.add(event.sample);
            }
        }
        // The newest have not been followed up yet.
        assertThat((double) followedUp.size() / served.size()).isBetween(0.23, 0.25);
    }

    @Test
    void followUpsComeWithinMinutesAndSomeTooLate() {
        long[] delays =
                LongStream.range(LATER, LATER + EVENTS)
                        .mapToObj(samples::event)
                        .filter(event -> event.kind == Kind.FOLLOW_UP)
                        .mapToLong(event -> event.time - event.servedAt)
                        .sorted()
                        .toArray();
        assertThat(delays[delays.length / 2]).isBetween(75_000L, 105_000L);
        long late = Arrays.stream(delays).filter(d -> d > SampleEvents.WINDOW_MILLIS).count();
        assertThat((double) late / delays.length).isCloseTo(0.031, within(0.005));
        long quarterOfAnHour = Arrays.stream(delays).filter(d -> d > 900_000).count();
        assertThat((double) quarterOfAnHour / delays.length).isCloseTo(0.125, within(0.02));
        assertThat(maxDelay(Kind.EXPOSURE)).isBetween(14_000L, 21_000L);
        assertThat(maxDelay(Kind.CLICK)).isBetween(120_000L, 136_000L);
    }

    @Test
    void samplesAreServedAtAnEvenRateAndEventsAreLateByNoMoreThanSaid() {
        long latest = Long.MIN_VALUE;
        long mostLate = 0;
        for (long n = 0; n < EVENTS; n++) {
            long time = samples.event(n).time;
            latest = Math.max(latest, time);
            mostLate = Math.max(mostLate, latest - time);
        }
        assertThat(mostLate).isBetween(3_900L, SampleEvents.DISORDER_MILLIS);
        long seconds = (samples.event(LATER).time - samples.event(0).time) / 1000;
        assertThat((double) LATER / 4 / seconds)
                .isCloseTo(SampleEvents.SAMPLES_PER_SECOND, within(0.5));
    }

    @Test
    void devicesReportInBursts() {
        long first = LATER - LATER % (DeviceEvents.CONCURRENT_BURSTS * DeviceEvents.BURST);
        Set<Long> reporting = new HashSet<>();
        for (int burst = 0; burst < DeviceEvents.CONCURRENT_BURSTS; burst++) {
            long device = DeviceEvents.device(first + burst);
            reporting.add(device);
            for (int i = 0; i < DeviceEvents.BURST; i++) {
                long number = first + burst + (long) i * DeviceEvents.CONCURRENT_BURSTS;
                assertThat(DeviceEvents.device(number)).isEqualTo(device);
            }
        }
        assertThat(reporting).hasSizeGreaterThan(60);
    }

    @Test
    void fewTypesAreMostOfTheEvents() {
        List<Integer> types =
                LongStream.range(0, EVENTS).mapToObj(DeviceEvents::type).distinct().toList();
        assertThat(types).hasSize(DeviceEvents.TYPES).allMatch(type -> type < DeviceEvents.TYPES);
        assertThat(share(n -> DeviceEvents.type(n) == 0)).isCloseTo(1 / 9.0, within(0.01));
        assertThat(share(n -> DeviceEvents.type(n) < 31)).isCloseTo(5 / 9.0, within(0.01));
        assertThat(devices.event(0).type).contains(".event-");
    }

    @Test
    void oneDeviceEventInTenIsHeldBack() {
        long latest = Long.MIN_VALUE;
        long heldBack = 0;
        for (long n = 0; n < EVENTS; n++) {
            long time = devices.event(n).time;
            if (time < latest) {
                heldBack++;
                assertThat(latest - time).isLessThanOrEqualTo(DeviceEvents.HELD_BACK_MILLIS);
            }
            latest = Math.max(latest, time);
        }
        assertThat((double) heldBack / EVENTS).isCloseTo(0.1, within(0.01));
    }

    @Test
    void fiveMillionDeviceEventsLeaveAsManyEntriesAsSaid() {
        int entries = 0;
        long[] seen = new long[(DeviceEvents.DEVICES * DeviceEvents.TYPES + 63) / 64];
        for (long n = 0; n < 5_000_000; n++) {
            int entry = (int) DeviceEvents.device(n) * DeviceEvents.TYPES + DeviceEvents.type(n);
            long bit = 1L << entry;
            if ((seen[entry >> 6] & bit) == 0) {
                seen[entry >> 6] |= bit;
                entries++;
            }
        }
        assertThat(entries).isBetween(3_400_000, 3_600_000);
    }

    private long maxDelay(Kind kind) {
        return LongStream.range(LATER, LATER + EVENTS)
                .mapToObj(samples::event)
                .filter(event -> event.kind == kind)
                .mapToLong(event -> event.time - event.servedAt)
                .max()
                .orElseThrow();
    }

    private static double share(LongPredicate which) {
        return (double) LongStream.range(0, EVENTS).filter(which).count() / EVENTS;
    }
}
