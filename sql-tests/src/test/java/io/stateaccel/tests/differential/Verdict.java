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

import io.stateaccel.tests.differential.CasePlanner.CannotPlanException;
import io.stateaccel.tests.differential.CaseRunner.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What came out of comparing a case with stock Flink.
 *
 * @param joinTypes of the joins that were accelerated, on all backends
 * @param failures in words, none if all is well
 * @param stockFailures in words, where stock Flink gives a wrong result; ours may be wrong as well
 * @param unplanned why there is nothing to compare with, where stock Flink has no plan
 */
record Verdict(
        DifferentialCase testCase,
        List<String> joinTypes,
        List<String> failures,
        List<String> stockFailures,
        Optional<String> unplanned) {

    /** How a failure begins that is a wrong result. */
    static final String WRONG_RESULT = "The result differs from stock Flink";

    /** Enough to see what depends on threads in stock Flink too. */
    private static final int STOCK_RUNS = 5;

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
                cases.stream().map(each -> Verdict.of(each, Optional.empty())).toList();
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
                            verdict.compare(runner, variant, expected.get(seed), actual.get(seed));
                        });
            } catch (Exception e) {
                return ofEach(runner, verdicts, variant, e);
            }
        }
        return verdicts;
    }

    private static Verdict of(DifferentialCase testCase, Optional<String> unplanned) {
        return new Verdict(
                testCase, new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), unplanned);
    }

    /** A job has failed: finds out whose case it was by giving each one a job of its own. */
    private static List<Verdict> ofEach(
            CaseRunner runner, List<Verdict> verdicts, Variant variant, Exception failure) {
        if (verdicts.size() == 1) {
            Verdict verdict = verdicts.get(0);
            if (failure instanceof CannotPlanException
                    && !isPlannedByStock(runner, verdict.testCase, variant)) {
                return List.of(
                        Verdict.of(
                                verdict.testCase,
                                Optional.of(
                                        Differential.describeFailure(
                                                verdict.testCase, variant, failure))));
            }
            verdict.failures.add(Differential.describeFailure(verdict.testCase, variant, failure));
            return verdicts;
        }
        List<Verdict> alone = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            alone.addAll(ofBatch(runner, List.of(verdict.testCase)));
        }
        if (alone.stream().allMatch(each -> each.failures.isEmpty() && each.unplanned.isEmpty())) {
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

    /** Whether stock Flink has a plan with the settings of a variant. */
    private static boolean isPlannedByStock(
            CaseRunner runner, DifferentialCase testCase, Variant variant) {
        try {
            runner.run(testCase, variant.stock());
            return true;
        } catch (CannotPlanException e) {
            return false;
        } catch (Exception e) {
            return true;
        }
    }

    private void compare(CaseRunner runner, Variant variant, Outcome expected, Outcome actual) {
        List<String> differences = Differential.differences(expected.rows(), actual.rows());
        if (!differences.isEmpty()) {
            String said =
                    Differential.describeDifferences(
                            testCase, variant, actual.operators(), differences);
            try {
                // Without a batch plan it is what stock Flink gives whatever is done to its job.
                Map<String, Integer> meant = BatchResult.of(testCase).orElse(expected.rows());
                if (actual.rows().equals(meant)) {
                    stockFailures.add("Ours is what the query means. " + said);
                } else if (isStockWrong(runner, variant, expected, meant)) {
                    stockFailures.add("Ours is not what the query means either. " + said);
                } else {
                    failures.add(said);
                }
            } catch (Exception e) {
                throw new IllegalStateException("Stock Flink fails in " + testCase, e);
            }
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

    /**
     * Whether stock Flink does not give what the query means: never, or with what was done to the
     * job of ours, or with the rows of one table behind those of the others.
     */
    private boolean isStockWrong(
            CaseRunner runner, Variant variant, Outcome expected, Map<String, Integer> meant)
            throws Exception {
        if (BatchResult.dependsOnOrder(testCase)) {
            return false;
        }
        boolean wrong = !expected.rows().equals(meant);
        for (int run = 0; run < STOCK_RUNS && !wrong; run++) {
            wrong = !runner.run(testCase, variant.stock()).rows().equals(meant);
        }
        return wrong || isWrongWithATableBehind(runner, testCase, variant.stock(), meant);
    }

    /** Whether the result hangs on the order in which the rows of several tables come. */
    static boolean isWrongWithATableBehind(
            CaseRunner runner,
            DifferentialCase testCase,
            Variant variant,
            Map<String, Integer> meant)
            throws Exception {
        for (DifferentialCase behind : testCase.withEachTableBehind()) {
            if (!runner.run(behind, variant.undisturbed()).rows().equals(meant)) {
                return true;
            }
        }
        return false;
    }
}
