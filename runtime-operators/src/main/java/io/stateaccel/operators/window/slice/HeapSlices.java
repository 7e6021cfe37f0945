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
package io.stateaccel.operators.window.slice;

import io.stateaccel.operators.bundle.HeapBudget;
import io.stateaccel.operators.bundle.HeapBytes;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;

/**
 * The values by slice and key, accumulators or rows, and which keys are due when the window ends
 * that a slice is the last one of. They are on the heap up to a number of bytes; where there are
 * more, the largest slice goes to the state as a whole. For the task thread.
 *
 * <p>A slice of which the state has nothing that the heap does not have is <em>complete</em>: what
 * is not on the heap need not be looked for. A slice is complete as long as it ends after all that
 * was ever in the state, or has not left the heap since it was so.
 *
 * <p>It <em>knows the timers</em> that the state has of it if it was on the heap before the first
 * of them was: its entries say of which keys they are.
 *
 * @param <V> what there is of a key and slice; it may change while it is here, which {@link #set}
 *     has to be told
 */
public final class HeapSlices<V> {

    private final CurrentKey key;
    private final HeapBudget budget;

    /** By their end. */
    private final TreeMap<Long, Slice<V>> slices = new TreeMap<>();

    /** Those with keys that are due then. */
    private final TreeMap<Long, Slice<V>> due = new TreeMap<>();

    /** Those that had no entry left when they were last changed. */
    private final List<Slice<V>> emptied = new ArrayList<>();

    private HeapTimers<V> timers;
    private SliceStore<V> store;
    private boolean hasViews;

    /** Rows come for one slice more often than not. */
    @Nullable private Slice<V> last;

    /** No slice that ends later has ever been in the state. */
    private long storedUpTo = Long.MIN_VALUE;

    /**
     * @param maxBytes what all of it may take on the heap, see {@link HeapBudget#open}
     */
    public HeapSlices(CurrentKey key, long maxBytes) {
        this.key = key;
        this.budget = HeapBudget.open(maxBytes);
    }

    public void spillTimersTo(HeapTimers<V> heapTimers) {
        timers = heapTimers;
    }

    /** Puts the heap before a state. */
    public void spillTo(SliceStore<V> sliceStore) {
        store = sliceStore;
    }

    /** Values have parts in states of their own, which are those of the current key. */
    public void hasViews() {
        hasViews = true;
    }

    /** The state may have slices up to this one. */
    public void stored(long sliceEnd) {
        storedUpTo = Math.max(storedUpTo, sliceEnd);
    }

    @Nullable
    public V get(RowData ofKey, long sliceEnd) throws IOException {
        Slice<V> slice = find(sliceEnd);
        Entry<V> entry = slice == null ? null : slice.entries.get(ofKey);
        if (entry != null) {
            load(entry);
            return entry.value;
        }
        boolean isComplete = slice == null ? sliceEnd > storedUpTo : slice.isComplete;
        return isComplete ? null : read(sliceEnd, null);
    }

    public void put(RowData ofKey, long sliceEnd, V value) throws IOException {
        set(findOrAdd(ofKey, sliceEnd), value, 0);
    }

    /** Not before the window has been worked off that ends with the slice. */
    public void remove(RowData ofKey, long sliceEnd) {
        Slice<V> slice = find(sliceEnd);
        Entry<V> entry = slice == null ? null : slice.entries.get(ofKey);
        if (entry != null) {
            if (entry.isStored) {
                clearStored(sliceEnd, entry.value);
            }
            if (entry.isDue) {
                entry.isKnown = true;
                entry.isStored = false;
                entry.isChanged = false;
                entry.value = null;
                resize(entry, 0);
            } else {
                drop(entry);
            }
        } else if (slice == null ? sliceEnd <= storedUpTo : !slice.isComplete) {
            clearStored(sliceEnd, null);
        }
    }

    private void clearStored(long sliceEnd, @Nullable V value) {
        key.tellBackend();
        store.clear(sliceEnd, value);
    }

    /** What there is of a key and slice, with its value if there is one. */
    public Entry<V> entry(RowData ofKey, long sliceEnd) throws IOException {
        Entry<V> entry = findOrAdd(ofKey, sliceEnd);
        load(entry);
        return entry;
    }

