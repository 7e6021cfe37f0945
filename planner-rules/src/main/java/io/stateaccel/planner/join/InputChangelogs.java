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
package io.stateaccel.planner.join;

import io.stateaccel.flink.planner.KeyOnlyDeletes;
import io.stateaccel.views.join.InputChangelog;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalRel;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;
import org.apache.flink.types.RowKind;
import scala.Option;

/** Reads from a node's traits what changes it produces. */
public final class InputChangelogs {

    private InputChangelogs() {}

    /**
     * @param input a node whose changelog mode Flink has inferred
     */
    public static InputChangelog of(RelNode input) {
        final Option<ChangelogMode> inferred =
                ChangelogPlanUtils.getChangelogMode((StreamPhysicalRel) input);
        // An input that is known to be empty has no mode.
        return inferred.isEmpty() ? InputChangelog.INSERT_ONLY : of(inferred.get());
    }

    /**
     * Whether a node is inferred to emit {@code -D}.
     *
     * @param node a node whose changelog mode Flink has inferred
     */
    static boolean haveDeletes(StreamPhysicalRel node) {
        final Option<ChangelogMode> inferred = ChangelogPlanUtils.getChangelogMode(node);
        return inferred.isDefined() && inferred.get().contains(RowKind.DELETE);
    }

    private static InputChangelog of(ChangelogMode mode) {
        if (mode.containsOnly(RowKind.INSERT)) {
            return InputChangelog.INSERT_ONLY;
        }
        // A delete that carries only the key names its row as an upsert does.
        final boolean keyed =
                KeyOnlyDeletes.in(mode)
                        || (mode.contains(RowKind.UPDATE_AFTER)
                                && !mode.contains(RowKind.UPDATE_BEFORE));
        return keyed ? InputChangelog.UPSERT : InputChangelog.RETRACT;
    }
}
