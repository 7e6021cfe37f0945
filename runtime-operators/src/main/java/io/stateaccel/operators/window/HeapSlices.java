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
package io.stateaccel.operators.window;

import io.stateaccel.operators.aggregate.AccumulatorBytes;
import io.stateaccel.operators.bundle.HeapBytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.internal.InternalValueState;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.LogicalType;

/**
 * The accumulators by slice and key, and which keys are due when the window ends that a slice is
 * the last one of. They are on the heap up to a number of bytes; where there are more, the largest
 * slice goes to the state as a whole. For the task thread.
 *
 * <p>A slice of which the state has nothing that the heap does not have is <em>complete</em>: what
 * is not on the heap need not be looked for. A slice is complete as long as it ends after all that
 * was ever in the state, or has not left the heap since it was so.
 */
final class HeapSlices {

    private final CurrentKey key;
    private final RowDataSerializer serializer;
    private final AccumulatorBytes accumulatorBytes;
    private final long maxBytes;

    /** By their end. */
    private final TreeMap<Long, Slice> slices = new TreeMap<>();

    /** Those with keys that are due then. */
    private final TreeMap<Long, Slice> due = new TreeMap<>();

    private HeapTimers timers;
    private InternalValueState<RowData, Long, RowData> state;
    private boolean hasViews;

    /** Rows come for one slice more often than not. */
    @Nullable private Slice last;

    /** No slice that ends later has ever been in the state. */
    private long storedUpTo = Long.MIN_VALUE;

    private long bytes;

    /**
     * @param accumulatorTypes the fields of an accumulator
     * @param maxBytes what all of it may take on the heap
     */
    HeapSlices(CurrentKey key, LogicalType[] accumulatorTypes, long maxBytes) {
        this.key = key;
        this.serializer = new RowDataSerializer(accumulatorTypes);
        this.accumulatorBytes = new AccumulatorBytes(accumulatorTypes);
        this.maxBytes = maxBytes;
    }

    void spillTimersTo(HeapTimers heapTimers) {
        timers = heapTimers;
    }

    /** Puts the heap before a state of accumulators by slice. */
    InternalValueState<RowData, Long, RowData> over(
            InternalValueState<RowData, Long, RowData> accumulators) {
        state = accumulators;
        return new HeapSliceState(this, key, accumulators);
    }

    /** Accumulators have parts in states of their own, which are those of the current key. */
    void hasViews() {
        hasViews = true;
    }

    /** The state may have slices up to this one. */
    void stored(long sliceEnd) {
        storedUpTo = Math.max(storedUpTo, sliceEnd);
    }

    @Nullable
    RowData get(RowData ofKey, long sliceEnd) throws IOException {
        Slice slice = find(sliceEnd);
        Entry entry = slice == null ? null : slice.entries.get(ofKey);
        if (entry != null) {
            load(entry);
            return entry.accumulator;
        }
        boolean isComplete = slice == null ? sliceEnd > storedUpTo : slice.isComplete;
        return isComplete ? null : read(sliceEnd);
    }

    void put(RowData ofKey, long sliceEnd, RowData accumulator) throws IOException {
        set(findOrAdd(ofKey, sliceEnd), accumulator, 0);
    }

    void remove(RowData ofKey, long sliceEnd) {
        Slice slice = find(sliceEnd);
        Entry entry = slice == null ? null : slice.entries.get(ofKey);
        if (entry != null) {
            if (entry.isStored) {
                clearStored(sliceEnd);
            }
            if (entry.isDue) {
                entry.isKnown = true;
                entry.isStored = false;
                entry.isChanged = false;
                entry.accumulator = null;
                resize(entry, 0);
            } else {
                drop(entry);
            }
        } else if (slice == null ? sliceEnd <= storedUpTo : !slice.isComplete) {
            clearStored(sliceEnd);
        }
    }

    private void clearStored(long sliceEnd) {
        key.tellBackend();
        state.setCurrentNamespace(sliceEnd);
        state.clear();
    }

    /** What there is of a key and slice, with its accumulator if there is one. */
    Entry entry(RowData ofKey, long sliceEnd) throws IOException {
        Entry entry = findOrAdd(ofKey, sliceEnd);
        load(entry);
        return entry;
    }

