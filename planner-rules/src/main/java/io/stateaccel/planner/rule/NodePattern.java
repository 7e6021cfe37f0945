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

import java.util.Optional;
import java.util.Set;
import org.apache.calcite.rel.RelNode;

/**
 * Matches nodes of exactly the given classes. Subclasses do not match, so that an accelerated node,
 * which extends the stock node, is not rewritten again.
 *
 * @param type what the classes have in common
 * @param classNames the classes, of which this version of Flink need not have all
 * @param <N> what the classes have in common
 */
public record NodePattern<N extends RelNode>(Class<N> type, Set<String> classNames) {

    public static <N extends RelNode> NodePattern<N> exactly(Class<N> nodeClass) {
        return new NodePattern<>(nodeClass, Set.of(nodeClass.getName()));
    }

    public static NodePattern<RelNode> named(Set<String> classNames) {
        return new NodePattern<>(RelNode.class, classNames);
    }

    public Optional<N> match(RelNode node) {
        return classNames.contains(node.getClass().getName())
                ? Optional.of(type.cast(node))
                : Optional.empty();
    }
}
