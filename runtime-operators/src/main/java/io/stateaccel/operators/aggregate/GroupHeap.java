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
package io.stateaccel.operators.aggregate;

import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * About how much heap the groups of an aggregation take: whoever aggregates all that a join key
 * comes to asks it when to work off what is there, as no bundle bounds that. For the task thread.
 *
 * <p>Keys, and texts and bytes in accumulators, are known to the byte. How much others of variable
 * length take, a set on the heap for instance, is not, so with these the rows are limited as well.
 */
public final class GroupHeap {

    /** Map entry, group and the objects of its key (JDK 17, compressed references, rounded up). */
    private static final int GROUP_BYTES = 256;

    private final long maxBytes;
    private final long maxRows;
    private final AccumulatorBytes accumulators;

    private long bytes;
    private long rows;

    /**
     * @param accumulatorTypes the fields of the accumulator
     * @param maxBytes of all groups together
     * @param maxRows to aggregate into accumulators that may grow
     */
    public GroupHeap(LogicalType[] accumulatorTypes, long maxBytes, long maxRows) {
        this.maxBytes = maxBytes;
        this.maxRows = maxRows;
        this.accumulators = new AccumulatorBytes(accumulatorTypes);
    }

    /** A heap without bounds, where a bundle has them. */
    public static GroupHeap unbounded() {
        return new GroupHeap(new LogicalType[0], Long.MAX_VALUE, Long.MAX_VALUE);
    }

    /** A group is there from now on, with an accumulator to be {@link #measure measured}. */
    void groupAdded(RowData key) {
        bytes += GROUP_BYTES + accumulators.ofFields() + ((BinaryRowData) key).getSizeInBytes();
    }

    /** A row has been aggregated. */
    void rowAdded() {
        rows++;
    }

    /**
     * Takes notice of what an accumulator has become.
     *
     * @param before what this method returned for it last, 0 at first
     * @return the bytes of the fields that may grow
     */
    long measure(RowData accumulator, long before) {
        if (!accumulators.mayGrow()) {
            return 0;
        }
        long now = accumulators.ofGrowing(accumulator);
        bytes += now - before;
        return now;
    }

    /** Whether the groups are to be worked off. */
    boolean isFull() {
        return bytes > maxBytes || rows >= maxRows && accumulators.mayGrow();
    }

    /** There are no groups any more. */
    void clear() {
        bytes = 0;
        rows = 0;
    }
}
