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
package io.stateaccel.planner.join.temporal;

import io.stateaccel.planner.statement.Readers;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalRel;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalTemporalJoin;
import org.apache.flink.table.planner.plan.utils.ChangelogPlanUtils;

/**
 * The rows that a temporal join has for versions. It joins with what a row was at any time, so that
 * each update counts, where a bundle keeps the last one of a key.
 */
public final class VersionedRows {

    private static final int RIGHT = 1;

    private VersionedRows() {}

    /**
     * Whether a node makes updates and the right side of a temporal join is made of them, in any
     * plan of the statement.
     */
    public static boolean areUpdatedBy(RelNode node, Readers readers) {
        return node instanceof StreamPhysicalRel physical
                && !ChangelogPlanUtils.isInsertOnly(physical)
                && becomeVersions(
                        node, readers, Collections.newSetFromMap(new IdentityHashMap<>()));
    }

    private static boolean becomeVersions(RelNode node, Readers readers, Set<RelNode> seen) {
        for (Readers.Reader reader : readers.of(node)) {
            final boolean isRight =
                    reader.node() instanceof StreamPhysicalTemporalJoin && reader.input() == RIGHT;
            if (isRight
                    || (seen.add(reader.node()) && becomeVersions(reader.node(), readers, seen))) {
                return true;
            }
        }
        return false;
    }
}
