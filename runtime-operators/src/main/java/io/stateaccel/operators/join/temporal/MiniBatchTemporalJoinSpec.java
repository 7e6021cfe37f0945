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
package io.stateaccel.operators.join.temporal;

import io.stateaccel.operators.bundle.BundleSettings;
import java.io.Serializable;
import org.apache.flink.table.runtime.generated.GeneratedJoinCondition;

/**
 * Everything a {@link MiniBatchTemporalJoinOperator} is made of.
 *
 * @param left the rows that are joined
 * @param right the versions that they are joined with
 * @param isLeftOuter whether a row without a version is joined with NULLs
 * @param condition what else has to be true of a pair, always true where there is nothing
 * @param minRetentionMillis how long a key is kept at least when nothing happens to it; for ever if
 *     it is not more than 1, as with Flink
 * @param maxRetentionMillis how long a key is kept at most, at least the minimum
 * @param bundle when a bundle is flushed, beside watermarks, which always end it
 */
public record MiniBatchTemporalJoinSpec(
        TemporalJoinSideSpec left,
        TemporalJoinSideSpec right,
        boolean isLeftOuter,
        GeneratedJoinCondition condition,
        long minRetentionMillis,
        long maxRetentionMillis,
        BundleSettings bundle)
        implements Serializable {}
