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
package io.stateaccel.operators.join.facts;

import io.stateaccel.operators.join.JoinScenario;
import io.stateaccel.operators.join.JoinScenario.Operator;
import io.stateaccel.operators.join.JoinScenario.Side;
import io.stateaccel.operators.join.JoinScenario.UniqueKey;
import io.stateaccel.views.join.InputChangelog;
import org.apache.flink.table.runtime.operators.join.FlinkJoinType;

/** The joins of Flink's {@code StreamingMiniBatchJoinOperatorTest}. */
final class LinesOfOrders {

    private LinesOfOrders() {}

    /** Both sides have three columns, are joined by the second, and change in every way. */
    static JoinScenario join(
            Operator operator, FlinkJoinType type, UniqueKey uniqueKey, int bundleSize)
            throws Exception {
        InputChangelog changelog =
                uniqueKey == UniqueKey.NONE ? InputChangelog.RETRACT : InputChangelog.UPSERT;
        Side side = new Side(3, 1, uniqueKey, changelog, 0);
        return new JoinScenario(operator, type, side, side, bundleSize);
    }
}
