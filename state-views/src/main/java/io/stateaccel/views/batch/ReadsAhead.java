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
import org.apache.flink.api.common.state.State;

/**
 * A state of a backend that can read for many keys in one go. What it returns is what it would
 * return without.
 *
 * <p>Used by the task thread.
 *
 * @param <K> the type of the keys
 */
public interface ReadsAhead<K> {

    /** Keys for one call that make it worth the name, and the memory that they take small. */
    int KEYS = 512;

    /**
     * Reads what these keys have in the current namespace, for the next read of each. Another call
     * may drop what has not been asked for.
     *
     * @param keys each once; any of them, or none, is the current key afterwards
     */
    void readAhead(List<? extends K> keys) throws Exception;

    /**
     * How to read ahead from a state.
     *
     * @param state of any backend
     * @return does nothing for a state that cannot
     */
    @SuppressWarnings("unchecked")
    static <K> ReadsAhead<K> of(State state) {
        return state instanceof ReadsAhead ? (ReadsAhead<K>) state : keys -> {};
    }
}
