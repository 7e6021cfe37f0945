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
package io.stateaccel.rocksdb;

import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.views.layout.StateRefusedException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the parts of a snapshot that a sub-task is restored from can be put together. */
final class RestoredRanges {

    private static final Logger LOG = LoggerFactory.getLogger(RestoredRanges.class);

    private RestoredRanges() {}

    /**
     * Parts of different sub-tasks have different key groups. With Flink's changelog backend they
     * may overlap: a sub-task refers to what was materialised before a rescale, key groups of
     * others included, until it materialises again. Restored together, older state of a key group
     * would get over newer one. One and the same part twice does no harm.
     *
     * @param operator what the user finds in the log
     * @param refuses whether different parts with key groups in common end the restore; else one
     *     line in the log names them
     * @throws StateRefusedException when they are refused
     */
    static void check(String operator, List<KeyedStateHandle> parts, boolean refuses) {
        List<String> overlaps = new ArrayList<>();
        for (int i = 0; i < parts.size(); i++) {
            KeyedStateHandle one = parts.get(i);
            for (KeyedStateHandle other : parts.subList(i + 1, parts.size())) {
                if (one.getKeyGroupRange()
                                        .getIntersection(other.getKeyGroupRange())
                                        .getNumberOfKeyGroups()
                                > 0
                        && !one.getStateHandleId().equals(other.getStateHandleId())) {
                    overlaps.add(one.getKeyGroupRange() + " and " + other.getKeyGroupRange());
                }
            }
        }
        if (overlaps.isEmpty()) {
            return;
        }
        if (refuses) {
            throw new StateRefusedException(
                    String.format(
                            "The snapshot of '%s' has parts with key groups in common: %s. It was"
                                    + " taken on the changelog backend after a rescale and before"
                                    + " the next materialisation. Restore it with the parallelism"
                                    + " it was taken with, take a canonical savepoint, and"
                                    + " rescale from that with 'state.changelog.enabled' set to"
                                    + " 'false'. If these parts are known to hold the same,"
                                    + " restore it with '%s' set to 'false'.",
                            operator,
                            overlaps.get(0),
                            StateAccelOptions.RESTORE_KEY_GROUP_CHECK_ENABLED.key()));
        }
        LOG.warn(
                "[state-accel] the snapshot of '{}' has parts with key groups in common: {}. They"
                        + " are restored all the same, as '{}' is 'false': older state may get over"
                        + " newer one.",
                operator,
                String.join(", ", overlaps),
                StateAccelOptions.RESTORE_KEY_GROUP_CHECK_ENABLED.key());
    }
}
