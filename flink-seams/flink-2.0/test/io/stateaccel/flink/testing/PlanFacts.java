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
package io.stateaccel.flink.testing;

import org.apache.flink.streaming.api.graph.StreamNode;
import org.apache.flink.table.connector.ChangelogMode;

/** What tests of plans ask of Flink, and what not all lines answer in the same way. */
public final class PlanFacts {

    private PlanFacts() {}

    /**
     * Upserts.
     *
     * @param keyOnlyDeletes whether deletes carry the key and nothing else, where Flink has such
     */
    public static ChangelogMode upsert(boolean keyOnlyDeletes) {
        return ChangelogMode.upsert();
    }

    /** The largest parallelism that a node may ever have. */
    public static int maxParallelism(StreamNode node) {
        return node.getMaxParallelism();
    }
}
