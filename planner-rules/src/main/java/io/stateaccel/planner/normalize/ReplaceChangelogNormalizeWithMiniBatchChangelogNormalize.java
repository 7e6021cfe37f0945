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
package io.stateaccel.planner.normalize;

import io.stateaccel.planner.rule.AccelerationRule;
import io.stateaccel.planner.rule.Decision;
import io.stateaccel.planner.rule.NodePattern;
import io.stateaccel.planner.rule.RuleContext;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalChangelogNormalize;

/** Swaps the normalisation of a changelog for one that works on bundles. */
public final class ReplaceChangelogNormalizeWithMiniBatchChangelogNormalize
        implements AccelerationRule<StreamPhysicalChangelogNormalize> {

    private static final NodePattern<StreamPhysicalChangelogNormalize> PATTERN =
            NodePattern.exactly(StreamPhysicalChangelogNormalize.class);

    @Override
    public NodePattern<StreamPhysicalChangelogNormalize> pattern() {
        return PATTERN;
    }

    @Override
    public Decision decide(StreamPhysicalChangelogNormalize node, RuleContext context) {
        return Decision.replaceBy(new StreamPhysicalMiniBatchChangelogNormalize(node, context));
    }
}
