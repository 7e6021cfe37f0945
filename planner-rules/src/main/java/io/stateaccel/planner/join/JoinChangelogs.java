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
package io.stateaccel.planner.join;

import io.stateaccel.views.join.InputChangelog;
import java.util.Objects;
import javax.annotation.Nullable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonInclude;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.annotation.JsonProperty;

/**
 * What is known of the changes of a join. Compiled plans have it, with the names of the constants.
 *
 * @param left changes of the left input
 * @param right changes of the right input
 * @param deletes whether the join is inferred to emit {@code -D}
 * @param leftNormalized how the left input's changes are made such as {@code left} says, null where
 *     they are
 * @param rightNormalized likewise
 */
public record JoinChangelogs(
        @JsonProperty("left") InputChangelog left,
        @JsonProperty("right") InputChangelog right,
        @JsonProperty("deletes") boolean deletes,
        @Nullable @JsonProperty("leftNormalized") @JsonInclude(JsonInclude.Include.NON_NULL)
                NormalizedSide leftNormalized,
        @Nullable @JsonProperty("rightNormalized") @JsonInclude(JsonInclude.Include.NON_NULL)
                NormalizedSide rightNormalized) {

    public JoinChangelogs {
        Objects.requireNonNull(left, "left");
        Objects.requireNonNull(right, "right");
    }
}
