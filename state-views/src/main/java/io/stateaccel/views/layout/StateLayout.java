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
package io.stateaccel.views.layout;

import java.util.List;
import javax.annotation.Nullable;

/**
 * How a kind of state is laid out, and in which version. The names are part of snapshots and may
 * never change; a test has the list of them.
 *
 * <p>Whoever changes what the bytes of a layout mean raises its version, and its oldest readable
 * one too unless the new code reads what the old one has written. Version 1 is that of 0.1.0.
 *
 * @param name as snapshots have it, and EXPLAIN where it shows how rows are kept
 * @param version that is written, at least 1
 * @param oldestReadable the first version that is still read, at least 1; so are all from there to
 *     {@code version}
 */
public record StateLayout(String name, int version, int oldestReadable) {

    public static final StateLayout SINGLE_ROW = first("single row");
    public static final StateLayout APPENDED_LIST = first("appended list");
    public static final StateLayout UNIQUE_KEY_LIST = first("unique-key list");
    public static final StateLayout COUNTED_LIST = first("counted list");
    public static final StateLayout SINGLE_ROW_AND_MATCHES =
            first("single row and its matches, for state TTL");
    public static final StateLayout UNIQUE_KEY_LIST_AND_MATCHES =
            first("unique-key list and matches, for state TTL");
    public static final StateLayout COUNTED_LIST_AND_MATCHES =
            first("counted list and matches, for state TTL");
    public static final StateLayout TIME_BUCKETS = first("buckets of time");
    public static final StateLayout SETTLED_TIME_BUCKETS =
            first("buckets of time, and which rows are settled");
    public static final StateLayout TIMED_LIST = first("timed list");
    public static final StateLayout FIRST_ROW = first("first row");
    public static final StateLayout FIRST_ROWS = first("first rows as one value");
    public static final StateLayout FIRST_ROWS_WITH_AGES = first("first rows with their ages");
    public static final StateLayout ORDERED_LIST = first("ordered list");
    public static final StateLayout GROUP_ACCUMULATORS =
            first("accumulator per join key and group");
    public static final StateLayout OVER_PARTITION = first("partition of an OVER aggregate");
    public static final StateLayout ROW_QUEUE = first("queue of rows");
    public static final StateLayout PENDING_ROWS = first("rows that wait for a watermark");
    public static final StateLayout NORMALIZED_ROW = first("single row of a normalised input");
    public static final StateLayout PACKED_MAP = first("packed map");

    private static final String VERSION = ", layout ";

    public StateLayout {
        if (oldestReadable < 1 || version < oldestReadable) {
            throw new IllegalArgumentException(
                    "Layout '%s' of version %d cannot have %d as the oldest that is read"
                            .formatted(name, version, oldestReadable));
        }
    }

    /** A layout that has had one version so far. */
    public static StateLayout first(String name) {
        return new StateLayout(name, 1, 1);
    }

    /** All layouts of states. */
    public static List<StateLayout> all() {
        return List.of(
                SINGLE_ROW,
                APPENDED_LIST,
                UNIQUE_KEY_LIST,
                COUNTED_LIST,
                SINGLE_ROW_AND_MATCHES,
                UNIQUE_KEY_LIST_AND_MATCHES,
                COUNTED_LIST_AND_MATCHES,
                TIME_BUCKETS,
                SETTLED_TIME_BUCKETS,
                TIMED_LIST,
                FIRST_ROW,
                FIRST_ROWS,
                FIRST_ROWS_WITH_AGES,
                ORDERED_LIST,
                GROUP_ACCUMULATORS,
                OVER_PARTITION,
                ROW_QUEUE,
                PENDING_ROWS,
                NORMALIZED_ROW,
                PACKED_MAP);
    }

    /** Name and version, as snapshots have them. */
    public String note() {
        return name + VERSION + version;
    }

    /** Name and all versions that are read, for messages. */
    String readable() {
        return oldestReadable == version
                ? note()
                : name + ", layouts " + oldestReadable + " to " + version;
    }

    /** How a note in a snapshot relates to this layout. */
    Match match(String note) {
        Integer found = note.startsWith(name + VERSION) ? versionOf(note) : null;
        if (found == null) {
            return Match.ANOTHER;
        }
        if (found > version) {
            return Match.NEWER;
        }
        return found < oldestReadable ? Match.TOO_OLD : Match.READABLE;
    }

    @Nullable
    private Integer versionOf(String note) {
        try {
            return Integer.valueOf(note.substring(name.length() + VERSION.length()));
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /** What a snapshot may hold in place of a layout. */
    enum Match {
        READABLE,
        NEWER,
        TOO_OLD,
        ANOTHER
    }
}
