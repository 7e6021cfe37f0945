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
package io.stateaccel.planner.sink;

import java.util.List;
import org.apache.calcite.rel.RelNode;
import org.apache.calcite.rel.RelWriter;
import org.apache.calcite.sql.SqlExplainLevel;
import org.apache.calcite.util.Pair;

/**
 * Has a materializer of ours shown as what it is.
 *
 * @param kind what it does with changes
 */
record ShownMaterializer(RelWriter writer, String kind) implements RelWriter {

    @Override
    public RelWriter input(String term, RelNode input) {
        writer.input(term, input);
        return this;
    }

    @Override
    public RelWriter item(String term, Object value) {
        writer.item(term, term.equals("upsertMaterialize") ? kind : value);
        return this;
    }

    @Override
    public void explain(RelNode node, List<Pair<String, Object>> values) {
        writer.explain(node, values);
    }

    @Override
    public SqlExplainLevel getDetailLevel() {
        return writer.getDetailLevel();
    }

    @Override
    public RelWriter done(RelNode node) {
        return writer.done(node);
    }
}
