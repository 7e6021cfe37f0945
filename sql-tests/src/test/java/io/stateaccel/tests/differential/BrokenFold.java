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
package io.stateaccel.tests.differential;

import io.stateaccel.operators.join.MiniBatchJoinOperator;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.matcher.ElementMatchers;
import net.bytebuddy.pool.TypePool;

/**
 * Breaks the join, to prove that the fuzzer finds out. The operators are copied into a folder and
 * the byte code of the fold is changed there. On the class path of a job, the folder comes before
 * the class path of the test, so the tasks of that job run the broken join and nothing else does.
 */
final class BrokenFold {

    private static final String OPERATORS = "io/stateaccel/operators";

    /** Where the join folds the changes of one key and side; its second argument lists them. */
    private static final String CLASS = MiniBatchJoinOperator.class.getName();

    private static final String METHOD = "fold";

    private BrokenFold() {}

    /** Changes of one key are folded in the wrong order. */
    static final class Reverses {

        private Reverses() {}

        @Advice.OnMethodEnter
        static void reverse(@Advice.Argument(1) List<?> changes) {
            Collections.reverse(changes);
        }
    }

    /** The last of several changes of one key gets lost. */
    static final class ForgetsTheLast {

        private ForgetsTheLast() {}

        @Advice.OnMethodEnter
        static void forget(@Advice.Argument(1) List<?> changes) {
            if (changes.size() > 1) {
                changes.remove(changes.size() - 1);
            }
        }
    }

    /** A copy of the operators in which nothing is broken. */
    static List<URL> intact(Path folder) throws IOException, URISyntaxException {
        copyOperators(folder);
        return List.of(folder.toUri().toURL());
    }

    /**
     * @param advice what happens before each fold
     * @return what to put on the class path of a job
     */
    static List<URL> brokenBy(Class<?> advice, Path folder) throws IOException, URISyntaxException {
        copyOperators(folder);
        ClassFileLocator classFiles =
                ClassFileLocator.ForClassLoader.of(BrokenFold.class.getClassLoader());
        TypeDescription type = TypePool.Default.of(classFiles).describe(CLASS).resolve();
        if (type.getDeclaredMethods().filter(ElementMatchers.named(METHOD)).size() != 1) {
            throw new IllegalStateException(
                    "The join folds elsewhere now, and this has to break it there: no method "
                            + METHOD
                            + " in "
                            + CLASS);
        }
        new ByteBuddy()
                .redefine(type, classFiles)
                .visit(Advice.to(advice).on(ElementMatchers.named(METHOD)))
                .make()
                .saveIn(folder.toFile());
        return List.of(folder.toUri().toURL());
    }

    private static void copyOperators(Path folder) throws IOException, URISyntaxException {
        Path location =
                Path.of(
                        MiniBatchJoinOperator.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        if (Files.isDirectory(location)) {
            copy(location, folder);
        } else {
            try (FileSystem jar = FileSystems.newFileSystem(location)) {
                copy(jar.getPath("/"), folder);
            }
        }
    }

    private static void copy(Path root, Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(root.resolve(OPERATORS))) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Path copy = folder.resolve(root.relativize(file).toString());
                Files.createDirectories(copy.getParent());
                Files.copy(file, copy);
            }
        }
    }
}
