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
package io.stateaccel.rocksdb;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.views.layout.StateRefusedException;
import java.util.List;
import java.util.UUID;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.junit.jupiter.api.Test;

class RestoredRangesTest {

    @Test
    void partsOfDifferentSubTasksFit() {
        List<KeyedStateHandle> parts = List.of(part(0, 31), part(32, 63), part(64, 127));
        assertThatCode(() -> RestoredRanges.check("join", parts, true)).doesNotThrowAnyException();
    }

    @Test
    void onePartTwiceFits() {
        KeyedStateHandle part = part(0, 63);
        assertThatCode(
                        () ->
                                RestoredRanges.check(
                                        "join",
                                        List.of(
                                                part,
                                                part.getIntersection(KeyGroupRange.of(0, 31))),
                                        true))
                .doesNotThrowAnyException();
    }

    @Test
    void olderAndNewerPartsOfAKeyGroupAreRefused() {
        assertThatThrownBy(
                        () ->
                                RestoredRanges.check(
                                        "join",
                                        List.of(part(0, 63), part(64, 127), part(63, 63)),
                                        true))
                .isInstanceOf(StateRefusedException.class)
                .hasMessageContaining("The snapshot of 'join' has parts with key groups in common")
                .hasMessageContaining("canonical savepoint");
    }

    private static KeyedStateHandle part(int first, int last) {
        return new IncrementalRemoteKeyedStateHandle(
                UUID.randomUUID(),
                KeyGroupRange.of(first, last),
                1,
                List.of(),
                List.of(),
                new ByteStreamStateHandle("metadata", new byte[1]));
    }
}
