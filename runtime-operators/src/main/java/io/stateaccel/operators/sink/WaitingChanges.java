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
package io.stateaccel.operators.sink;

import io.stateaccel.flink.operator.ForwardingTimerService;
import io.stateaccel.operators.bundle.HeapBudget;
import io.stateaccel.operators.bundle.HeapBytes;
import io.stateaccel.views.time.Lifetime;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.function.Supplier;
import javax.annotation.Nullable;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.util.function.BiConsumerWithException;

/**
 * The changes that wait for a watermark, in place of Flink's state of them: those of each key that
 * came after the last watermark are on the heap, all others in the state. Flink's timers are there
 * for what is in the state only.
 *
 * <p>Whether there may be something in the state is known for all keys at once, by the last of the
 * timers: as long as none is due later than the last watermark, the state is not asked. For the
 * task thread.
 */
final class WaitingChanges {

    private final Supplier<RowData> currentKey;
    private final Lifetime lifetime;

    private MapState<Long, List<RowData>> state;
    private ValueState<Long> restoredInState;
    @Nullable private Long restored;
    private InternalTimerService<VoidNamespace> timers;

    private final Map<RowData, OfKey> onHeap = new LinkedHashMap<>();
    private final HeapBudget budget;

    /** The watermark that the changes on the heap came after. */
    private long watermark = Long.MIN_VALUE;

    /** When the last of the timers in the state is due. */
    private long lastTimer = Long.MIN_VALUE;

    /**
     * @param currentKey the one that the backend has been told of
     * @param lifetime of the changes, from the last one of a key on
     * @param budget of the changes on the heap
     */
    WaitingChanges(Supplier<RowData> currentKey, Lifetime lifetime, HeapBudget budget) {
        this.budget = budget;
        this.currentKey = currentKey;
        this.lifetime = lifetime;
    }

    /** To be used in place of a state. */
    MapState<Long, List<RowData>> before(MapState<Long, List<RowData>> changesInState) {
        state = changesInState;
        return new Changes();
    }

    /**
     * To be used in place of a state.
     *
     * @param ofKey the checkpoint that the job went on from when the changes of a key were put
     *     together
     * @param ofJob the one that the job has gone on from, null if from none
     */
    ValueState<Long> asOf(ValueState<Long> ofKey, @Nullable Long ofJob) {
        restoredInState = ofKey;
        restored = ofJob;
        return new Restored();
    }

    /** To be used in place of a service. */
    InternalTimerService<VoidNamespace> timers(InternalTimerService<VoidNamespace> timersInState) {
        timers = timersInState;
        return new Timers();
    }

    /** To be called before the first row comes. */
    void findStored() throws Exception {
        timers.forEachEventTimeTimer((namespace, time) -> isInState(time));
    }

    private void isInState(long time) {
        // What comes after the last watermark of all has such a timer, which is not called.
        lastTimer = Math.max(lastTimer, time == Long.MIN_VALUE ? Long.MAX_VALUE : time);
    }

    /** What comes next comes after this watermark. */
    void comeAfter(long lastWatermark) {
        watermark = lastWatermark;
    }

    /** When the changes on the heap are due. */
    long dueAt() {
        return watermark + 1;
    }

    boolean mayBeInState() {
        return lastTimer > watermark || lastTimer == Long.MAX_VALUE;
    }

    /** Those of which changes are left. */
    List<RowData> keys() {
        List<RowData> keys = new ArrayList<>(onHeap.size());
        for (Map.Entry<RowData, OfKey> entry : onHeap.entrySet()) {
            if (!entry.getValue().rows.isEmpty()) {
                keys.add(entry.getKey());
            }
        }
        return keys;
    }

    /** The same, and those whose changes have come and gone. */
    List<RowData> allKeys() {
        return new ArrayList<>(onHeap.keySet());
    }

    void clearHeap() {
        onHeap.clear();
        budget.clear();
    }

    /** Puts what the current key has on the heap into the state, of which it is a copy then. */
    void store() throws Exception {
        OfKey changes = onHeap.get(currentKey.get());
        if (changes == null || lifetime.isExpired(changes.lastCame)) {
            return;
        }
        state.put(changes.watermark, changes.rows);
        registerInState(changes.watermark + 1);
        if (restored != null) {
            // So that these are not put together with what the snapshot had.
            restoredInState.update(restored);
        }
    }

    private void registerInState(long time) {
        timers.registerEventTimeTimer(VoidNamespace.INSTANCE, time);
        // One that is due already is called with the next watermark.
        isInState(time == Long.MIN_VALUE ? time : Math.max(time, watermark + 1));
    }

    /** What the current key has on the heap; null if nothing. */
    @Nullable
    private OfKey ofCurrentKey() {
        RowData key = currentKey.get();
        OfKey changes = onHeap.get(key);
        if (changes != null && lifetime.isExpired(changes.lastCame)) {
            remove(key, changes);
            return null;
        }
        return changes;
    }

    private void remove(RowData key, OfKey changes) {
        onHeap.remove(key);
        budget.add(-(HeapBytes.ofKey(key) + changes.bytes));
    }

    /** The state, where all that there is of the current key is from now on. */
    private MapState<Long, List<RowData>> allInState() throws Exception {
        OfKey changes = ofCurrentKey();
        if (changes != null) {
            store();
            remove(currentKey.get(), changes);
        }
        return state;
    }

    /** What there is of a key on the heap. */
    private static final class OfKey {
        private final long watermark;
        private List<RowData> rows = List.of();
        private int size;
        private long bytes;
        private long lastCame;

