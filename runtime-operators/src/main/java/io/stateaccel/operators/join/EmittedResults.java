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
package io.stateaccel.operators.join;

import io.stateaccel.views.ViewContext;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;

/** Results that are emitted as they are. */
final class EmittedResults implements JoinResults {

    private static final long serialVersionUID = 1L;

    private transient Collector<RowData> out;

    @Override
    public boolean keepsState() {
        return false;
    }

    @Override
    public void open(ViewContext context, Collector<RowData> out) {
        this.out = out;
    }

    @Override
    public Collector<RowData> collector() {
        return out;
    }
}
