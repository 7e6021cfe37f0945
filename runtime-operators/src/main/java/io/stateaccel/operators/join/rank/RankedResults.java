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
package io.stateaccel.operators.join.rank;

import io.stateaccel.operators.join.JoinResults;
import io.stateaccel.operators.join.ResultProjection;
import io.stateaccel.operators.rank.PartitionRank;
import io.stateaccel.views.ViewContext;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;

/** Results that are projected and ranked, key by key of the join. */
final class RankedResults implements JoinResults {

    private static final long serialVersionUID = 1L;

    private final MiniBatchJoinRankSpec spec;

    private transient ResultProjection projection;
    private transient PartitionRank<?, ?> rank;

    RankedResults(MiniBatchJoinRankSpec spec) {
        this.spec = spec;
    }

    @Override
    public boolean keepsState() {
        return true;
    }

    @Override
    public void open(ViewContext context, Collector<RowData> out) throws Exception {
        projection = ResultProjection.open(spec.calc(), context.runtime());
        rank = PartitionRank.create(spec.rank(), context, out);
    }

    @Override
    public Collector<RowData> collector() {
        return projection.into(row -> rank.add(row));
    }

    @Override
    public void finishKey() throws Exception {
        rank.finish();
    }

    @Override
    public void close() throws Exception {
        if (projection != null) {
            projection.close();
        }
    }
}
