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
package io.stateaccel.tests.chaos;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.takesNoArguments;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.method.MethodDescription;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.matcher.ElementMatcher;
import net.bytebuddy.pool.TypePool;

/**
 * Ways to break recovery, to prove that the chaos test finds out. One class is changed in byte code
 * and goes into a jar of its own. In {@code lib} the jar sorts before those that hold the class, so
 * the processes that are started with it run the broken one.
 */
enum Sabotage {

    /** Checkpoints lack what only the cache holds: a dirty entry is lost. */
    CACHE_IS_NOT_WRITTEN_BACK(
            "io.stateaccel.rocksdb.cache.SubTaskCache",
            named("writeBack").and(takesNoArguments()),
            Skipped.class,
            "bids_per_auction",
            "bidders_per_channel",
            "last_bids",
            "highest_bids",
            "average_final_prices"),

    /** Sources go on from before the checkpoint: events are applied twice. */
    SOURCE_STEPS_BACK(
            "io.stateaccel.nexmark.connector.EventLane",
            named("next"),
            StepsBack.class,
            "bids_per_auction",
            "bidders_per_channel");

    private static final String JAR = "broken.jar";

    private final String type;
    private final ElementMatcher<MethodDescription> method;
    private final Class<?> advice;
    private final List<String> spoiled;

    Sabotage(
            String type,
            ElementMatcher<MethodDescription> method,
            Class<?> advice,
            String... spoiled) {
        this.type = type;
        this.method = method;
        this.advice = advice;
        this.spoiled = List.of(spoiled);
    }

    /** The tables that cannot be right after a kill. */
    List<String> spoils() {
        return spoiled;
    }

    /** The method does nothing. */
    static final class Skipped {

        private Skipped() {}

        @Advice.OnMethodEnter(skipOn = Advice.OnNonDefaultValue.class)
        static boolean skip() {
            return true;
        }
    }

    /** A lane that goes on begins with events already read; of any five, one is a bid. */
    static final class StepsBack {

        private StepsBack() {}

        @Advice.OnMethodExit
        static void back(
                @Advice.FieldValue("step") long step, @Advice.Return(readOnly = false) long next) {
            if (next >= 5 * step) {
                next -= 5 * step;
            }
        }
    }

    /**
     * Makes the jar with the broken class.
     *
     * @return a jar whose name sorts before that of any other in {@code lib}
     */
    Path jar(Path folder) throws IOException {
        ClassFileLocator classFiles =
                ClassFileLocator.ForClassLoader.of(Sabotage.class.getClassLoader());
        TypeDescription broken = TypePool.Default.of(classFiles).describe(type).resolve();
        if (broken.getDeclaredMethods().filter(method).size() != 1) {
            throw new IllegalStateException(
                    "To be broken elsewhere now: no " + method + " in " + type);
        }
        Path jar = folder.resolve(JAR);
        new ByteBuddy()
                .redefine(broken, classFiles)
                .visit(Advice.to(advice).on(method))
                .make()
                .toJar(jar.toFile());
        return jar;
    }
}
