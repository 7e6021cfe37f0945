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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.runtime.state.AbstractKeyedStateBackend;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Lists that are read ahead and written in batches hold what Flink's hold, and refuse what those
 * refuse, in the same words.
 */
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

    @RepeatedTest(10)
    void holdsWhatFlinksHolds() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        AbstractKeyedStateBackend<String> stock = open(STOCK);
        AbstractKeyedStateBackend<String> accelerated = open(ACCELERATED);
        try {
            ListState<String> expected = list(stock);
            ListState<String> actual = list(accelerated);
            if (random.nextBoolean()) {
                ReadsAhead.of(accelerated).keepLists("list");
            }
            List<String> keys = IntStream.range(0, 40).mapToObj(i -> "key " + i).toList();
            for (int i = 0; i < 2_000; i++) {
                if (random.nextInt(20) == 0) {
                    List<String> ahead = new ArrayList<>(keys);
                    ahead.removeIf(key -> random.nextBoolean());
                    ReadsAhead.of(accelerated).readAhead("list", ahead);
                }
                String key = keys.get(random.nextInt(keys.size()));
                stock.setCurrentKey(key);
                accelerated.setCurrentKey(key);
                if (random.nextInt(3) == 0) {
                    assertThat(actual.get()).as("seed %d", seed).isEqualTo(expected.get());
                } else {
                    long change = random.nextLong();
                    change(expected, new Random(change));
                    change(actual, new Random(change));
                }
            }
            for (String key : keys) {
                stock.setCurrentKey(key);
                accelerated.setCurrentKey(key);
                assertThat(actual.get()).as("seed %d", seed).isEqualTo(expected.get());
            }
            assertThat(keysOf(accelerated)).as("seed %d", seed).isEqualTo(keysOf(stock));
        } finally {
            stock.dispose();
            accelerated.dispose();
        }
    }

    private static void change(ListState<String> state, Random random) throws Exception {
        // Some fill a batch alone.
        int length = random.nextInt(50) == 0 ? 600_000 : random.nextInt(2_000);
        String value = (char) ('a' + random.nextInt(26)) + "-".repeat(length);
        switch (random.nextInt(6)) {
            case 0 -> state.add(value);
            case 1 -> state.addAll(List.of(value, "and another"));
            case 2 -> state.addAll(List.of());
            case 3 -> state.update(List.of(value, "instead"));
            case 4 -> state.update(List.of());
            default -> state.clear();
        }
    }

    private static Set<String> keysOf(AbstractKeyedStateBackend<String> backend) {
        try (Stream<String> keys = backend.getKeys("list", VoidNamespace.INSTANCE)) {
            return keys.collect(Collectors.toSet());
        }
    }

    private static void assertSameRefusals(ListState<String> actual, ListState<String> expected) {
        List<String> withNull = Arrays.asList("a", null);
        assertSameRefusal(() -> actual.add(null), () -> expected.add(null));
        assertSameRefusal(() -> actual.addAll(null), () -> expected.addAll(null));
        assertSameRefusal(() -> actual.addAll(withNull), () -> expected.addAll(withNull));
        assertSameRefusal(() -> actual.update(null), () -> expected.update(null));
        assertSameRefusal(() -> actual.update(withNull), () -> expected.update(withNull));
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
