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

import io.stateaccel.flink.operator.ForwardingTimerService;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.annotation.Nullable;
import org.apache.flink.streaming.api.operators.InternalTimerService;
import org.apache.flink.streaming.api.operators.InternalTimerServiceImpl;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.function.BiConsumerWithException;

/**
 * The timers of windows: on the heap, as the keys of {@link HeapSlices} that are due, until these
 * go to the state. The timer of a key and window is in one place or the other, never in both. On
 * processing time the first key of a window has its timer in the state, which wakes the others.
 *
 * <p>Windows of one key have to be worked off in their order, as they may share slices; so on event
 * time Flink's service is told to work off windows in the state when their turn comes. On
 * processing time there is a timer in the state for each window, so that each has its turn.
 *
 * @param <V> what there is of a key and slice
 */
public final class HeapTimers<V> extends ForwardingTimerService<Long, Long> {

    private final HeapSlices<V> slices;
    private final CurrentKey key;
    private final boolean isEventTime;
    private final boolean windowsFollow;
    private final InternalTimerServiceImpl<?, ?> service;

    /** The windows whose timers are in the state, and their time. */
    private final TreeMap<Long, Long> inState = new TreeMap<>();

    /** The windows of the heap that a timer in the state wakes. */
    private final TreeMap<Long, Waker> wakers = new TreeMap<>();

    private long progress = Long.MIN_VALUE;
    private boolean isAdvancing;

    /**
     * @param timers those of the state
     * @param service works them off
     * @param windowsFollow whether a window that is worked off makes another one of its key due
     */
    public HeapTimers(
            InternalTimerService<Long> timers,
            InternalTimerService<?> service,
            HeapSlices<V> slices,
            CurrentKey key,
            boolean isEventTime,
            boolean windowsFollow)
            throws Exception {
        super(timers);
        this.service = (InternalTimerServiceImpl<?, ?>) service;
        this.slices = slices;
        this.key = key;
        this.isEventTime = isEventTime;
        this.windowsFollow = windowsFollow;
        timers.forEachEventTimeTimer(this::restored);
        timers.forEachProcessingTimeTimer(this::restored);
    }

    private void restored(long windowEnd, long time) {
        inState(windowEnd, time);
        slices.stored(windowEnd);
    }

    /** The timers of a window are in the state from now on. */
    void inState(long windowEnd, long time) {
        inState.put(windowEnd, time);
    }

    /** Whether timers of a window are in the state, or were until its time came. */
    boolean hasInState(long windowEnd) {
        return inState.containsKey(windowEnd);
    }

    /** Registers a timer of the backend's current key in the state. */
    void register(long windowEnd, long time) {
        if (isEventTime) {
            timers.registerEventTimeTimer(windowEnd, time);
        } else {
            timers.registerProcessingTimeTimer(windowEnd, time);
        }
    }

    @Override
    public void registerEventTimeTimer(Long windowEnd, long time) {
        add(windowEnd, time);
    }

    @Override
    public void registerProcessingTimeTimer(Long windowEnd, long time) {
        add(windowEnd, time);
    }

    private void add(long windowEnd, long time) {
        if (time <= progress && !isAdvancing) {
            // The heap has had its turn.
            store(windowEnd, time);
            return;
        }
        RowData current = key.get();
        if (slices.hasTimer(current, windowEnd)) {
            return;
        }
        if (inState.containsKey(windowEnd) && !slices.knowsTimers(windowEnd)) {
            store(windowEnd, time);
            slices.timerStored(current, windowEnd);
        } else if (isEventTime || !wakes(current, windowEnd, time)) {
            slices.setDue(current, windowEnd, time);
        }
    }

    /** Whether it is the key whose timer in the state wakes the others. */
    private boolean wakes(RowData current, long windowEnd, long time) {
        Waker waker = wakers.get(windowEnd);
        if (waker == null) {
            wakers.put(windowEnd, new Waker(current, time));
            store(windowEnd, time);
            return true;
        }
        return waker.key().equals(current);
    }

    private void store(long windowEnd, long time) {
        key.tellBackend();
        register(windowEnd, time);
    }

    @Override
    public void deleteEventTimeTimer(Long windowEnd, long time) {
        slices.setNotDue(key.get(), windowEnd);
        key.tellBackend();
        timers.deleteEventTimeTimer(windowEnd, time);
    }

    @Override
    public void deleteProcessingTimeTimer(Long windowEnd, long time) {
        slices.setNotDue(key.get(), windowEnd);
        key.tellBackend();
        timers.deleteProcessingTimeTimer(windowEnd, time);
    }

    @Override
    public void forEachEventTimeTimer(BiConsumerWithException<Long, Long, Exception> consumer)
            throws Exception {
        timers.forEachEventTimeTimer(consumer);
    }

    @Override
    public void forEachProcessingTimeTimer(BiConsumerWithException<Long, Long, Exception> consumer)
            throws Exception {
        timers.forEachProcessingTimeTimer(consumer);
    }

    /**
     * Works off the windows of the heap whose time has come. On event time those of the state have
     * their turn before one of the heap, or before windows that follow them, which are due on the
     * heap then; Flink works off the others.
     *
     * @param time the watermark, or the time of the timer that is worked off
     * @param windows told the time of a timer and the end of its window, for each key of the heap
     */
    public void advance(long time, BiConsumerWithException<Long, Long, Exception> windows)
            throws Exception {
        forgetPast();
        progress = Math.max(progress, time);
        isAdvancing = true;
        try {
            while (true) {
                HeapSlices.Slice<V> slice = slices.firstDue(time);
                if (isEventTime && isNextInState(slice, time)) {
                    Map.Entry<Long, Long> first = inState.firstEntry();
                    key.leaveToBackend();
                    service.advanceWatermark(first.getValue());
                    inState.remove(first.getKey());
                } else if (slice != null) {
                    List<RowData> keys = slices.takeDue(slice);
                    for (RowData due : keys) {
                        key.set(due);
                        slices.tellViews();
                        windows.accept(slice.time(), slice.end());
                    }
                } else {
                    return;
                }
            }
        } finally {
            isAdvancing = false;
            key.leaveToBackend();
        }
    }

    /** Whether a window in the state has its turn before the first one of the heap that is due. */
    private boolean isNextInState(@Nullable HeapSlices.Slice<V> ofHeap, long time) {
        return !inState.isEmpty()
                && inState.firstEntry().getValue() <= time
                && (ofHeap == null ? windowsFollow : inState.firstKey() < ofHeap.end());
    }

    /** What the last time has worked off. */
    private void forgetPast() {
        while (!inState.isEmpty() && inState.firstEntry().getValue() <= progress) {
            inState.pollFirstEntry();
        }
        slices.forgetEmpty();
        while (!wakers.isEmpty() && wakers.firstEntry().getValue().time() <= progress) {
            wakers.pollFirstEntry();
        }
    }

    private record Waker(RowData key, long time) {}
}
