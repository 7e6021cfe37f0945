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
package io.stateaccel.tests.cluster;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A private {@code FLINK_HOME}: its {@code lib} and configuration belong to one test.
 *
 * <p>The unmodified distribution comes from {@code tools/assemble-flink}, or from {@code
 * -Dstateaccel.flink-home=DIR}. It is never changed. A private one costs little: jars are hard
 * links to it, and only what Flink or a test may write is copied.
 */
public final class FlinkDistribution {

    /** The line that is tested. */
    static final String LINE = System.getProperty("stateaccel.flink-line", "2.3");

    private static final Duration ASSEMBLY_DEADLINE = Duration.ofMinutes(15);
    private static final Duration SQL_DEADLINE = Duration.ofMinutes(5);

    /** What Flink's scripts would otherwise take from the developer's own Flink. */
    private static final List<String> FOREIGN_VARIABLES =
            List.of(
                    "FLINK_HOME",
                    "FLINK_LIB_DIR",
                    "FLINK_OPT_DIR",
                    "FLINK_PLUGINS_DIR",
                    "FLINK_BIN_DIR",
                    "FLINK_ENV_JAVA_OPTS",
                    "HADOOP_CLASSPATH",
                    "HADOOP_CONF_DIR",
                    "JVM_ARGS");

    private static final Pattern JVM_OPTIONS =
            Pattern.compile("^ +all: (--add-exports.*)$", Pattern.MULTILINE);

    private final Path home;
    private final Path run;
    private final String jvmOptions;
    private final Map<String, String> variables = new LinkedHashMap<>();

    private FlinkDistribution(Path home, Path run) {
        this.home = home;
        this.run = run;
        this.jvmOptions = readJvmOptions(home.resolve("conf/config.yaml"));
    }

    /**
     * Makes a private distribution.
     *
     * @param name of the folder of the test; whatever an earlier run left in it is removed
     */
    public static FlinkDistribution create(String name) throws IOException, InterruptedException {
        String given = System.getProperty("stateaccel.flink-home");
        return create(
                name, given != null ? Path.of(given).toAbsolutePath() : stock(LINE, "flink-stock"));
    }

    /**
     * As {@link #create(String)}, of another Flink line.
     *
     * @param line such as 1.20
     */
    static FlinkDistribution create(String name, String line)
            throws IOException, InterruptedException {
        return create(name, stock(line, "flink-stock-" + line));
    }

    private static FlinkDistribution create(String name, Path stock)
            throws IOException, InterruptedException {
        Path folder = workFolder(name);
        deleteRecursively(folder);
        Path home = folder.resolve("flink");
        copyOrLink(stock, home);
        Path run = Files.createDirectories(folder.resolve("run"));
        Files.createDirectories(run.resolve("log"));
        Files.createDirectories(run.resolve("pid"));
        Files.createDirectories(run.resolve("tmp"));
        FlinkDistribution distribution = new FlinkDistribution(home, run);
        distribution.configure(Map.of());
        return distribution;
    }

