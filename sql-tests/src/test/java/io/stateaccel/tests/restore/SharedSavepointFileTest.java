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
package io.stateaccel.tests.restore;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.KeyGroupRangeOffsets;
import org.apache.flink.runtime.state.KeyGroupsSavepointStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.SharedStateRegistry;
import org.apache.flink.runtime.state.SharedStateRegistryImpl;
import org.apache.flink.runtime.state.changelog.ChangelogStateBackendHandle.ChangelogStateBackendHandleImpl;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What Flink does on the changelog backend with a file of a canonical savepoint that two sub-tasks
 * share after a rescale. When this fails, Flink has mended it: a job of a {@link Cell} on that
 * backend may fail after it was rescaled then, and docs/reliability.md need not warn of it.
 */
class SharedSavepointFileTest {

    private static final KeyGroupRange FIRST = KeyGroupRange.of(0, 0);
    private static final KeyGroupRange SECOND = KeyGroupRange.of(1, 1);

    @TempDir private Path directory;

    @Test
    void isDeletedWhileOneOfThemNeedsIt() throws Exception {
        Path file = Files.write(directory.resolve("state"), new byte[100]);
        KeyedStateHandle savepoint =
                new KeyGroupsSavepointStateHandle(
                        new KeyGroupRangeOffsets(KeyGroupRange.of(0, 1), new long[] {0, 50}),
                        new FileStateHandle(new org.apache.flink.core.fs.Path(file.toUri()), 100));
        KeyedStateHandle first = restored(savepoint, FIRST);
        KeyedStateHandle second = restored(savepoint, SECOND);
        SharedStateRegistry registry = new SharedStateRegistryImpl();

        first.registerSharedStates(registry, 2);
        second.registerSharedStates(registry, 2);
        registry.unregisterUnusedState(2);
        assertThat(file).exists();

        // In checkpoint 3 the first sub-task has what it has materialised since.
        second.registerSharedStates(registry, 3);
        registry.unregisterUnusedState(3);
        assertThat(file).doesNotExist();
    }

    private static KeyedStateHandle restored(KeyedStateHandle savepoint, KeyGroupRange keyGroups) {
        return ChangelogStateBackendHandleImpl.getChangelogStateBackendHandle(
                savepoint.getIntersection(keyGroups));
    }
}
