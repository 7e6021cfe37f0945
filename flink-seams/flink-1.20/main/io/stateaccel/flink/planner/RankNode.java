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

import org.apache.calcite.plan.RelTraitSet;
import org.apache.calcite.rel.RelNode;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalRank;

/**
 * {@link StreamPhysicalRank}, which from 2.0 on is also how a deduplication is planned, and knows
 * whether it sorts on row time; in 1.20 a deduplication is a physical node of its own.
 */
public abstract class RankNode extends StreamPhysicalRank {

    /**
     * @param rank the node to stand in for
     * @param input what is ranked
     */
    protected RankNode(StreamPhysicalRank rank, RelTraitSet traitSet, RelNode input) {
        super(
                rank.getCluster(),
                traitSet,
                input,
                rank.partitionKey(),
                rank.orderKey(),
                rank.rankType(),
                rank.rankRange(),
                rank.rankNumberType(),
                rank.outputRankNumber(),
                rank.rankStrategy());
    }

    /** Whether it keeps the first or the last row by time. */
    public static boolean isDeduplication(StreamPhysicalRank rank) {
        return false;
    }

    /** Of a deduplication, whether it keeps the last row. */
    public static boolean keepsLastRow(StreamPhysicalRank rank) {
        throw new IllegalStateException("No deduplication: " + rank);
    }

    /** Of a deduplication, whether it is by row time. */
    public static boolean isByRowTime(StreamPhysicalRank rank) {
        throw new IllegalStateException("No deduplication: " + rank);
    }
}
