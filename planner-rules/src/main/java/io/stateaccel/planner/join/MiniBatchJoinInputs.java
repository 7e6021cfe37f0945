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

import io.stateaccel.operators.bundle.BundleSettings;
import io.stateaccel.operators.join.JoinSideSpec;
import io.stateaccel.operators.join.MiniBatchJoinSpec;
import io.stateaccel.planner.bundle.BundleShare;
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.time.TimeToLive;
import java.util.List;
import java.util.Map;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.spec.JoinSpec;
import org.apache.flink.table.planner.plan.utils.JoinUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * What is known of a join on bundles when it is planned, whatever is made of its results.
 *
 * @param leftUpsertKeys each by the columns of the left input
 * @param rightUpsertKeys each by the columns of the right input
 * @param deletes whether the join is inferred to emit {@code -D}
 * @param stateTtlFromHint milliseconds by input, 0 the left and 1 the right
 */
public record MiniBatchJoinInputs(
        JoinSpec joinSpec,
        List<int[]> leftUpsertKeys,
        List<int[]> rightUpsertKeys,
        InputChangelog leftChangelog,
        InputChangelog rightChangelog,
        boolean deletes,
        BundleShare bundle,
        Map<Integer, Long> stateTtlFromHint) {

    private static final int LEFT = 0;
    private static final int RIGHT = 1;

    MiniBatchJoinSpec operatorSpec(
            RowType leftType,
            RowType rightType,
            ExecNodeConfig config,
            ClassLoader classLoader,
            BundleSettings settings) {
        JoinUtil.validateJoinSpec(joinSpec, leftType, rightType, true);
        final JoinSideSpec left =
                side(
                        classLoader,
                        leftType,
                        joinSpec.getLeftKeys(),
                        leftUpsertKeys,
                        leftChangelog,
                        stateTtlFromHint.getOrDefault(LEFT, config.getStateRetentionTime()));
        final JoinSideSpec right =
                side(
                        classLoader,
                        rightType,
                        joinSpec.getRightKeys(),
                        rightUpsertKeys,
                        rightChangelog,
                        stateTtlFromHint.getOrDefault(RIGHT, config.getStateRetentionTime()));
        return new MiniBatchJoinSpec(
                joinSpec.getJoinType(),
                left,
                right,
                JoinUtil.generateConditionFunction(
                        config, classLoader, joinSpec, leftType, rightType),
                joinSpec.getFilterNulls(),
                deletes,
                settings);
    }

    private static JoinSideSpec side(
            ClassLoader classLoader,
            RowType type,
            int[] joinKey,
            List<int[]> upsertKeys,
            InputChangelog changelog,
            long ttlMillis) {
        final InternalTypeInfo<RowData> typeInfo = InternalTypeInfo.of(type);
        return new JoinSideSpec(
                typeInfo,
                KeySelectorUtil.getRowDataSelector(classLoader, joinKey, typeInfo),
                JoinUtil.analyzeJoinInput(classLoader, typeInfo, joinKey, upsertKeys),
                changelog,
                TimeToLive.ofMillis(ttlMillis));
    }
}
