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
package io.stateaccel.rocksdb.jni;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.apache.flink.state.rocksdb.StateAccelRocksDBAccess;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@link NativeFuzz}: with {@code -Dstateaccel.jni-calls=N} for longer, and with {@code
 * -Dstateaccel.seed=S} again.
 */
class NativeFuzzTest {

    @TempDir private Path directory;

    @Test
    void theJvmOutlivesEveryCall() throws Exception {
        StateAccelRocksDBAccess.ensureRocksDBIsLoaded(directory.toString());
        NativeTesting.library(directory);
        long seed = Long.getLong("stateaccel.seed", System.nanoTime());
        int calls = Integer.getInteger("stateaccel.jni-calls", 20_000);
        System.out.println("NativeFuzzTest seed " + seed + ", " + calls + " calls");

        ForkedJvm.Result result =
                ForkedJvm.start(
                                directory,
                                List.of(),
                                List.of(),
                                NativeFuzz.class,
                                directory,
                                seed,
                                calls)
                        .await();

        assertThat(result.output()).as("seed %s", seed).contains(NativeFuzz.DONE);
        assertThat(result.exitCode()).as("seed %s", seed).isZero();
    }
}
