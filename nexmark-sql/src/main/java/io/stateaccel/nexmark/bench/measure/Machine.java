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
package io.stateaccel.nexmark.bench.measure;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.apache.flink.runtime.util.EnvironmentInformation;

/**
 * Where figures were measured.
 *
 * @param cpu model of the processor, "unknown" where the system does not tell
 * @param memoryBytes physical memory
 */
public record Machine(
        String operatingSystem, String cpu, int cores, long memoryBytes, String jdk, String flink) {

    public static Machine here() {
        OperatingSystemMXBean system =
                (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        return new Machine(
                system.getName() + " " + system.getVersion() + " " + system.getArch(),
                cpuModel(),
                system.getAvailableProcessors(),
                system.getTotalMemorySize(),
                System.getProperty("java.vm.name") + " " + Runtime.version(),
                EnvironmentInformation.getVersion());
    }

    private static String cpuModel() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }
}
