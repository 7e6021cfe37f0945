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
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
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
        return pairs(before -> Long.MAX_VALUE);
    }

    /** Pairs of which the earlier row may not have been dropped. */
    Set<String> guaranteedPairs() {
        return pairs(before -> join.minCleanUpInterval() + 1);
    }

    /** Pairs of which the earlier row has not been dropped, nor padded. */
    Set<String> possiblePairs() {
        long bucket = Math.max(2, join.upper() - join.lower() + 1);
        return pairs(
                before ->
                        join.minCleanUpInterval()
                                + 1
                                + (join.isOuter(before.isLeft) ? 0 : bucket - 1));
    }

    /**
     * Those pairs, and what an outer join adds to them.
     *
     * @param pairs of rows
     */
    List<String> withPadding(Collection<String> pairs) {
        List<String> all = new ArrayList<>(pairs);
        for (Event event : events) {
            if (event instanceof Row row && join.isOuter(row.isLeft) && !isIn(pairs, row)) {
                all.add(padded(row));
            }
        }
        return all;
    }

    private static boolean isIn(Collection<String> pairs, Row row) {
        return pairs.stream()
                .anyMatch(
                        row.isLeft
                                ? pair -> pair.startsWith(row.number + "-")
                                : pair -> pair.endsWith("-" + row.number));
    }

    private static String padded(Row row) {
        return row.isLeft ? row.number + "-null" : "null-" + row.number;
    }

    /**
     * The watermarks at which rows without a match come, if each row is a bundle of its own.
     *
     * @param pairs of rows
     */
    Map<String, Long> watermarksOfPaddedRows(Collection<String> pairs) {
        Map<String, Long> padded = new TreeMap<>();
        Map<Row, Long> waiting = new HashMap<>();
        long watermark = Long.MIN_VALUE;
        List<Event> all = new ArrayList<>(events);
        all.add(new Watermark(end()));
        for (Event event : all) {
            if (event instanceof Watermark advanced) {
                watermark = advanced.time;
                for (Map.Entry<Row, Long> due : Map.copyOf(waiting).entrySet()) {
                    if (due.getValue() <= watermark) {
                        padded.put(padded(due.getKey()), watermark);
                        waiting.remove(due.getKey());
                    }
                }
            } else if (event instanceof Row row && join.isOuter(row.isLeft) && !isIn(pairs, row)) {
                boolean matchesNothing = row.key == null && !join.nullsMatch();
                if (!matchesNothing && Math.max(0, watermark) < lastMatch(row)) {
                    waiting.put(row, lastMatch(row) + join.minCleanUpInterval() + 1);
                } else {
                    padded.put(padded(row), watermark);
                }
            }
        }
        return padded;
    }

    /**
     * @param keptFor milliseconds after the last time at which a row can be matched on time
     */
    private Set<String> pairs(ToLongFunction<Row> keptFor) {
        Set<String> pairs = new HashSet<>();
        List<Row> stored = new ArrayList<>();
        long watermark = Long.MIN_VALUE;
        for (Event event : events) {
            if (event instanceof Watermark advanced) {
                watermark = advanced.time;
            } else if (event instanceof Row row) {
                for (Row before : stored) {
                    long longest = keptFor.applyAsLong(before);
                    boolean isThere =
                            longest == Long.MAX_VALUE || watermark < lastMatch(before) + longest;
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
