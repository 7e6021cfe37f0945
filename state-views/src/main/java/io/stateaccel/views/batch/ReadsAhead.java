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
package io.stateaccel.views.batch;

import java.util.List;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.TestableKeyedStateBackend;

/**
 * A keyed backend that can read what many keys have in a state in one go. It is the backend and not
 * the state that can, as Flink hands out states in wrappers: of TTL, of latency tracking, of the
 * changelog. Whatever they are wrapped in, the next reads come to the state of the backend.
 *
 * <p>What is below {@link Loadable}, which is what views and operators see. Used by the task
 * thread.
 *
 * @param <K> the type of the keys
 */
public interface ReadsAhead<K> {

    /** Keys for one call that make it worth the name, and the memory that they take small. */
    int KEYS = 512;

    /**
     * Reads what these keys have in the current namespace of a state, for the next read of each.
     * What reads return is what they would return without. Another call may drop what has not been
     * asked for; keys and states for which there is no gain are left to be read by themselves.
     *
     * @param stateName of a state that has been opened
     * @param keys each once; any of them, or none, is the current key afterwards
     */
    void readAhead(String stateName, List<? extends K> keys) throws Exception;

    /**
     * Says that the lists of a state are read again and again, so that it is worth while to keep
     * them on the heap, as far as there is memory for that. What reads return stays the same.
     *
     * @param stateName of a state of lists that has been opened
     */
    default void keepLists(String stateName) throws Exception {}

    /**
     * How to read ahead from a backend, which is decided here and nowhere else.
     *
     * @param backend any
     * @return leaves each key to be read by itself, where the backend cannot do better
     */
    @SuppressWarnings("unchecked")
    static <K> ReadsAhead<K> of(KeyedStateBackend<K> backend) {
        KeyedStateBackend<K> innermost =
                backend instanceof TestableKeyedStateBackend
                        ? ((TestableKeyedStateBackend<K>) backend)
                                .getDelegatedKeyedStateBackend(true)
                        : backend;
        return innermost instanceof ReadsAhead
                ? (ReadsAhead<K>) innermost
                : (stateName, keys) -> {};
    }
}
