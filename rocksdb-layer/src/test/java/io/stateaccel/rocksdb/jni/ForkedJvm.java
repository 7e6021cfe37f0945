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

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM for what can happen once in a process only, or might end it. */
final class ForkedJvm {

    private static final long DEADLINE_SECONDS = 600;

    private final Process process;
    private final Path output;

    private ForkedJvm(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /** What a JVM gave. */
    record Result(int exitCode, String output) {}

    /**
     * Starts the main method of a class, on the class path of this JVM.
     *
     * @param directory where it runs
     * @param before what is to be on the class path before all else
     * @param options of the JVM
     */
    static ForkedJvm start(
            Path directory,
            List<Path> before,
            List<String> options,
            Class<?> main,
            Object... arguments)
            throws IOException {
        StringBuilder classPath = new StringBuilder();
        before.forEach(path -> classPath.append(path).append(File.pathSeparator));
        classPath.append(System.getProperty("java.class.path"));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-XX:-CreateCoredumpOnCrash"));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath.toString(), main.getName()));
        List.of(arguments).forEach(argument -> command.add(argument.toString()));
        Path output = Files.createTempFile("stateaccel-jvm", ".out");
        Process process =
                new ProcessBuilder(command)
                        .directory(directory.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(output.toFile())
                        .start();
        return new ForkedJvm(process, output);
    }

    /** Waits for its end. */
    Result await() throws IOException, InterruptedException {
        try {
            if (!process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS)) {
                throw new IOException("It did not end: " + Files.readString(output));
            }
            return new Result(process.exitValue(), Files.readString(output));
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }
}
