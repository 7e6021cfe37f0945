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
package io.stateaccel.nexmark.bench.run;

import io.stateaccel.nexmark.bench.common.BuildProperties;
import java.util.ArrayList;
import java.util.List;

/**
 * The task manager of every run: 8 GB with Flink's default shares. A distribution works the shares
 * out itself; the embedded cluster and its JVM are given the same figures.
 */
public final class TaskManagerSize {

    /** Value of {@code taskmanager.memory.process.size}. */
    static final String PROCESS = "8g";

    /** What Flink makes of it: 40% of what is left after metaspace and JVM overhead. */
    public static final String MANAGED = "2847m";

    /** Task and framework heap. */
    private static final String HEAP = "3430m";

    private TaskManagerSize() {}

    /** Arguments of a JVM that takes the task manager's place. */
    static List<String> jvmArguments() {
        List<String> arguments = new ArrayList<>(openings());
        arguments.add("-Xmx" + HEAP);
        arguments.add("-Xms" + HEAP);
        arguments.add("-XX:+UseG1GC");
        return arguments;
    }

    /** Arguments that open the JDK as far as Flink needs it. */
    static List<String> openings() {
        return List.of(BuildProperties.get("jvm.openings").split("\\s+"));
    }
}
