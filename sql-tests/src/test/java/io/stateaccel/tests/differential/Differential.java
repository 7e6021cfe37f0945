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

import io.stateaccel.tests.differential.QueryGenerator.Shape;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Compares what two runs gave, row by row, and says what a developer needs to run them again. */
public final class Differential {

    private static final int SHOWN = 20;

    private Differential() {}

    /** The rows that occur a different number of times, in words; empty when the results agree. */
    public static List<String> differences(
            Map<String, Integer> expected, Map<String, Integer> actual) {
        Map<String, Integer> all = new TreeMap<>(expected);
        all.putAll(actual);
        List<String> differences = new ArrayList<>();
        for (String row : all.keySet()) {
            int wanted = expected.getOrDefault(row, 0);
            int got = actual.getOrDefault(row, 0);
            if (wanted != got) {
                differences.add("%s: expected %d times, got %d".formatted(row, wanted, got));
            }
        }
        return differences;
    }

    static String describeDifferences(
            DifferentialCase testCase,
            Variant variant,
            List<String> operators,
            List<String> differences) {
        return """
               %s in %d rows
               %s
               %s
               %s
               """
                .formatted(
                        Verdict.WRONG_RESULT,
                        differences.size(),
                        describe(testCase, variant),
                        String.join(
                                System.lineSeparator(),
                                differences.subList(0, Math.min(SHOWN, differences.size()))),
                        String.join(System.lineSeparator(), operators));
    }

    static String describeFailure(DifferentialCase testCase, Variant variant, Exception failure) {
        StringWriter trace = new StringWriter();
        failure.printStackTrace(new PrintWriter(trace));
        return "The job has failed%n%s%n%s".formatted(describe(testCase, variant), trace);
    }

    /** The case, how it was run, and the command that runs it again. */
    static String describe(DifferentialCase testCase, Variant variant) {
        return """
               %s
               %s
               replay: mvn -pl sql-tests -am test -Dtest=%s \
               -Dsurefire.failIfNoSpecifiedTests=false -Dstateaccel.seed=%d
               """
                .formatted(
                        variant,
                        testCase,
                        Shape.byTime().contains(testCase.shape())
                                ? "TimeDifferentialTest"
                                : "DifferentialTest",
                        testCase.seed());
    }
}
