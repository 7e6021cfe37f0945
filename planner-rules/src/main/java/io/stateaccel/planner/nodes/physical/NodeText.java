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
package io.stateaccel.planner.nodes.physical;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.externalize.RelWriterImpl;
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
        final StringWriter text = new StringWriter();
        node.explain(new DigestWriter(new PrintWriter(text)));
        return text.toString();
    }

    /** What a writer wants to see of a node that is within the one that it writes. */
    static String of(FlinkRelNode node, RelWriter writer) {
        return writer.getDetailLevel() == SqlExplainLevel.EXPPLAN_ATTRIBUTES
                ? node.getRelDetailedDescription()
                : digest(node);
    }

    private static final class DigestWriter extends RelWriterImpl {

        private final PrintWriter out;

        DigestWriter(PrintWriter out) {
            super(out, SqlExplainLevel.DIGEST_ATTRIBUTES, false);
            this.out = out;
        }

        /** Of inputs a node may say what it likes. */
        @Override
        public RelWriter done(RelNode node) {
            explain_(node, getValues());
            return this;
        }

        @Override
        protected void explain_(RelNode node, List<Pair<String, Object>> terms) {
            out.print(node.getRelTypeName().replaceFirst("^(StreamPhysical|FlinkLogical)", ""));
            out.print(
                    terms.stream()
                            .filter(term -> !(term.right instanceof RelNode))
                            .map(term -> term.left + "=[" + term.right + "]")
                            .collect(Collectors.joining(", ", "(", ")")));
        }
    }
}
