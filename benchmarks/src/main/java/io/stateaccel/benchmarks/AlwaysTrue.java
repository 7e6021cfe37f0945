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
package io.stateaccel.benchmarks;

import org.apache.flink.api.common.functions.AbstractRichFunction;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.generated.GeneratedJoinCondition;
import org.apache.flink.table.runtime.generated.JoinCondition;

/** No condition beside the equi keys. */
final class AlwaysTrue extends GeneratedJoinCondition {

    private static final long serialVersionUID = 1L;

    AlwaysTrue() {
        super("AlwaysTrue", "", new Object[0]);
    }

    @Override
    public JoinCondition newInstance(ClassLoader classLoader) {
        return new Condition();
    }

    private static final class Condition extends AbstractRichFunction implements JoinCondition {
        private static final long serialVersionUID = 1L;

        @Override
        public boolean apply(RowData left, RowData right) {
            return true;
        }
    }
}
