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

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.table.api.PlanReference;
import org.apache.flink.table.api.Table;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.table.api.internal.TableEnvironmentImpl;
import org.apache.flink.table.delegation.InternalPlan;
import org.apache.flink.table.delegation.Planner;

/**
 * The compiled plans of cases: the first job of a case compiles one, and it and all that go on from
 * it execute what came of that as text.
 */
public final class CompiledCases {

    private final Map<Long, String> plans = new HashMap<>();
    private final UnaryOperator<String> edit;

    /**
     * @param edit what is made of a plan between the first job and the others
     */
    public CompiledCases(UnaryOperator<String> edit) {
        this.edit = edit;
    }

    /** The plan of a case as its next job reads it, of a job that has been planned. */
    public String of(long seed) {
        return plans.get(seed);
    }

    /**
     * Plans what reads the result of a case.
     *
     * @param executor the session that executes, which knows all tables
     * @param result what is to be written to {@link CaseTables#RESULT}, in the session that
     *     compiles
     */
    List<Transformation<?>> plan(
            DifferentialCase testCase, StreamTableEnvironment executor, Table result) {
        String known = plans.get(testCase.seed());
        String text = known;
        if (known == null) {
            text = result.insertInto(CaseTables.RESULT).compilePlan().asJsonString();
            assertThat(executor.loadPlan(PlanReference.fromJsonString(text)).asJsonString())
                    .isEqualTo(text);
            plans.put(testCase.seed(), edit.apply(text));
        }
        Planner planner = ((TableEnvironmentImpl) executor).getPlanner();
        try {
            InternalPlan plan = planner.loadPlan(PlanReference.fromJsonString(text));
            return planner.translatePlan(plan);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
