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

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.TestableKeyedStateBackend;
import org.junit.jupiter.api.Test;

class ReadsAheadTest {

    private final List<Object> calls = new ArrayList<>();

    @Test
    void findsTheBackendBehindOthers() throws Exception {
        ReadsAhead.of(behind(reading())).readAhead("state", List.of(1L, 2L));
        assertThat(calls).containsExactly("state", List.of(1L, 2L));
    }

    @Test
    void leavesTheKeysOfOtherBackendsToBeReadByThemselves() throws Exception {
        ReadsAhead.of(behind(null)).readAhead("state", List.of(1L));
        assertThat(calls).isEmpty();
    }

    /** A backend that hands what it is to do to another, as that of the changelog does. */
    @SuppressWarnings("unchecked")
    private static KeyedStateBackend<Long> behind(KeyedStateBackend<Long> innermost) {
        return (KeyedStateBackend<Long>)
                Proxy.newProxyInstance(
                        ReadsAheadTest.class.getClassLoader(),
                        new Class<?>[] {TestableKeyedStateBackend.class},
                        (proxy, method, arguments) ->
                                method.getName().equals("getDelegatedKeyedStateBackend")
                                        ? innermost == null ? proxy : innermost
                                        : null);
    }

    @SuppressWarnings("unchecked")
    private KeyedStateBackend<Long> reading() {
        return (KeyedStateBackend<Long>)
                Proxy.newProxyInstance(
                        ReadsAheadTest.class.getClassLoader(),
                        new Class<?>[] {KeyedStateBackend.class, ReadsAhead.class},
                        (proxy, method, arguments) -> calls.addAll(List.of(arguments)));
    }
}
