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
package io.stateaccel.planner.window.session;

import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalWindowTableFunction;

/**
 * Keeps the rows of {@code SESSION}, which wait for the ends of their windows, on the heap. Other
 * windows are known when a row comes. Flink gives it neither state TTL nor asynchronous state.
 */
public final class ReplaceWindowTableFunctionWithHeapWindowTableFunction
        implements AccelerationRule<StreamPhysicalWindowTableFunction> {

    private static final NodePattern<StreamPhysicalWindowTableFunction> PATTERN =
            NodePattern.exactly(StreamPhysicalWindowTableFunction.class);

    @Override
    public NodePattern<StreamPhysicalWindowTableFunction> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalWindowTableFunction function, RuleContext context) {
        return function.windowing().getWindow().isAlignedWindow()
                ? Decision.hasNoState()
                : Decision.replaceBy(new StreamPhysicalHeapWindowTableFunction(function, context));
    }
}
