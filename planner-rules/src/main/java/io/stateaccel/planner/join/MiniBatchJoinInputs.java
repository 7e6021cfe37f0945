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
import io.stateaccel.views.join.InputChangelog;
import io.stateaccel.views.time.TimeToLive;
import java.util.List;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.planner.plan.nodes.exec.ExecNodeConfig;
import org.apache.flink.table.planner.plan.nodes.exec.spec.JoinSpec;
import org.apache.flink.table.planner.plan.utils.JoinUtil;
import org.apache.flink.table.planner.plan.utils.KeySelectorUtil;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;
import org.apache.flink.table.types.logical.RowType;

/**
 * The inputs of a join on bundles, whatever is made of its results.
 *
 * @param leftUpsertKeys each by the columns of the left input
 * @param rightUpsertKeys each by the columns of the right input
 */
public record MiniBatchJoinInputs(
        JoinSpec joinSpec,
        List<int[]> leftUpsertKeys,
        List<int[]> rightUpsertKeys,
        JoinChangelogs changelogs) {

    /**
     * @param leftTtl how long rows of the left input live
     * @param rightTtl how long rows of the right input live
     */
    MiniBatchJoinSpec operatorSpec(
            RowType leftType,
            RowType rightType,
            TimeToLive leftTtl,
            TimeToLive rightTtl,
            ExecNodeConfig config,
            ClassLoader classLoader,
            BundleSettings settings) {
        JoinUtil.validateJoinSpec(joinSpec, leftType, rightType, true);
        final JoinSideSpec left =
                side(
                        config,
                        classLoader,
                        leftType,
                        joinSpec.getLeftKeys(),
                        leftUpsertKeys,
                        changelogs.left(),
                        leftTtl,
                        changelogs.leftNormalized());
        final JoinSideSpec right =
                side(
                        config,
                        classLoader,
                        rightType,
                        joinSpec.getRightKeys(),
                        rightUpsertKeys,
                        changelogs.right(),
                        rightTtl,
                        changelogs.rightNormalized());
        return new MiniBatchJoinSpec(
                joinSpec.getJoinType(),
                left,
                right,
                JoinUtil.generateConditionFunction(
                        config, classLoader, joinSpec, leftType, rightType),
                joinSpec.getFilterNulls(),
                changelogs.deletes(),
                settings);
    }

    private static JoinSideSpec side(
            ExecNodeConfig config,
            ClassLoader classLoader,
            RowType type,
            int[] joinKey,
            List<int[]> upsertKeys,
            InputChangelog changelog,
            TimeToLive ttl,
            @Nullable NormalizedSide normalized) {
        final InternalTypeInfo<RowData> typeInfo = InternalTypeInfo.of(type);
        return new JoinSideSpec(
                typeInfo,
                KeySelectorUtil.getRowDataSelector(classLoader, joinKey, typeInfo),
                JoinUtil.analyzeJoinInput(classLoader, typeInfo, joinKey, upsertKeys),
                changelog,
                ttl,
                normalized == null ? null : normalized.input(type, config, classLoader));
    }
}
