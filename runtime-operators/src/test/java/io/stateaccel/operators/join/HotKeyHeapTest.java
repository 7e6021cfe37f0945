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
package io.stateaccel.operators.join;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A join key with far more rows than the heap could hold. {@code -Dstateaccel.hot-rows=5000000} for
 * the size users have.
 */
class HotKeyHeapTest {

    private static final int ROWS = Integer.getInteger("stateaccel.hot-rows", 1_000_000);

    /** What a JVM with Flink's harness needs, a bundle of rows and their results, and 64 MiB. */
    private static final String HEAP = "-Xmx112m";

    private static final long LARGEST_VALUE = 1 << 20;

    @ParameterizedTest
    @ValueSource(strings = {"inserts", "distinct", "equal"})
    void joinsWithinABoundedHeap(String what) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.startsWith("--add-opens"))
                .forEach(command::add);
        command.addAll(
                List.of(
                        HEAP,
                        "-XX:+UseSerialGC",
                        "-cp",
                        System.getProperty("java.class.path"),
                        HotKeyRun.class.getName(),
                        Integer.toString(ROWS),
                        what));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        String[] words = output.substring(output.lastIndexOf("rows ")).split("\\s+");
        assertThat(words[3]).as("padded: " + output).isEqualTo(words[1]);
        assertThat(words[5]).as("pairs: " + output).isEqualTo(words[7]);
        assertThat(Long.parseLong(words[9])).as(output).isPositive().isLessThan(LARGEST_VALUE);
    }
}
