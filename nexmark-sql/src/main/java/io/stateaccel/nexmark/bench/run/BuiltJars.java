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

import io.stateaccel.nexmark.bench.common.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The jars of our own build, for clusters that run in other JVMs. */
public final class BuiltJars {

    private BuiltJars() {}

    /**
     * The accelerator and the Nexmark tables.
     *
     * @throws UserError if one is not built
     */
    static List<Path> all() {
        return List.of(built("distribution", "flink-sql-state-accel-"), nexmark());
    }

    /**
     * The Nexmark tables and the DataStream programs.
     *
     * @throws UserError if it is not built
     */
    static Path nexmark() {
        return built("nexmark-sql", "nexmark-sql-");
    }

    /** The jars of a directory whose names begin like that; none if there is no directory. */
    static List<Path> in(Path directory, String prefix) {
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(
                            file -> {
                                String name = file.getFileName().toString();
                                return name.startsWith(prefix) && name.endsWith(".jar");
                            })
                    .toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static Path built(String module, String prefix) {
        String folder = System.getProperty("bench.build", "target");
        List<Path> jars =
                in(Path.of(System.getProperty("bench.root", "."), module, folder), prefix);
        if (jars.isEmpty()) {
            throw new UserError(
                    module
                            + "/"
                            + folder
                            + " has no "
                            + prefix
                            + "*.jar; build it with: mvn -DskipTests package");
        }
        return jars.get(0).toAbsolutePath();
    }
}
