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
package io.stateaccel.operators.bundle;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Heap that one sub-task may use for what it keeps between bundles and watermarks, in bytes: so
 * many of its own, or a part of the JVM's heap that all sub-tasks of the task manager which have no
 * number of their own share by need. When that is used up, those give something up that use more
 * than an equal part of it. A sub-task that uses more and has no rows may keep that for as long, so
 * together they may use up to twice the shared part.
 *
 * <p>Flink puts our jar into the class loader of the task manager, so what is static here is one
 * per JVM. For the task thread; all sub-tasks may be closed and opened at any time.
 */
public final class HeapBudget implements AutoCloseable {

    /** In place of a number of bytes of its own. */
    public static final long SHARED = -1;

    /** The shared part of the heap is one in this many bytes. */
    private static final int PART_OF_HEAP = 5;

    private static final Pool POOL = new Pool(Runtime.getRuntime().maxMemory() / PART_OF_HEAP);

    /** What others need not know of at once. */
    private static final long STEP = 64 << 10;

    /** After so many questions the answer is looked for, whatever the sub-task uses. */
    private static final int QUESTIONS = 1 << 12;

    private final Pool pool;

    /** Its own bytes, or {@link #SHARED}. */
    private final long limit;

    private long bytes;

    /** What others see of {@link #bytes}. */
    private volatile long published;

    private long mayGrowTo;
    private int questions;

    private HeapBudget(Pool pool, long limit) {
        this.pool = pool;
        this.limit = limit;
    }

    /**
     * @param limit bytes of its own, or {@link #SHARED}
     */
    public static HeapBudget open(long limit) {
        return POOL.open(limit);
    }

    /** How many sub-tasks of the task manager share the heap now. Any thread may ask. */
    public static int sharers() {
        return POOL.sharers();
    }

    /** Takes more bytes, or gives some back. */
    public void add(long more) {
        bytes += more;
        if (Math.abs(bytes - published) >= STEP) {
            published = bytes;
        }
    }

    /** Gives all bytes back. */
    public void clear() {
        add(-bytes);
    }

    /** What the sub-task uses. */
    public long bytes() {
        return bytes;
    }

    /** Whether the sub-task has to give something up. */
    public boolean isExceeded() {
        if (limit != SHARED) {
            return bytes > limit;
        }
        if (bytes <= mayGrowTo && --questions > 0) {
            return false;
        }
        questions = QUESTIONS;
        int sharers = pool.sharers.size();
        long free = pool.bytes - pool.used();
        if (free >= 0) {
            mayGrowTo = bytes + Math.max(STEP, free / sharers);
            return false;
        }
        mayGrowTo = pool.bytes / sharers;
        return bytes > mayGrowTo;
    }

    /** Gives all of it back; the sub-task keeps nothing any more. */
    @Override
    public void close() {
        pool.sharers.remove(this);
    }

    /** What sub-tasks share. */
    static final class Pool {

        private final long bytes;
        private final List<HeapBudget> sharers = new CopyOnWriteArrayList<>();

        Pool(long bytes) {
            this.bytes = bytes;
        }

        HeapBudget open(long limit) {
            HeapBudget budget = new HeapBudget(this, limit);
            if (limit == SHARED) {
                sharers.add(budget);
            }
            return budget;
        }

        int sharers() {
            return sharers.size();
        }

        private long used() {
            long used = 0;
            for (HeapBudget sharer : sharers) {
                used += sharer.published;
            }
            return used;
        }
    }
}
