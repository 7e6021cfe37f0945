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
package io.stateaccel.pipelines.orders;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Parcels, and the scans of each on its way: rows that are only ever inserted, once each. The same
 * seed gives the same events. Used by one thread.
 */
public final class ParcelEvents {

    private static final int SCANS_PER_PARCEL = 4;
    private static final int PLACES = 100;

    /** How many parcels may come after their scans. */
    private static final int AHEAD = 10;

    private final SplittableRandom random;
    private final int parcels;

    private int next;

    /**
     * @param parcels how many there are
     */
    public ParcelEvents(long seed, int parcels) {
        this.random = new SplittableRandom(seed);
        this.parcels = parcels;
    }

    /** The topics that there are events of. */
    public static List<String> topics() {
        return List.of("parcels", "scans");
    }

    /** How many scans there are of so many parcels. */
    public static int scansOf(int parcels) {
        return parcels * SCANS_PER_PARCEL;
    }

    /** Gives all events, in order. */
    public void forEach(Consumer<OrderEvent> events) {
        while (hasNext()) {
            next(events);
        }
    }

    /** Whether there is a further parcel. */
    public boolean hasNext() {
        return next < parcels;
    }

    /** Gives a parcel, and as many scans as come with it, of parcels around it. */
    public void next(Consumer<OrderEvent> events) {
        for (int i = 0; i < SCANS_PER_PARCEL; i++) {
            int scan = next * SCANS_PER_PARCEL + i;
            int parcel = Math.min(parcels - 1, next + random.nextInt(AHEAD));
            events.accept(
                    new OrderEvent(
                            "scans",
                            "{\"id\":" + scan + '}',
                            "{\"id\":"
                                    + scan
                                    + ",\"parcel_id\":"
                                    + parcel
                                    + ",\"place\":\"place "
                                    + random.nextInt(PLACES)
                                    + "\"}"));
        }
        events.accept(
                new OrderEvent(
                        "parcels",
                        "{\"id\":" + next + '}',
                        "{\"id\":" + next + ",\"grams\":" + (50 + random.nextInt(9_000)) + '}'));
        next++;
    }
}
