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
package io.stateaccel.operators.join.temporal;

import io.stateaccel.operators.join.JoinCase;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.types.RowKind;

/** What happens to an operator. */
final class TemporalScript {

    sealed interface Event {}

    /**
     * @param number tells the row from all others
     */
    record Row(boolean isLeft, RowKind kind, String key, long time, int number) implements Event {
        BinaryRowData toRowData() {
            BinaryRowData row = JoinCase.row(key, time, number);
            row.setRowKind(kind);
            return row;
        }
    }

    /**
     * @param input 1 or 2, or 0 for both
     */
    record Watermark(long time, int input) implements Event {}

    /** Time passes. */
    record Clock(long time) implements Event {}

    /** A checkpoint, and a start from it. */
    record Restart(int parallelism) implements Event {}

    private static final String[] KEYS = {"a", "b", "c", "d", "e", null};

    private TemporalScript() {}

    /**
     * Rows of any kind and time, also long before the watermark and before 1970.
     *
     * @param hotKey one of the keys
     */
    static List<Event> random(String hotKey, Random random) {
        List<Event> events = new ArrayList<>();
        int rows = random.nextInt(500);
        int range = 1 + random.nextInt(200);
        double rights = 0.1 + 0.8 * random.nextDouble();
        double retractions = random.nextBoolean() ? 0 : 0.6 * random.nextDouble();
        double lateness = random.nextBoolean() ? 0 : random.nextDouble();
        int rowsPerWatermark = 1 + random.nextInt(40);
        long watermark = -range;
        long clock = 0;
        for (int number = 0; number < rows; number++) {
            String key = random.nextInt(3) == 0 ? hotKey : KEYS[random.nextInt(KEYS.length)];
            long time =
                    random.nextDouble() < lateness
                            ? watermark + random.nextInt(2 * range) - range
                            : watermark + 1 + random.nextInt(range);
            RowKind kind =
                    random.nextDouble() < retractions
                            ? RowKind.values()[random.nextInt(RowKind.values().length)]
                            : RowKind.INSERT;
            events.add(new Row(random.nextDouble() > rights, kind, key, time, number));
            if (random.nextInt(rowsPerWatermark) == 0) {
                watermark += random.nextInt(1 + range / 2);
                events.add(new Watermark(watermark, random.nextInt(3)));
            }
            if (random.nextInt(20) == 0) {
                clock += random.nextInt(30);
                events.add(new Clock(clock));
            }
            if (random.nextInt(60) == 0) {
                events.add(new Restart(1 + random.nextInt(3)));
                if (random.nextInt(4) == 0) {
                    // A source may have less to go by than before.
                    watermark -= random.nextInt(range);
                }
            }
        }
        events.add(new Watermark(watermark + range, 0));
        return events;
    }
}
