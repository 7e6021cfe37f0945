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
package io.stateaccel.views.time;

import javax.annotation.Nullable;
import org.apache.flink.runtime.state.StateEntry;
import org.apache.flink.runtime.state.internal.InternalKvState;
import org.apache.flink.runtime.state.internal.InternalKvState.StateIncrementalVisitor;

/**
 * Drops what has expired from a state that is used without Flink's wrapper for TTL: with each
 * access a few entries are looked at, whatever their key, as in Flink's {@code
 * TtlIncrementalCleanup}. So what nobody asks for does not stay on the heap for ever. A backend
 * that cannot go through its entries (RocksDB) drops them as it compacts. Used by the task thread.
 *
 * @param <K> the keys
 * @param <N> the namespaces
 * @param <V> what is stored of a key and namespace
 */
public final class IncrementalCleanup<K, N, V> {

    /** Flink's default. */
    private static final int ENTRIES = 5;

    /** Null where the backend cannot go through its entries. */
    @Nullable private final InternalKvState<K, N, V> state;

    private final Unexpired<V> unexpired;
    private final Lifetime lifetime;

    @Nullable private StateIncrementalVisitor<K, N, V> visitor;

    /**
     * @param unexpired tells what is to stay
     * @param lifetime of what is stored
     */
    public IncrementalCleanup(
            InternalKvState<K, N, V> state, Unexpired<V> unexpired, Lifetime lifetime) {
        this.state = isVisitable(state) ? state : null;
        this.unexpired = unexpired;
        this.lifetime = lifetime;
    }

    private static boolean isVisitable(InternalKvState<?, ?, ?> state) {
        try {
            return state.getStateIncrementalVisitor(ENTRIES) != null;
        } catch (UnsupportedOperationException e) {
            return false;
        }
    }

    /** To be called before each access. */
    public void stateAccessed() {
        if (state == null) {
            return;
        }
        if (visitor == null || !visitor.hasNext()) {
            visitor = state.getStateIncrementalVisitor(ENTRIES);
        }
        if (!visitor.hasNext()) {
            return;
        }
        long now = lifetime.cleanupTime();
        for (StateEntry<K, N, V> entry : visitor.nextEntries()) {
            V stays = unexpired.of(entry.getState(), now);
            if (stays == null) {
                visitor.remove(entry);
            } else if (stays != entry.getState()) {
                visitor.update(entry, stays);
            }
        }
    }

    /**
     * What is to stay of an entry.
     *
     * @param <V> what is stored of a key and namespace
     */
    @FunctionalInterface
    public interface Unexpired<V> {

        /**
         * @return null if nothing stays, the same object if all does
         */
        @Nullable
        V of(V stored, long now);
    }
}
