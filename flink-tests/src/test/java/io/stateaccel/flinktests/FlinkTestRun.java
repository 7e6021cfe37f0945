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
package io.stateaccel.flinktests;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.platform.engine.FilterResult;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * One class of Flink's tests, run in one {@link Mode} by a JUnit of its own within this JVM, so
 * that its failures are outcomes to compare and no failures yet.
 *
 * @param outcomes of the tests that ran; what Flink has disabled and what a test itself says does
 *     not apply to its parameters is not among them
 * @param skipped how many did not run
 * @param acceleratedNodes how many nodes of the plans were accelerated, by class
 */
record FlinkTestRun(List<Outcome> outcomes, int skipped, Map<String, Integer> acceleratedNodes) {

    /** A test that hangs would take the build with it. Flink's take seconds. */
    private static final String TIMEOUT = "300 s";

    /**
     * @param testClass a class of Flink's tests
     * @param methods the names of the methods to run
     */
    static FlinkTestRun of(Class<?> testClass, Mode mode, Predicate<String> methods) {
        if (Modifier.isAbstract(testClass.getModifiers())) {
            throw new IllegalArgumentException(testClass + " is abstract");
        }
        final LauncherDiscoveryRequest request =
                LauncherDiscoveryRequestBuilder.request()
                        .selectors(DiscoverySelectors.selectClass(testClass))
                        .filters(
                                (PostDiscoveryFilter)
                                        test ->
                                                FilterResult.includedIf(
                                                        test.getSource()
                                                                .filter(
                                                                        MethodSource.class
                                                                                ::isInstance)
                                                                .map(MethodSource.class::cast)
                                                                .map(MethodSource::getMethodName)
                                                                .map(methods::test)
                                                                .orElse(true)))
                        .configurationParameter("junit.jupiter.execution.timeout.default", TIMEOUT)
                        .build();
        final Recorder recorder = new Recorder(FlinkTestClasses.shortNameOf(testClass));
        Mode.set(mode);
        AcceleratingPlanner.takeTranslated();
        LauncherFactory.create().execute(request, recorder);
        return new FlinkTestRun(
                recorder.outcomes, recorder.skipped, AcceleratingPlanner.takeTranslated());
    }

    /** For a line of the build's output. */
    String describe() {
        final long equal = outcomes.stream().filter(Outcome::held).count();
        return equal
                + " of "
                + outcomes.size()
                + " equal, "
                + skipped
                + " skipped, accelerated nodes "
                + acceleratedNodes;
    }

    /** Notes outcomes. JUnit calls it from the thread that runs the tests. */
    private static final class Recorder implements TestExecutionListener {

        private final String testClass;
        private final List<Outcome> outcomes = new ArrayList<>();
        private int skipped;

        Recorder(String testClass) {
            this.testClass = testClass;
        }

        @Override
        public void executionSkipped(TestIdentifier test, String reason) {
            skipped++;
        }

        @Override
        public void executionFinished(TestIdentifier test, TestExecutionResult result) {
            switch (result.getStatus()) {
                case SUCCESSFUL -> {
                    if (test.isTest()) {
                        outcomes.add(outcome(test, Optional.empty()));
                    }
                }
                case ABORTED -> skipped++;
                case FAILED ->
                        outcomes.add(
                                outcome(
                                        test,
                                        Optional.of(
                                                result.getThrowable()
                                                        .orElseGet(AssertionError::new))));
            }
        }

        /** A class may fail as well, in what comes before and after all of its tests. */
        private Outcome outcome(TestIdentifier test, Optional<Throwable> failure) {
            final Optional<String> method =
                    test.getSource()
                            .filter(MethodSource.class::isInstance)
                            .map(source -> ((MethodSource) source).getMethodName());
            final String name = method.map(m -> testClass + "." + m).orElse(testClass);
            final String shown = test.getDisplayName();
            final boolean isPlain = method.map(m -> shown.equals(m + "()")).orElse(true);
            return new Outcome(name, isPlain ? "" : withoutPlace(shown), failure);
        }

        /** Neither the number of a test among others nor the folder that this build is in. */
        private static String withoutPlace(String parameters) {
            return parameters
                    .replaceFirst("^\\[\\d+] ", "")
                    .replace(System.getProperty("user.dir") + "/src/test/resources/", "");
        }
    }
}
