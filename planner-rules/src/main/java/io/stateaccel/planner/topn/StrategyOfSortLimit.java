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
package io.stateaccel.planner.topn;

import java.io.PrintWriter;
import java.io.Writer;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.externalize.RelWriterImpl;
import org.apache.flink.table.planner.plan.nodes.physical.stream.StreamPhysicalSortLimit;
import org.apache.flink.table.planner.plan.utils.RankProcessStrategy;

/** The strategy that Flink has chosen for a limit, which it tells to whoever explains the node. */
final class StrategyOfSortLimit {

    private StrategyOfSortLimit() {}

    static RankProcessStrategy of(StreamPhysicalSortLimit limit) {
        final Listener listener = new Listener();
        limit.explainTerms(listener);
        return listener.strategy;
    }

    private static final class Listener extends RelWriterImpl {
        private RankProcessStrategy strategy;

        private Listener() {
            super(new PrintWriter(Writer.nullWriter()));
        }

        @Override
        public RelWriter item(String term, Object value) {
            if (value instanceof RankProcessStrategy found) {
                strategy = found;
            }
            return this;
        }
    }
}