    private static Path stock(String line, String folder) throws IOException, InterruptedException {
        Path repository = Path.of("..").toAbsolutePath().normalize();
        Path stock = buildFolder().resolve(folder);
        String tool = repository.resolve("tools/assemble-flink").toString();
        // Tests that run at the same time need not download it each.
        try (FileChannel channel =
                        FileChannel.open(
                                buildFolder().resolve("assembly.lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                FileLock lock = channel.lock()) {
            Command.Result result =
                    Command.run(
                            List.of(tool, "--flink", line, stock.toString()),
                            repository,
                            Map.of(),
                            ASSEMBLY_DEADLINE);
            if (result.exitCode() != 0) {
                throw new IOException("No Flink distribution to test with: " + result.output());
            }
        }
        return stock;
    }

    /** Where a test of a cluster leaves its files. */
    public static Path workFolder(String name) {
        return buildFolder().resolve("cluster").resolve(name);
    }

    /** What is built, and what tests leave, of the Flink line that is tested. */
    private static Path buildFolder() {
        return Path.of(System.getProperty("stateaccel.build-folder", "target")).toAbsolutePath();
    }

    /**
     * A jar of this build, which Maven put there before the cluster tests.
     *
     * @param name what its name begins with
     */
    public static Path builtJar(String name) throws IOException {
        Path lib = buildFolder().resolve("lib");
        try (Stream<Path> jars = Files.list(lib)) {
            return jars.filter(path -> path.getFileName().toString().startsWith(name))
                    .findFirst()
                    .orElseThrow(() -> new IOException(lib + " has no " + name + " jar"));
        }
    }

    /** The folder that Flink's scripts call {@code FLINK_HOME}. */
    public Path home() {
        return home;
    }

    /** Where logs, pid files, checkpoints and temporary files of this distribution go. */
    public Path runFolder() {
        return run;
    }

    /** Puts a jar into {@code lib}. */
    public void install(Path jar) throws IOException {
        install(jar, jar.getFileName().toString());
    }

    /** Puts a jar into {@code lib} under another name; the name decides the class path's order. */
    public void install(Path jar, String name) throws IOException {
        Files.copy(jar, home.resolve("lib").resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Writes {@code config.yaml}: the settings given, and what every Flink on this JDK needs. */
    public void configure(Map<String, String> settings) throws IOException {
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.put("env.java.opts.all", jvmOptions);
        all.put("io.tmp.dirs", run.resolve("tmp").toString());
        Files.writeString(
                home.resolve("conf/config.yaml"),
                all.entrySet().stream()
                        .map(entry -> entry.getKey() + ": '" + entry.getValue() + "'\n")
                        .collect(Collectors.joining()));
    }

    /** Puts variables into the environment of all processes that are started from now on. */
    public void setVariables(Map<String, String> values) {
        variables.putAll(values);
    }

    /** Runs statements through {@code sql-client.sh -f}, as a user would. */
    public Command.Result runSql(String statements) throws IOException, InterruptedException {
        Path file = Files.writeString(run.resolve("statements.sql"), statements);
        return runScript(SQL_DEADLINE, "sql-client.sh", "-f", file.toString());
    }

    /** Runs one of Flink's own scripts with this distribution's folders. */
    Command.Result runScript(Duration deadline, String script, String... arguments)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(home.resolve("bin").resolve(script).toString());
        command.addAll(List.of(arguments));
        return Command.run(command, home, environment(), deadline);
    }

    private Map<String, String> environment() {
        Map<String, String> environment = new LinkedHashMap<>(variables);
        FOREIGN_VARIABLES.forEach(name -> environment.put(name, null));
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.put("FLINK_CONF_DIR", home.resolve("conf").toString());
        environment.put("FLINK_LOG_DIR", run.resolve("log").toString());
        environment.put("FLINK_PID_DIR", run.resolve("pid").toString());
        environment.put("FLINK_IDENT_STRING", "stateaccel");
        return environment;
    }

    /**
     * The text of all files in the log folder whose names contain a word, such as {@code
     * sql-client} or {@code taskexecutor}.
     */
    public String logs(String nameContains) {
        return textOf(
                run.resolve("log"), path -> path.getFileName().toString().contains(nameContains));
    }

    /**
     * The process ids that Flink's scripts wrote down for processes they started, oldest first.
     *
     * @param daemon what the scripts call that kind of process, such as {@code taskexecutor}
     */
    List<Long> processIds(String daemon) {
        return textOf(run.resolve("pid"), path -> path.toString().endsWith(daemon + ".pid"))
                .lines()
                .map(Long::valueOf)
                .toList();
    }

    /**
     * All files below a folder, or the file itself. Other than {@code Files.walk} it does not mind
     * that a running job deletes files in the meantime.
     */
    public static Stream<Path> filesBelow(Path folder) {
        File[] children = folder.toFile().listFiles();
        return children == null
                ? Stream.of(folder)
                : Arrays.stream(children).flatMap(child -> filesBelow(child.toPath()));
    }

    private static String textOf(Path folder, Predicate<Path> filter) {
        try (Stream<Path> files = Files.list(folder)) {
            StringBuilder text = new StringBuilder();
            for (Path file : files.filter(filter).sorted().toList()) {
                text.append(Files.readString(file));
            }
            return text.toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String readJvmOptions(Path config) {
        try {
            Matcher matcher = JVM_OPTIONS.matcher(Files.readString(config));
            if (!matcher.find()) {
                throw new IllegalStateException(config + " does not open the JDK for Flink");
            }
            return matcher.group(1);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void copyOrLink(Path from, Path to) throws IOException {
        Files.walkFileTree(
                from,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes ignored)
                            throws IOException {
                        Files.createDirectories(to.resolve(from.relativize(dir).toString()));
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes ignored)
                            throws IOException {
                        Path copy = to.resolve(from.relativize(file).toString());
                        if (!file.toString().endsWith(".jar") || !link(file, copy)) {
                            Files.copy(file, copy, StandardCopyOption.COPY_ATTRIBUTES);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    /** False when the two folders are on different file systems, or theirs has no hard links. */
    private static boolean link(Path file, Path copy) {
        try {
            Files.createLink(copy, file);
            return true;
        } catch (IOException | UnsupportedOperationException e) {
            return false;
        }
    }

    private static void deleteRecursively(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> paths = Files.walk(folder)) {
                for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }
}
