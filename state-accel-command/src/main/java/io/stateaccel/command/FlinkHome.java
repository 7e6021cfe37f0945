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
package io.stateaccel.command;

import io.stateaccel.flink.FlinkVersionCheck;
import io.stateaccel.flink.JarLocation;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Flink distribution, whose jars are loaded beside those of the command: started with {@code java
 * -jar}, the command has no Flink on its class path.
 */
final class FlinkHome {

    private static final String DIST_JAR = "flink-dist";

    private static final Pattern VERSION = Pattern.compile(DIST_JAR + "-(.*)\\.jar");

    /** Another copy of what is running; the one that runs comes first, as in Flink's own lib. */
    private static final String OWN_JAR = "flink-sql-state-accel";

    private final Path lib;

    private FlinkHome(Path lib) {
        this.lib = lib;
    }

    /**
     * @throws NotFlinkException when it has no {@code lib} with Flink in it
     */
    static FlinkHome of(Path home) throws IOException, NotFlinkException {
        Path lib = home.resolve("lib");
        if (!Files.isDirectory(lib)) {
            throw new NotFlinkException("has no folder lib");
        }
        FlinkHome found = new FlinkHome(lib);
        Path dist =
                found.jars().stream()
                        .filter(jar -> isNamed(jar, DIST_JAR))
                        .findFirst()
                        .orElseThrow(
                                () ->
                                        new NotFlinkException(
                                                "has no flink-dist-<version>.jar in its folder"
                                                        + " lib"));
        Matcher version = VERSION.matcher(dist.getFileName().toString());
        Optional<String> mismatch =
                version.matches()
                        ? FlinkVersionCheck.describeMismatch(
                                version.group(1), JarLocation.describe(FlinkHome.class))
                        : Optional.empty();
        if (mismatch.isPresent()) {
            throw new NotFlinkException("is of another Flink line: " + mismatch.get());
        }
        return found;
    }

    /** Says that a folder is no Flink distribution. */
    static final class NotFlinkException extends Exception {

        private static final long serialVersionUID = 1L;

        NotFlinkException(String why) {
            super(why);
        }
    }

    /**
     * Loads a class of this jar together with Flink's, makes an instance of it and runs it. What
     * goes in is of the JDK: all other classes are there twice.
     *
     * @param className of a public {@code BiConsumer<Path, PrintWriter>} with a public constructor
     *     without parameters
     * @throws IOException when a class is missing
     */
    @SuppressWarnings("unchecked")
    void run(String className, Path input, PrintWriter out) throws IOException {
        List<URL> urls = new ArrayList<>();
        urls.add(FlinkHome.class.getProtectionDomain().getCodeSource().getLocation());
        for (Path jar : jars()) {
            urls.add(jar.toUri().toURL());
        }
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        // Not closed: what Flink does when the JVM ends may need more of its classes.
        ClassLoader loader =
                new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        thread.setContextClassLoader(loader);
        try {
            Object task = Class.forName(className, true, loader).getConstructor().newInstance();
            ((BiConsumer<Path, PrintWriter>) task).accept(input, out);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new IOException("Missing with the jars of " + lib + ": " + e.getMessage(), e);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    /** Sorted by name, as Flink's scripts do. */
    private List<Path> jars() throws IOException {
        try (Stream<Path> files = Files.list(lib)) {
            return files.filter(file -> file.toString().endsWith(".jar"))
                    .filter(file -> !isNamed(file, OWN_JAR))
                    .sorted()
                    .toList();
        }
    }

    private static boolean isNamed(Path jar, String prefix) {
        return jar.getFileName().toString().startsWith(prefix);
    }
}