    /**
     * @param entry not to be used any more, as it may leave the heap
     * @param rowBytes of the row that made the value what it is
     */
    public void set(Entry<V> entry, V value, long rowBytes) throws IOException {
        entry.value = value;
        entry.isKnown = true;
        changed(entry, rowBytes);
    }

    /**
     * What there is of a key and slice, with what the heap has of its value: what is behind the
     * part that is in the state, if one is. To be given to {@link #append}.
     */
    public Entry<V> unread(RowData ofKey, long sliceEnd) {
        return findOrAdd(ofKey, sliceEnd);
    }

    /**
     * As {@link #set}, of an entry that is not read; where a part is in the state, the value is
     * appended to it when it is written.
     */
    public void append(Entry<V> entry, V value, long rowBytes) throws IOException {
        entry.value = value;
        changed(entry, rowBytes);
    }

    private void changed(Entry<V> entry, long rowBytes) throws IOException {
        entry.isChanged = true;
        resize(entry, store.bytes(entry.value, entry.valueBytes, rowBytes));
        if (budget.isExceeded()) {
            spillLargest();
        }
    }

    private void resize(Entry<V> entry, long valueBytesNow) {
        long more = valueBytesNow - entry.valueBytes;
        entry.valueBytes = valueBytesNow;
        grow(entry.slice, more);
    }

    /** Reads the value of an entry that may be unread. */
    public void load(Entry<V> entry) throws IOException {
        if (!entry.isKnown) {
            V stored = read(entry.slice.end, entry.value);
            entry.isKnown = true;
            entry.isStored = stored != null;
            entry.value = stored;
            if (stored != null) {
                resize(entry, store.bytes(stored));
            }
        }
    }

    @Nullable
    private V read(long sliceEnd, @Nullable V appended) throws IOException {
        key.tellBackend();
        return store.read(sliceEnd, appended);
    }

    // Timers.

    /** Whether it is known that there is a timer of a key for the window that ends here. */
    boolean hasTimer(RowData ofKey, long windowEnd) {
        Slice<V> slice = find(windowEnd);
        Entry<V> entry = slice == null ? null : slice.entries.get(ofKey);
        return entry != null && entry.hasTimer();
    }

    /** Whether it is known of every key whether there is a timer for the window that ends here. */
    boolean knowsTimers(long windowEnd) {
        Slice<V> slice = find(windowEnd);
        return slice != null && slice.knowsTimers;
    }

    /** There is a timer in the state. */
    void timerStored(RowData ofKey, long windowEnd) {
        Slice<V> slice = find(windowEnd);
        Entry<V> entry = slice == null ? null : slice.entries.get(ofKey);
        if (entry != null) {
            entry.isTimerStored = true;
        }
    }

    /** Makes a key due at the end of a window. */
    void setDue(RowData ofKey, long windowEnd, long time) {
        Entry<V> entry = findOrAdd(ofKey, windowEnd);
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
        Slice<V> slice = find(windowEnd);
        Entry<V> entry = slice == null ? null : slice.entries.get(ofKey);
        if (entry == null) {
            return;
        }
        entry.isTimerStored = false;
        if (entry.isDue) {
            entry.isDue = false;
            if (--slice.due == 0) {
                due.remove(windowEnd);
            }
        }
    }

    /** The first window with keys that are due, and whose time has come. */
    @Nullable
    Slice<V> firstDue(long time) {
        if (due.isEmpty()) {
            return null;
        }
        Slice<V> first = due.firstEntry().getValue();
        return first.time <= time ? first : null;
    }

    /** The keys that are due, and are not from now on. */
    List<RowData> takeDue(Slice<V> slice) {
        List<RowData> keys = new ArrayList<>(slice.due);
        List<Entry<V>> empty = new ArrayList<>();
        for (Entry<V> entry : slice.entries.values()) {
            if (entry.isDue) {
                entry.isDue = false;
                keys.add(entry.key);
                if (entry.value == null) {
                    empty.add(entry);
                }
            }
        }
        slice.due = 0;
        due.remove(slice.end);
        empty.forEach(this::drop);
        return keys;
    }

    /** To be called before data views are used for a key. */
    void tellViews() {
        if (hasViews) {
            key.tellBackend();
        }
    }

    // Writing.

