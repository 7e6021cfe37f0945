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
package io.stateaccel.operators.join.interval;

import io.stateaccel.operators.join.JoinCase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.apache.flink.table.data.binary.BinaryRowData;

/** What happens to an operator, and what may come of it by definition. */
final class IntervalScript {

    /** Which rows there are. */
    enum Times {
        /** Later than the watermark and than 1970, else in any order. */
        ON_TIME,
        /** Of any time, also long before the watermark and before 1970. */
        LATE,
        /** As {@link #LATE}, but rows of one key and side in the order of their times. */
        LATE_IN_ORDER
    }

    sealed interface Event {}

    /**
     * @param number tells the row from all others
     */
    record Row(boolean isLeft, String key, long time, int number) implements Event {
        BinaryRowData toRowData() {
            return JoinCase.row(key, time, number);
        }
    }

    record Watermark(long time) implements Event {}

    /** A checkpoint, and a start from it. */
    record Restart(int parallelism) implements Event {}

    private static final String[] KEYS = {"a", "b", "c", null};

    private final IntervalJoinCase join;
    private final Random random;
    private final List<Event> events = new ArrayList<>();
    private final Map<String, Long> lastTimes = new HashMap<>();

    private IntervalScript(IntervalJoinCase join, Random random) {
        this.join = join;
        this.random = random;
    }

    /**
     * @param hotKey one of the keys
     */
    static IntervalScript random(IntervalJoinCase join, Times times, String hotKey, Random random) {
        IntervalScript script = new IntervalScript(join, random);
        int rows = random.nextInt(300);
        int range = 1 + random.nextInt(500);
        long watermark = Long.MIN_VALUE;
        for (int number = 0; number < rows; number++) {
            boolean isLeft = random.nextBoolean();
            String key = random.nextBoolean() ? hotKey : KEYS[random.nextInt(KEYS.length)];
            script.events.add(
                    new Row(
                            isLeft,
                            key,
                            script.time(times, isLeft + key, Math.max(0, watermark), range),
                            number));
            if (random.nextInt(12) == 0) {
                watermark = Math.max(0, watermark) + random.nextInt(1 + range / 4);
                script.events.add(new Watermark(watermark));
            }
            if (random.nextInt(60) == 0) {
                script.events.add(new Restart(1 + random.nextInt(3)));
            }
        }
        return script;
    }

    private long time(Times times, String keyOfSide, long now, int range) {
        if (times == Times.ON_TIME) {
            return now + 1 + random.nextInt(range);
        }
        long time = now + random.nextInt(2 * range) - range;
        if (times == Times.LATE_IN_ORDER) {
            time = Math.max(time, lastTimes.getOrDefault(keyOfSide, Long.MIN_VALUE));
            lastTimes.put(keyOfSide, time);
        }
        return time;
    }

    List<Event> events() {
        return events;
    }

    /** Times that no row can be joined at any more. */
    long end() {
        return 10_000_000;
    }

    /** Pairs if no row was ever dropped: the earlier one was stored. */
    Set<String> pairsWithoutCleaning() {
        return pairs(Long.MAX_VALUE);
    }

    /** Pairs of which the earlier row may not have been dropped. */
    Set<String> guaranteedPairs() {
        return pairs(join.minCleanUpInterval() + 1);
    }

    /** Pairs of which the earlier row has not been dropped. */
    Set<String> possiblePairs() {
        long bucket = Math.max(2, join.upper() - join.lower() + 1);
        return pairs(join.minCleanUpInterval() + 1 + bucket - 1);
    }

    /**
     * @param keptFor milliseconds after the last time at which a row can be matched on time
     */
    private Set<String> pairs(long keptFor) {
        Set<String> pairs = new HashSet<>();
        List<Row> stored = new ArrayList<>();
        long watermark = Long.MIN_VALUE;
        for (Event event : events) {
            if (event instanceof Watermark advanced) {
                watermark = advanced.time;
            } else if (event instanceof Row row) {
                for (Row before : stored) {
                    boolean isThere =
                            keptFor == Long.MAX_VALUE || watermark < lastMatch(before) + keptFor;
                    if (before.isLeft != row.isLeft && isThere) {
                        Row left = row.isLeft ? row : before;
                        Row right = row.isLeft ? before : row;
                        if (matches(left, right)) {
                            pairs.add(left.number + "-" + right.number);
                        }
                    }
                }
                if (Math.max(0, watermark) < lastMatch(row)) {
                    stored.add(row);
                }
            }
        }
        return pairs;
    }

    private long lastMatch(Row row) {
        return row.time + (row.isLeft ? -join.lower() : join.upper());
    }

    private boolean matches(Row left, Row right) {
        boolean sameKey = left.key == null ? join.nullsMatch() : left.key.equals(right.key);
        return sameKey
                && (left.key != null || right.key == null)
                && left.time >= right.time + join.lower()
                && left.time <= right.time + join.upper()
                && (!join.valueCondition() || left.number < right.number);
    }
}
