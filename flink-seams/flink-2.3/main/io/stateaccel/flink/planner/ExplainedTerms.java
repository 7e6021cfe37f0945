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

import java.io.PrintWriter;
import java.io.Writer;
import java.util.HashMap;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.calcite.rel.AbstractRelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.rel.externalize.RelWriterImpl;

/** What a node tells of itself in EXPLAIN, of which there is more than it has methods for. */
public final class ExplainedTerms extends RelWriterImpl {

    private final Map<String, Object> terms = new HashMap<>();

    private ExplainedTerms() {
        super(new PrintWriter(Writer.nullWriter()));
    }

    /** The value of a term of a node, null if it has none of this name. */
    @Nullable
    public static Object of(AbstractRelNode node, String term) {
        ExplainedTerms explained = new ExplainedTerms();
        node.explainTerms(explained);
        return explained.terms.get(term);
    }

    @Override
    public RelWriter item(String term, Object value) {
        terms.put(term, value);
        return this;
    }
}
