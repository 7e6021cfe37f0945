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

import static io.stateaccel.rocksdb.testing.BackendHarness.Make.ACCELERATED;
import static io.stateaccel.rocksdb.testing.BackendHarness.Make.STOCK;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stateaccel.rocksdb.testing.BackendHarness;
import io.stateaccel.rocksdb.testing.BackendHarness.Make;
import io.stateaccel.views.batch.ReadsAhead;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What lists refuse, read ahead or not, is what they refuse in Flink, in the same words. */
class BatchedListStateTest {

    @TempDir private Path directory;

    @Test
    void refusesNullAsFlinkDoes() throws Exception {
        AbstractKeyedStateBackend<String> stock = open(STOCK);
        AbstractKeyedStateBackend<String> accelerated = open(ACCELERATED);
        try {
            ListState<String> expected = list(stock);
            ListState<String> actual = list(accelerated);
            assertSameRefusals(actual, expected);
            ReadsAhead.of(accelerated).readAhead("list", List.of("key"));
            accelerated.setCurrentKey("key");
            actual.add("kept");
            assertSameRefusals(actual, expected);
            assertThat(actual.get()).containsExactly("kept");
        } finally {
            stock.dispose();
            accelerated.dispose();
        }
    }

    private static void assertSameRefusals(ListState<String> actual, ListState<String> expected) {
        List<String> withNull = Arrays.asList("a", null);
        assertSameRefusal(() -> actual.add(null), () -> expected.add(null));
        assertSameRefusal(() -> actual.addAll(null), () -> expected.addAll(null));
        assertSameRefusal(() -> actual.addAll(withNull), () -> expected.addAll(withNull));
        assertSameRefusal(() -> actual.update(null), () -> expected.update(null));
    }

    private static void assertSameRefusal(ThrowingCallable actual, ThrowingCallable expected) {
        Throwable refusal = catchThrowable(expected);
        assertThat(refusal).isNotNull();
        assertThat(catchThrowable(actual)).hasSameClassAs(refusal).hasMessage(refusal.getMessage());
    }

    private static ListState<String> list(AbstractKeyedStateBackend<String> backend)
            throws Exception {
        backend.setCurrentKey("key");
        return backend.getPartitionedState(
                VoidNamespace.INSTANCE,
                VoidNamespaceSerializer.INSTANCE,
                new ListStateDescriptor<>("list", StringSerializer.INSTANCE));
    }

    private AbstractKeyedStateBackend<String> open(Make make) throws Exception {
        return BackendHarness.open(
                make.create(BackendHarness.config(directory, Map.of())),
                StringSerializer.INSTANCE,
                128,
                KeyGroupRange.of(0, 127),
                List.of());
    }
}
