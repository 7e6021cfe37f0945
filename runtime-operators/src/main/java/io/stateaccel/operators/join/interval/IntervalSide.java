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

import io.stateaccel.operators.bundle.ArrivalColumn;
import io.stateaccel.operators.join.JoinSideInput;
import io.stateaccel.views.join.interval.TimeBuckets;
import io.stateaccel.views.join.log.SettledRows;
import io.stateaccel.views.time.SaturatedMath;
import java.util.Comparator;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;

/** What there is to know of one side of an interval join, whatever the key. */
final class IntervalSide {

    final boolean isLeft;
    final boolean isOuter;
    final JoinSideInput input;

    /** Where rows have their time, if it is that at which they came. */
    @Nullable private final ArrivalColumn arrival;

    final TimeBuckets buckets;

    private final int timeColumn;
    private final long earliest;
    private final long latest;
    private final Comparator<RowData> byTime = Comparator.comparingLong(this::timeOf);

    /**
     * @param isOuter whether rows without a match are in the result
     * @param arrival where rows have their time, if it is that at which they came
     * @param timeColumn where they have it otherwise
     * @param earliest what a row of the other side is to be at least, relative to a row's time
     * @param latest what a row of the other side is to be at most, relative to a row's time
     */
    IntervalSide(
            boolean isLeft,
            boolean isOuter,
            JoinSideInput input,
            TimeBuckets buckets,
            @Nullable ArrivalColumn arrival,
            int timeColumn,
            long earliest,
            long latest) {
        this.isLeft = isLeft;
        this.isOuter = isOuter;
        this.input = input;
        this.buckets = buckets;
        this.arrival = arrival;
        this.timeColumn = arrival == null ? timeColumn : arrival.index();
        this.earliest = earliest;
        this.latest = latest;
    }

    /**
     * A row as it may be kept.
     *
     * @param now processing time
     */
    BinaryRowData toKeep(RowData received, long now) {
        return arrival == null ? input.toBuffer(received) : arrival.append(received, now);
    }

    /** A row that is kept as it came, good until the next call. */
    RowData asItCame(RowData row) {
        return arrival == null ? row : arrival.strip(row);
    }

    long timeOf(RowData row) {
        return row.getLong(timeColumn);
    }

    /** The first time of the other side that a row may match. */
    long earliestMatch(RowData row) {
        return SaturatedMath.add(timeOf(row), earliest);
    }

    /** The last time of the other side that a row may match. */
    long latestMatch(RowData row) {
        return SaturatedMath.add(timeOf(row), latest);
    }

    /** A row of the bundle has a match. */
    void matched(RowData row) {
        if (isOuter) {
            SettledRows.settle(row);
        }
    }

    void sort(List<RowData> rows) {
        if (rows.size() > 1) {
            rows.sort(byTime);
        }
    }

    /**
     * The index of the first row that is not before a time.
     *
     * @param rows by ascending time
     */
    int firstNotBefore(long time, List<RowData> rows) {
        int low = 0;
        int high = rows.size();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (timeOf(rows.get(middle)) < time) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
