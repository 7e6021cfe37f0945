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
package io.stateaccel.operators.clock;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.table.data.binary.BinaryRowData;

/**
 * When rows come, in bundles: time passes between them, within them, and while a job is down.
 *
 * @param bundles in their order
 */
public record ClockedScript(List<Bundle> bundles) {

    /**
     * @param rows with the time of each
     * @param flushedAt the time of the flush, not before the last row's
     * @param restoredWith the parallelism with which the job goes on from a snapshot afterwards, 0
     *     if it just goes on
     * @param restoredAt the time of that
     */
    public record Bundle(List<Arrival> rows, long flushedAt, int restoredWith, long restoredAt) {}

    /** A row, and when it comes. */
    public record Arrival(BinaryRowData row, long time) {}

    /**
     * @param ttl milliseconds after which what was written has expired
     */
    public static ClockedScript of(List<BinaryRowData> rows, long ttl, Random random) {
        List<Bundle> bundles = new ArrayList<>();
        int mostRows = 1 + random.nextInt(20);
        long time = 0;
        int next = 0;
        while (next < rows.size()) {
            List<Arrival> arrivals = new ArrayList<>();
            int end = Math.min(rows.size(), next + 1 + random.nextInt(mostRows));
            while (next < end) {
                time += random.nextInt(6) == 0 ? step(ttl, random) : 0;
                arrivals.add(new Arrival(rows.get(next++), time));
            }
            time += random.nextInt(3) == 0 ? step(ttl, random) : random.nextInt(2);
            long flushedAt = time;
            int restoredWith = random.nextInt(4) == 0 ? 1 + random.nextInt(3) : 0;
            time += restoredWith > 0 && random.nextBoolean() ? step(ttl, random) : 0;
            bundles.add(new Bundle(arrivals, flushedAt, restoredWith, time));
            time += random.nextInt(3) == 0 ? step(ttl, random) : random.nextInt(2);
        }
        return new ClockedScript(bundles);
    }

    private static long step(long ttl, Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> ttl - 1;
            case 1 -> ttl;
            case 2 -> ttl + 1;
            case 3 -> ttl / 2;
            default -> 1 + (long) (random.nextDouble() * ttl / 4);
        };
    }
}
