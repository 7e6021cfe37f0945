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
package io.stateaccel.rocksdb.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class ThreadFileReadsTest {

    @TempDir private Path directory;

    @Test
    void readsWhatTheKernelTells() throws IOException {
        Path thread = Files.createDirectories(directory.resolve("7/task/9"));
        Files.createSymbolicLink(directory.resolve("thread-self"), Path.of("7/task/9"));
        Files.writeString(
                thread.resolve("io"),
                "rchar: 6976\nwchar: 1\nsyscr: 10\nsyscw: 2\nread_bytes: 4096\nwrite_bytes: 5\n");

        assertThat(ThreadFileReads.of(directory).orElseThrow().read())
                .isEqualTo(new ThreadFileReads.Counters(10, 4096));
    }

    @Test
    void knowsNothingOnOtherSystems() {
        assertThat(ThreadFileReads.of(directory)).isEmpty();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void countsTheThreadThatAskedAndNoOther() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "text");
        ThreadFileReads own = ThreadFileReads.ofCurrentThread().orElseThrow();
        AtomicReference<ThreadFileReads> others = new AtomicReference<>();
        long before = own.read().reads();
        Thread other =
                new Thread(() -> others.set(ThreadFileReads.ofCurrentThread().orElseThrow()));
        other.start();
        other.join();
        for (int i = 0; i < 1000; i++) {
            Files.readString(file);
        }

        assertThat(own.read().reads()).isGreaterThanOrEqualTo(before + 1000);
        // The kernel ends a thread a little after Java says that it has ended.
        assertTimeoutPreemptively(
                Duration.ofMinutes(1),
                () -> {
                    while (isRead(others.get())) {
                        Thread.onSpinWait();
                    }
                });
    }

    private static boolean isRead(ThreadFileReads reads) {
        try {
            reads.read();
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
