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
package io.stateaccel.planner.rule;

import io.stateaccel.planner.reasons.Reason;
import org.apache.calcite.rel.RelNode;

/** What a rule decided about a node. */
public sealed interface Decision {

    /** The node is accelerated. */
    record Replaced(RelNode replacement) implements Decision {}

    /** The node stays as Flink planned it. */
    record Stays(Reason reason) implements Decision {}

    /** The node, as it is planned here, has no state to be accelerated. */
    record HasNoState() implements Decision {}

    static Decision replaceBy(RelNode replacement) {
        return new Replaced(replacement);
    }

    static Decision stays(Reason reason) {
        return new Stays(reason);
    }

    static Decision hasNoState() {
        return new HasNoState();
    }
}
