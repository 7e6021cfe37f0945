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

import org.apache.calcite.rel.RelNode;

/**
 * Replaces one kind of stateful physical node by an accelerated one, or says why it does not.
 *
 * <p>A rule has no state and no side effects. It sees nodes after physical rewrite: changelog
 * modes, upsert keys and mini-batch intervals are known, and a replacement must keep the node's
 * traits, row type and inputs.
 *
 * @param <N> the node it is written for
 */
public interface AccelerationRule<N extends RelNode> {

    /** Which nodes this rule decides about. Every other node is left alone without a word. */
    NodePattern<N> pattern();

    /** Decides about one node that {@link #pattern()} matched. */
    Decision decide(N node, RuleContext context);
}
