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
package io.stateaccel.flink.planner;

import javax.annotation.Nullable;
import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rex.RexNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalChangelogNormalize;

/** {@link StreamPhysicalChangelogNormalize}, which in 1.20 has no condition and knows its table. */
public abstract class ChangelogNormalizeRel extends StreamPhysicalChangelogNormalize {

    /**
     * @param normalize the node to stand in for
     * @param input what is normalised
     */
    protected ChangelogNormalizeRel(
            StreamPhysicalChangelogNormalize normalize, RelTraitSet traitSet, RelNode input) {
        super(
                normalize.getCluster(),
                traitSet,
                input,
                normalize.uniqueKeys(),
                normalize.contextResolvedTable());
    }

    /** As later lines have it. */
    @Nullable
    public RexNode filterCondition() {
        return null;
    }
}
