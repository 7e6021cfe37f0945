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
package io.stateaccel.planner.statement;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.sql.SqlExplainLevel;
import org.apache.calcite.util.Pair;
import org.apache.flink.table.planner.plan.nodes.FlinkRelNode;

/** A node in words, without what is below it. */
public final class NodeText {

    private NodeText() {}

    /**
     * @return its name without convention, and its terms; the same for two nodes only if they do
     *     the same to rows of the same types
     */
    public static String digest(RelNode node) {
        final DigestWriter writer = new DigestWriter();
        node.explain(writer);
        return node.getRelTypeName().replaceFirst("^(StreamPhysical|FlinkLogical)", "")
                + writer.terms.stream().collect(Collectors.joining(", ", "(", ")"));
    }

    /** What a writer wants to see of a node that is within the one that it writes. */
    public static String of(FlinkRelNode node, RelWriter writer) {
        return writer.getDetailLevel() == SqlExplainLevel.EXPPLAN_ATTRIBUTES
                ? node.getRelDetailedDescription()
                : digest(node);
    }

    /** Calcite's own wants every input among the terms, and not all of Flink's nodes do that. */
    private static final class DigestWriter implements RelWriter {

        private final List<String> terms = new ArrayList<>();

        @Override
        public void explain(RelNode node, List<Pair<String, Object>> values) {
            values.forEach(value -> item(value.left, value.right));
        }

        @Override
        public SqlExplainLevel getDetailLevel() {
            return SqlExplainLevel.DIGEST_ATTRIBUTES;
        }

        @Override
        public RelWriter input(String term, RelNode input) {
            return this;
        }

        @Override
        public RelWriter item(String term, Object value) {
            if (!(value instanceof RelNode)) {
                terms.add(term + "=[" + value + "]");
            }
            return this;
        }

        @Override
        public RelWriter done(RelNode node) {
            return this;
        }
    }
}
