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
package io.stateaccel.flink.testing;

import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;

/** Calls of a keyed backend that not all lines have; the nearest there is for those without. */
public final class BackendCalls {

    private BackendCalls() {}

    /** Sets a key whose key group is known. */
    public static <K> void setKey(AbstractKeyedStateBackend<K> backend, K key, int keyGroup) {
        backend.setCurrentKeyAndKeyGroup(key, keyGroup);
    }

    /** The keys that any of these states have something for; some of them twice in 2.0. */
    public static <K, N> Stream<K> keys(
            AbstractKeyedStateBackend<K> backend, List<String> states, N namespace) {
        return states.stream().flatMap(state -> backend.getKeys(state, namespace));
    }
}