    /** The state has all of it then; values stay on the heap. */
    public void writeBack() throws IOException {
        RowData current = key.get();
        for (Slice<V> slice : slices.values()) {
            for (Entry<V> entry : slice.entries.values()) {
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
        Slice<V> largest =
                slices.values().stream()
                        .max(Comparator.comparingLong(slice -> slice.bytes))
                        .orElseThrow();
        for (Entry<V> entry : largest.entries.values()) {
            write(largest, entry);
        }
        spillTimers(largest);
        stored(largest.end);
        forget(largest);
        backTo(current);
    }

    private void write(Slice<V> slice, Entry<V> entry) throws IOException {
        if (entry.isChanged) {
            key.backend().setCurrentKey(entry.key);
            store.write(slice.end, entry.value);
            entry.isChanged = false;
            entry.isStored = true;
            if (!entry.isKnown) {
                // It was behind what the state had.
                entry.value = null;
                resize(entry, 0);
            }
        }
    }

    private void spillTimers(Slice<V> slice) {
        if (slice.due == 0) {
            return;
        }
        timers.inState(slice.end, slice.time);
        for (Entry<V> entry : slice.entries.values()) {
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

    /** Nothing is kept on the heap any more. */
    public void close() {
        budget.close();
    }

    // Slices.

    @Nullable
    private Slice<V> find(long end) {
        if (last == null || last.end != end) {
            Slice<V> found = slices.get(end);
            if (found == null) {
                return null;
            }
            last = found;
        }
        return last;
    }

    private Entry<V> findOrAdd(RowData ofKey, long end) {
        Slice<V> slice = find(end);
        if (slice == null) {
            slice = new Slice<>(end, end > storedUpTo, !timers.hasInState(end));
            slices.put(end, slice);
            last = slice;
        }
        Entry<V> entry = slice.entries.get(ofKey);
        if (entry == null) {
            entry = new Entry<>(slice, ofKey);
            slice.entries.put(ofKey, entry);
            grow(slice, sizeOf(ofKey));
        }
        return entry;
    }

    private long sizeOf(RowData ofKey) {
        return HeapBytes.ofKey(ofKey) + store.bytesPerValue();
    }

    private void grow(Slice<V> slice, long more) {
        slice.bytes += more;
        budget.add(more);
    }

    private void drop(Entry<V> entry) {
        Slice<V> slice = entry.slice;
        slice.entries.remove(entry.key);
        grow(slice, -sizeOf(entry.key) - entry.valueBytes);
        if (slice.entries.isEmpty()) {
            emptied.add(slice);
        }
    }

    /**
     * Forgets slices that nothing is left of. Not before all keys have had their turn whose windows
     * end with them: of a slice that is there it is known that the state has nothing either.
     */
    void forgetEmpty() {
        for (Slice<V> slice : emptied) {
            if (slice.entries.isEmpty() && slices.get(slice.end) == slice) {
                forget(slice);
            }
        }
        emptied.clear();
    }

    private void forget(Slice<V> slice) {
        budget.add(-slice.bytes);
        slices.remove(slice.end);
        if (last == slice) {
            last = null;
        }
    }

    /** A slice, and the window that it is the last one of. */
    static final class Slice<V> {

        private final long end;
        private final boolean isComplete;
        private final boolean knowsTimers;
        private final Map<RowData, Entry<V>> entries = new HashMap<>();
        private long bytes;

        /** How many of its keys are due. */
        private int due;

        /** When they are. */
        private long time;

        private Slice(long end, boolean isComplete, boolean knowsTimers) {
            this.end = end;
            this.isComplete = isComplete;
            this.knowsTimers = knowsTimers;
        }

        long end() {
            return end;
        }

        long time() {
            return time;
        }
    }

    /** What there is of a key and slice. */
    public static final class Entry<V> {

        private final Slice<V> slice;
        private final RowData key;

        @Nullable private V value;

        /** Of the value, as far as not all values take that. */
        private long valueBytes;

        /** Whether the state need not be asked for the value. */
        private boolean isKnown;

        /** Whether the state may have one. */
        private boolean isStored;

        /** Whether the state has another one. */
        private boolean isChanged;

        private boolean isDue;
        private boolean isTimerStored;

        private Entry(Slice<V> slice, RowData key) {
            this.slice = slice;
            this.key = key;
            this.isKnown = slice.isComplete;
            this.isStored = !slice.isComplete;
        }

        @Nullable
        public V value() {
            return value;
        }

        public boolean hasTimer() {
            return isDue || isTimerStored;
        }
    }
}
