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

import io.stateaccel.tests.differential.CaseRunner.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What came out of comparing a case with stock Flink.
 *
 * @param joinTypes of the joins that were accelerated, on all backends
 * @param failures in words, none if all is well
 */
record Verdict(DifferentialCase testCase, List<String> joinTypes, List<String> failures) {

    /** How a failure begins that is a wrong result. */
    static final String WRONG_RESULT = "The result differs from stock Flink";

    /** How many cases share a job. The settings of a job follow from the number of its batch. */
    static final int BATCH = 10;

    /**
     * Runs cases of one batch on stock Flink and, in every variant of the batch, accelerated.
     *
     * @return one verdict for each case, in order
     */
    static List<Verdict> ofBatch(CaseRunner runner, List<DifferentialCase> cases) {
        List<Variant> variants = Variant.ofBatch(cases.get(0).seed() / BATCH);
        List<Verdict> verdicts =
                cases.stream()
                        .map(each -> new Verdict(each, new ArrayList<>(), new ArrayList<>()))
                        .toList();
        Map<Long, Outcome> expected;
        try {
            expected = runner.run(cases, Variant.ORACLE);
        } catch (Exception e) {
            return ofEach(runner, verdicts, Variant.ORACLE, e);
        }
        for (Variant variant : variants) {
            try {
                Map<Long, Outcome> actual = runner.run(cases, variant);
                verdicts.forEach(
                        verdict -> {
                            long seed = verdict.testCase.seed();
                            verdict.compare(variant, expected.get(seed), actual.get(seed));
                        });
            } catch (Exception e) {
                return ofEach(runner, verdicts, variant, e);
            }
        }
        return verdicts;
    }

    /** A job has failed: finds out whose case it was by giving each one a job of its own. */
    private static List<Verdict> ofEach(
            CaseRunner runner, List<Verdict> verdicts, Variant variant, Exception failure) {
        if (verdicts.size() == 1) {
            Verdict verdict = verdicts.get(0);
            verdict.failures.add(Differential.describeFailure(verdict.testCase, variant, failure));
            return verdicts;
        }
        List<Verdict> alone = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            alone.addAll(ofBatch(runner, List.of(verdict.testCase)));
        }
        if (alone.stream().allMatch(verdict -> verdict.failures.isEmpty())) {
            // It takes company to fail: then it is everybody's failure.
            alone.forEach(
                    verdict ->
                            verdict.failures.add(
                                    "Fails only together with the other cases of its batch: "
                                            + Differential.describeFailure(
                                                    verdict.testCase, variant, failure)));
        }
        return alone;
    }

    private void compare(Variant variant, Outcome expected, Outcome actual) {
        List<String> differences = Differential.differences(expected.rows(), actual.rows());
        if (!differences.isEmpty()) {
            failures.add(
                    Differential.describeDifferences(
                            testCase, variant, actual.operators(), differences));
        }
        if (actual.upserted().isPresent() && !actual.upserted().get().equals(actual.rows())) {
            failures.add(
                    Differential.describeDifferences(
                            testCase,
                            variant,
                            actual.operators(),
                            Differential.differences(actual.rows(), actual.upserted().get())));
        }
        for (String complaint : Acceleration.complaints(actual)) {
            failures.add(complaint + "\n" + Differential.describe(testCase, variant));
        }
        joinTypes.addAll(Acceleration.joinTypes(actual));
        if (Acceleration.isAggregatedBeforeJoin(testCase.shape(), actual)) {
            joinTypes.add("Aggregate+InnerJoin");
        }
    }
}
