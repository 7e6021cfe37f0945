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
package io.stateaccel.planner.beforejoin;

import io.stateaccel.planner.statement.Readers;
import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.core.Calc;
import org.apache.calcite.rel.core.JoinInfo;
import org.apache.calcite.rel.core.Union;
import org.apache.flink.table.planner.plan.nodes.logical.FlinkLogicalJoin;

/** The inputs of joins in a logical plan, and the exchanges that are going to be before them. */
final class JoinSides {

    private JoinSides() {}

    /** The columns by which a regular join wants the rows of an input, in the order of the key. */
    static List<Integer> keys(FlinkLogicalJoin join, int input) {
        final JoinInfo keys = join.analyzeCondition();
        return input == 0 ? keys.leftKeys : keys.rightKeys;
    }

    /**
     * Whether a reader may want its rows exchanged by these columns, so that it shares the exchange
     * with a join by them. What other nodes than joins want is not known here.
     */
    static boolean mayExchangeBy(Readers.Reader reader, List<Integer> keys) {
        final RelNode node = reader.node();
        if (node instanceof FlinkLogicalJoin join && !JoinsByTime.isByTime(join)) {
            return keys(join, reader.input()).equals(keys);
        }
        return !(node instanceof Calc || node instanceof Union);
    }
}
