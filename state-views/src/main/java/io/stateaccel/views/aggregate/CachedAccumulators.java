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
package io.stateaccel.views.aggregate;

import io.stateaccel.views.time.AgedValue;
import io.stateaccel.views.time.Lifetime;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;

/**
 * Accumulators by key on a bounded write-back cache over a state: what was changed is written when
 * it leaves the cache or {@link #writeBack} is called, the least recently used first. What is
 * written is as old as its change, and what expires in the cache is gone there.
 *
 * <p>Accumulators are kept as binary rows: their size is known to the byte, and no object is shared
 * with the aggregate functions or a heap backend. Used by one task thread. All methods that take a
 * key change the current key of the operator.
 */
public final class CachedAccumulators implements Accumulators {

    /**
     * Heap of an entry beside the bytes of its two rows: map entry, cache entry and, per row, the
     * row object, its segment and array headers (JDK 17, compressed references, rounded up).
     */
    static final int ENTRY_OVERHEAD_BYTES = 320;

    private final AgedValue<?, RowData> state;
    private final RowDataSerializer serializer;
    private final Consumer<RowData> currentKey;
    private final Lifetime lifetime;
    private final long budgetBytes;

    private final LinkedHashMap<RowData, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
    private long bytes;

    /**
     * @param state holds the accumulators that are not cached, with its namespace set
     * @param serializer of the accumulators
     * @param currentKey sets the operator's current key
     * @param lifetime of an accumulator after it was changed, that of the state
     * @param budgetBytes heap that entries may use, 0 to cache nothing
     */
    public CachedAccumulators(
            AgedValue<?, RowData> state,
            RowDataSerializer serializer,
            Consumer<RowData> currentKey,
            Lifetime lifetime,
            long budgetBytes) {
        this.state = state;
        this.serializer = serializer;
        this.currentKey = currentKey;
        this.lifetime = lifetime;
        this.budgetBytes = budgetBytes;
    }

    @Override
    @Nullable
    public RowData get(RowData key) throws Exception {
        Entry entry = entries.get(key);
        if (entry != null) {
            // What the state has is no younger.
            return lifetime.isExpired(entry.lastWrite) ? null : entry.accumulator;
        }
        currentKey.accept(key);
        RowData stored = state.value();
        // A heap backend hands out the object it stores, which the functions may change in place.
        return stored == null || stored instanceof BinaryRowData ? stored : serializer.copy(stored);
    }

    @Override
    public void put(RowData key, RowData accumulator, long lastWrite) throws Exception {
        store(key, serializer.toBinaryRow(accumulator).copy(), lastWrite);
    }

    @Override
    public void remove(RowData key) throws Exception {
        store(key, null, 0);
    }

    private void store(RowData key, @Nullable BinaryRowData accumulator, long lastWrite)
            throws Exception {
        Entry entry = entries.get(key);
        if (entry == null) {
            entry = new Entry();
            entries.put(key, entry);
            bytes += ENTRY_OVERHEAD_BYTES + ((BinaryRowData) key).getSizeInBytes();
        }
        bytes += sizeOf(accumulator) - sizeOf(entry.accumulator);
        entry.accumulator = accumulator;
        entry.lastWrite = lastWrite;
        entry.dirty = true;
        evict();
    }

    private void evict() throws Exception {
        Iterator<Map.Entry<RowData, Entry>> oldest = entries.entrySet().iterator();
        while (bytes > budgetBytes && oldest.hasNext()) {
            Map.Entry<RowData, Entry> victim = oldest.next();
            write(victim.getKey(), victim.getValue());
            bytes -=
                    ENTRY_OVERHEAD_BYTES
                            + ((BinaryRowData) victim.getKey()).getSizeInBytes()
                            + sizeOf(victim.getValue().accumulator);
            oldest.remove();
        }
    }

    /** Writes what has changed to the state; nothing leaves the cache. */
    public void writeBack() throws Exception {
        for (Map.Entry<RowData, Entry> entry : entries.entrySet()) {
            write(entry.getKey(), entry.getValue());
        }
    }

    private void write(RowData key, Entry entry) throws Exception {
        if (!entry.dirty) {
            return;
        }
        currentKey.accept(key);
        if (entry.accumulator == null) {
            state.clear();
        } else {
            state.update(entry.accumulator, entry.lastWrite);
        }
        entry.dirty = false;
    }

    /** Heap bytes that the entries use. */
    public long bytes() {
        return bytes;
    }

    private static int sizeOf(@Nullable BinaryRowData row) {
        return row == null ? 0 : row.getSizeInBytes();
    }

    private static final class Entry {
        /** Null when the key is known to have none. */
        @Nullable BinaryRowData accumulator;

        long lastWrite;

        boolean dirty;
    }
}
