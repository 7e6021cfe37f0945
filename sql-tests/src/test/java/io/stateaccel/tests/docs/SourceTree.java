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
package io.stateaccel.tests.docs;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The files of this repository's modules, for what documentation says of them. */
final class SourceTree {

    private static final String POM = "pom.xml";

    private final List<String> modules;
    private final List<Path> classes;

    private SourceTree(List<String> modules, List<Path> classes) {
        this.modules = modules;
        this.classes = classes;
    }

    static SourceTree read() throws IOException {
        List<String> modules;
        try (Stream<Path> folders = Files.list(Page.REPOSITORY)) {
            modules =
                    folders.filter(folder -> Files.exists(folder.resolve(POM)))
                            .map(folder -> folder.getFileName().toString())
                            .toList();
        }
        Stream.Builder<Path> found = Stream.builder();
        for (String module : modules) {
            for (Path folder : sourceFolders(module)) {
                try (Stream<Path> files = Files.walk(folder)) {
                    files.filter(file -> file.toString().endsWith(".java"))
                            .map(Page.REPOSITORY::relativize)
                            .forEach(found::add);
                }
            }
        }
        return new SourceTree(modules, found.build().toList());
    }

    /** Mostly {@code src}; in {@code flink-seams} there is one per Flink line. */
    private static List<Path> sourceFolders(String module) throws IOException {
        try (Stream<Path> folders = Files.list(Page.REPOSITORY.resolve(module))) {
            return folders.filter(Files::isDirectory)
                    .filter(folder -> !folder.endsWith("target"))
                    .toList();
        }
    }

    List<String> modules() {
        return modules;
    }

    /** Whether there is a class of this full name. */
    boolean hasClass(String name) {
        Path end = Path.of(name.replace('.', '/') + ".java");
        return classes.stream().anyMatch(file -> file.endsWith(end));
    }

    /**
     * Full names of classes below {@code src/test} whose simple name matches.
     *
     * @param pattern as Surefire takes it: a name, or with {@code *}
     * @param among modules; all if empty
     */
    List<String> tests(String pattern, List<String> among) {
        PathMatcher name = FileSystems.getDefault().getPathMatcher("glob:" + pattern + ".java");
        return names(
                file ->
                        (among.isEmpty() || among.contains(file.getName(0).toString()))
                                && file.toString().contains("src/test/java")
                                && name.matches(file.getFileName()));
    }

    /** Full names of the classes of a module. */
    List<String> classesOf(String module) {
        return names(file -> file.startsWith(module));
    }

    private List<String> names(Predicate<Path> which) {
        return classes.stream()
                .filter(which)
                .map(Path::toString)
                .map(
                        file ->
                                file.replaceFirst(".*/(java|flink-[^/]*/(main|test))/", "")
                                        .replace(".java", ""))
                .map(file -> file.replace('/', '.'))
                .toList();
    }

    /** The source of a class. */
    String source(String name) {
        Path end = Path.of(name.replace('.', '/') + ".java");
        return Page.text(
                classes.stream().filter(file -> file.endsWith(end)).findFirst().orElseThrow());
    }

    /** Whether some source has this in it. */
    boolean mentions(String text) {
        return classes.stream().anyMatch(file -> Page.text(file).contains(text));
    }

    /** The build's files, as one text. */
    String builds() {
        StringBuilder all = new StringBuilder(Page.text(Path.of(POM)));
        modules.forEach(module -> all.append(Page.text(Path.of(module, POM))));
        return all.toString();
    }
}
