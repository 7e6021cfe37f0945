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

import io.stateaccel.flink.operator.KeySelectors;
import io.stateaccel.operators.join.normalize.NormalizedInput;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.time.TimeToLive;
import java.io.Serializable;
import javax.annotation.Nullable;
import org.apache.flink.api.java.functions.KeySelector;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;
import org.apache.flink.table.runtime.operators.join.stream.utils.JoinInputSideSpec;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * One input of an accelerated join.
 *
 * @param type the rows of this input
 * @param keySelector extracts the join key
 * @param uniqueKeys what is known of unique keys, as stock's planner derives it
 * @param changelog the changes this input carries
 * @param ttl how long a row lives after it was added
 * @param normalized how the input's changes are made regular ones, such as {@code changelog} says,
 *     by the join's own row of their key, which is the join key; null where they are
 */
public record JoinSideSpec(
        InternalTypeInfo<RowData> type,
        RowDataKeySelector keySelector,
        JoinInputSideSpec uniqueKeys,
        InputChangelog changelog,
        TimeToLive ttl,
        @Nullable NormalizedInput normalized)
        implements Serializable {

    public JoinSideSpec {
        if (normalized != null && !uniqueKeys.joinKeyContainsUniqueKey()) {
            throw new IllegalArgumentException("What is normalised is one row per join key.");
        }
    }

    /** One whose changes are regular ones. */
    public JoinSideSpec(
            InternalTypeInfo<RowData> type,
            RowDataKeySelector keySelector,
            JoinInputSideSpec uniqueKeys,
            InputChangelog changelog,
            TimeToLive ttl) {
        this(type, keySelector, uniqueKeys, changelog, ttl, null);
    }

    /** Extracts what tells a row from others of its join key, null without a unique key. */
    @Nullable
    public KeySelector<RowData, RowData> identity() {
        if (!uniqueKeys.hasUniqueKey()) {
            return null;
        }
        // A join key that contains the unique key has one row.
        return uniqueKeys.joinKeyContainsUniqueKey()
                ? KeySelectors.copy(keySelector)
                : uniqueKeys.getUniqueKeySelector();
    }
}