    /**
     * @param entry not to be used any more, as it may leave the heap
     * @param rowBytes of the row that made the accumulator what it is
     */
    void set(Entry entry, RowData accumulator, long rowBytes) throws IOException {
        entry.accumulator = accumulator;
        entry.isKnown = true;
        entry.isChanged = true;
        resize(entry, sizeOf(entry, accumulator, rowBytes));
        if (bytes > maxBytes) {
            spillLargest();
        }
    }

    private long sizeOf(Entry entry, RowData accumulator, long rowBytes) {
        if (!accumulatorBytes.mayGrow()) {
            return 0;
        }
        return accumulatorBytes.isMeasured()
                ? accumulatorBytes.ofGrowing(accumulator)
                : entry.accumulatorBytes + rowBytes;
    }

    private void resize(Entry entry, long accumulatorBytesNow) {
        long more = accumulatorBytesNow - entry.accumulatorBytes;
        entry.accumulatorBytes = accumulatorBytesNow;
        entry.slice.bytes += more;
        bytes += more;
    }

    private void load(Entry entry) throws IOException {
        if (!entry.isKnown) {
            RowData stored = read(entry.slice.end);
            entry.isKnown = true;
            entry.isStored = stored != null;
            entry.accumulator = stored;
            if (stored != null) {
                resize(entry, sizeOf(entry, stored, HeapBytes.ofValues(stored)));
            }
        }
    }

    @Nullable
    private RowData read(long sliceEnd) throws IOException {
        key.tellBackend();
        state.setCurrentNamespace(sliceEnd);
        RowData stored = state.value();
        return stored == null ? null : own(stored);
    }

    /** A heap backend holds the objects that it is given and gives, which functions may change. */
    private RowData own(RowData accumulator) {
        return key.backend().isSafeToReuseKVState() ? accumulator : serializer.copy(accumulator);
    }

    // Timers.

    /** Whether it is known that there is a timer of a key for the window that ends here. */
    boolean hasTimer(RowData ofKey, long windowEnd) {
        Slice slice = find(windowEnd);
        Entry entry = slice == null ? null : slice.entries.get(ofKey);
        return entry != null && entry.hasTimer();
    }

    /** There is a timer in the state. */
    void timerStored(RowData ofKey, long windowEnd) {
        Slice slice = find(windowEnd);
        Entry entry = slice == null ? null : slice.entries.get(ofKey);
        if (entry != null) {
            entry.isTimerStored = true;
        }
    }

    /** Makes a key due at the end of a window. */
    void setDue(RowData ofKey, long windowEnd, long time) {
        Entry entry = findOrAdd(ofKey, windowEnd);
        if (!entry.isDue) {
            entry.isDue = true;
            entry.slice.time = time;
            if (entry.slice.due++ == 0) {
                due.put(windowEnd, entry.slice);
            }
        }
    }

    /** Makes a key not due. */
    void setNotDue(RowData ofKey, long windowEnd) {
        Slice slice = find(windowEnd);
        Entry entry = slice == null ? null : slice.entries.get(ofKey);
        if (entry != null && entry.isDue) {
            entry.isDue = false;
            if (--slice.due == 0) {
                due.remove(windowEnd);
            }
        }
    }

    /** The first window with keys that are due, and whose time has come. */
    @Nullable
    Slice firstDue(long time) {
        if (due.isEmpty()) {
            return null;
        }
        Slice first = due.firstEntry().getValue();
        return first.time <= time ? first : null;
    }

    /** The keys that are due, and are not from now on. */
    List<RowData> takeDue(Slice slice) {
        List<RowData> keys = new ArrayList<>(slice.due);
        List<Entry> empty = new ArrayList<>();
        for (Entry entry : slice.entries.values()) {
            if (entry.isDue) {
                entry.isDue = false;
                keys.add(entry.key);
                if (entry.accumulator == null) {
                    empty.add(entry);
                }
            }
        }
        slice.due = 0;
        due.remove(slice.end);
        empty.forEach(this::drop);
        return keys;
    }

    /** Has the state have all timers that are due by then. */
    void spillDue(long time) {
        RowData current = key.get();
        for (Slice slice = firstDue(time); slice != null; slice = firstDue(time)) {
            spillTimers(slice);
        }
        backTo(current);
    }

    /** To be called before data views are used for a key. */
    void tellViews() {
        if (hasViews) {
            key.tellBackend();
        }
    }

    // Writing.