        OfKey(long watermark) {
            this.watermark = watermark;
        }

        /** Takes another list, or the same one with a row more or less. */
        void set(List<RowData> changed) {
            if (changed != rows) {
                bytes = 0;
                changed.forEach(row -> bytes += HeapBytes.ofRow((BinaryRowData) row));
            } else if (changed.size() > size) {
                bytes += HeapBytes.ofRow((BinaryRowData) changed.get(size));
            } else if (changed.size() < size) {
                // Which one has gone nobody says.
                bytes -= bytes / size;
            }
            rows = changed;
            size = changed.size();
        }
    }

    /** The changes of the current key by the watermark that they came after. */
    private final class Changes implements MapState<Long, List<RowData>> {

        @Override
        public List<RowData> get(Long cameAfter) throws Exception {
            OfKey changes = ofCurrentKey();
            if (changes != null && changes.watermark == cameAfter) {
                return changes.rows;
            }
            return cameAfter != watermark || mayBeInState() ? state.get(cameAfter) : null;
        }

        @Override
        public void put(Long cameAfter, List<RowData> rows) throws Exception {
            if (cameAfter != watermark) {
                // Of a key that waits since before a restart.
                state.put(cameAfter, rows);
                return;
            }
            RowData key = currentKey.get();
            OfKey changes = onHeap.get(key);
            if (changes == null) {
                changes = new OfKey(watermark);
                onHeap.put(key, changes);
                budget.add(HeapBytes.ofKey(key));
            }
            budget.add(-changes.bytes);
            changes.set(rows);
            budget.add(changes.bytes);
            if (!lifetime.isForever()) {
                changes.lastCame = lifetime.now();
            }
        }

        @Override
        public Iterable<Map.Entry<Long, List<RowData>>> entries() throws Exception {
            OfKey changes = ofCurrentKey();
            return changes == null || mayBeInState()
                    ? allInState().entries()
                    : () -> new OnlyEntry(changes);
        }

        @Override
        public Iterator<Map.Entry<Long, List<RowData>>> iterator() throws Exception {
            return entries().iterator();
        }

        @Override
        public void putAll(Map<Long, List<RowData>> all) throws Exception {
            allInState().putAll(all);
        }

        @Override
        public void remove(Long cameAfter) throws Exception {
            allInState().remove(cameAfter);
        }

        @Override
        public boolean contains(Long cameAfter) throws Exception {
            return allInState().contains(cameAfter);
        }

        @Override
        public Iterable<Long> keys() throws Exception {
            return allInState().keys();
        }

        @Override
        public Iterable<List<RowData>> values() throws Exception {
            return allInState().values();
        }

        @Override
        public boolean isEmpty() throws Exception {
            return allInState().isEmpty();
        }

        @Override
        public void clear() {
            OfKey changes = ofCurrentKey();
            if (changes != null) {
                WaitingChanges.this.remove(currentKey.get(), changes);
            }
            state.clear();
        }
    }

    /** Of a key that has all its changes on the heap. */
    private final class OnlyEntry implements Iterator<Map.Entry<Long, List<RowData>>> {
        private final OfKey changes;
        private boolean isGiven;

        OnlyEntry(OfKey changes) {
            this.changes = changes;
        }

        @Override
        public boolean hasNext() {
            return !isGiven;
        }

        @Override
        public Map.Entry<Long, List<RowData>> next() {
            if (isGiven) {
                throw new NoSuchElementException();
            }
            isGiven = true;
            return Map.entry(changes.watermark, changes.rows);
        }

        @Override
        public void remove() {
            WaitingChanges.this.remove(currentKey.get(), changes);
        }
    }

    /** Has no timer for what is on the heap. */
    private final class Timers extends ForwardingTimerService<VoidNamespace, VoidNamespace> {

        Timers() {
            super(WaitingChanges.this.timers);
        }

        @Override
        public void registerEventTimeTimer(VoidNamespace namespace, long time) {
            OfKey changes = ofCurrentKey();
            if (changes == null || changes.watermark + 1 != time) {
                registerInState(time);
            }
        }

        @Override
        public void deleteEventTimeTimer(VoidNamespace namespace, long time) {
            timers.deleteEventTimeTimer(namespace, time);
        }

        @Override
        public void registerProcessingTimeTimer(VoidNamespace namespace, long time) {
            timers.registerProcessingTimeTimer(namespace, time);
        }

        @Override
        public void deleteProcessingTimeTimer(VoidNamespace namespace, long time) {
            timers.deleteProcessingTimeTimer(namespace, time);
        }

        @Override
        public void forEachEventTimeTimer(
                BiConsumerWithException<VoidNamespace, Long, Exception> consumer) throws Exception {
            timers.forEachEventTimeTimer(consumer);
        }

        @Override
        public void forEachProcessingTimeTimer(
                BiConsumerWithException<VoidNamespace, Long, Exception> consumer) throws Exception {
            timers.forEachProcessingTimeTimer(consumer);
        }
    }

    /** Of which checkpoint's changes Flink need not ask where there are none. */
    private final class Restored implements ValueState<Long> {

        @Override
        public Long value() throws IOException {
            return mayBeInState() ? restoredInState.value() : restored;
        }

        @Override
        public void update(Long checkpoint) throws IOException {
            restoredInState.update(checkpoint);
        }

        @Override
        public void clear() {
            restoredInState.clear();
        }
    }
}