    /** The state has all of it then; accumulators stay on the heap. */
    void writeBack() throws IOException {
        RowData current = key.get();
        for (Slice slice : slices.values()) {
            for (Entry entry : slice.entries.values()) {
                write(slice, entry);
            }
            spillTimers(slice);
        }
        if (!slices.isEmpty()) {
            stored(slices.lastKey());
            backTo(current);
        }
    }

    private void spillLargest() throws IOException {
        RowData current = key.get();
        Slice largest =
                slices.values().stream()
                        .max(Comparator.comparingLong(slice -> slice.bytes))
                        .orElseThrow();
        for (Entry entry : largest.entries.values()) {
            write(largest, entry);
        }
        spillTimers(largest);
        stored(largest.end);
        forget(largest);
        backTo(current);
    }

    private void write(Slice slice, Entry entry) throws IOException {
        if (entry.isChanged) {
            key.backend().setCurrentKey(entry.key);
            state.setCurrentNamespace(slice.end);
            state.update(own(entry.accumulator));
            entry.isChanged = false;
            entry.isStored = true;
        }
    }

    private void spillTimers(Slice slice) {
        if (slice.due == 0) {
            return;
        }
        timers.inState(slice.end, slice.time);
        for (Entry entry : slice.entries.values()) {
            if (entry.isDue) {
                key.backend().setCurrentKey(entry.key);
                timers.register(slice.end, slice.time);
                entry.isDue = false;
                entry.isTimerStored = true;
            }
        }
        slice.due = 0;
        due.remove(slice.end);
    }

    private void backTo(@Nullable RowData current) {
        if (current != null) {
            key.backend().setCurrentKey(current);
        }
    }

    // Slices.

    @Nullable
    private Slice find(long end) {
        if (last == null || last.end != end) {
            Slice found = slices.get(end);
            if (found == null) {
                return null;
            }
            last = found;
        }
        return last;
    }

    private Entry findOrAdd(RowData ofKey, long end) {
        Slice slice = find(end);
        if (slice == null) {
            slice = new Slice(end, end > storedUpTo);
            slices.put(end, slice);
            last = slice;
        }
        Entry entry = slice.entries.get(ofKey);
        if (entry == null) {
            entry = new Entry(slice, ofKey);
            slice.entries.put(ofKey, entry);
            grow(slice, sizeOf(ofKey));
        }
        return entry;
    }

    private long sizeOf(RowData ofKey) {
        return HeapBytes.ofKey(ofKey) + accumulatorBytes.ofFields();
    }

    private void grow(Slice slice, long more) {
        slice.bytes += more;
        bytes += more;
    }

    private void drop(Entry entry) {
        Slice slice = entry.slice;
        slice.entries.remove(entry.key);
        grow(slice, -sizeOf(entry.key) - entry.accumulatorBytes);
        if (slice.entries.isEmpty()) {
            forget(slice);
        }
    }

    private void forget(Slice slice) {
        bytes -= slice.bytes;
        slices.remove(slice.end);
        if (last == slice) {
            last = null;
        }
    }

    /** A slice, and the window that it is the last one of. */
    static final class Slice {

        private final long end;
        private final boolean isComplete;
        private final Map<RowData, Entry> entries = new HashMap<>();
        private long bytes;

        /** How many of its keys are due. */
        private int due;

        /** When they are. */
        private long time;

        private Slice(long end, boolean isComplete) {
            this.end = end;
            this.isComplete = isComplete;
        }

        long end() {
            return end;
        }

        long time() {
            return time;
        }
    }

    /** What there is of a key and slice. */
    static final class Entry {

        private final Slice slice;
        private final RowData key;

        @Nullable private RowData accumulator;

        /** Of the accumulator, as far as it may grow. */
        private long accumulatorBytes;

        /** Whether the state need not be asked for the accumulator. */
        private boolean isKnown;

        /** Whether the state may have one. */
        private boolean isStored;

        /** Whether the state has another one. */
        private boolean isChanged;

        private boolean isDue;
        private boolean isTimerStored;

        private Entry(Slice slice, RowData key) {
            this.slice = slice;
            this.key = key;
            this.isKnown = slice.isComplete;
            this.isStored = !slice.isComplete;
        }

        @Nullable
        RowData accumulator() {
            return accumulator;
        }

        boolean hasTimer() {
            return isDue || isTimerStored;
        }
    }
}
