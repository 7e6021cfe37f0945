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
package io.stateaccel.planner;

import io.stateaccel.operators.bundle.BundleSettings;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.apache.flink.api.dag.Transformation;
import org.apache.flink.streaming.api.operators.SimpleOperatorFactory;
import org.apache.flink.streaming.api.operators.StreamOperatorFactory;
import org.apache.flink.streaming.api.transformations.OneInputTransformation;
import org.apache.flink.streaming.api.transformations.TwoInputTransformation;
import org.apache.flink.table.api.PlanReference;
import org.apache.flink.table.api.internal.TableEnvironmentImpl;
import org.apache.flink.table.delegation.Planner;

/** The operators with state that a compiled plan comes to. */
final class TranslatedOperators {

    private TranslatedOperators() {}

    /** Each with its uid, its name, its class and the type of its key. */
    static List<String> of(Session session, String text) throws Exception {
        return withState(session, text)
                .map(
                        transformation ->
                                String.join(
                                        " ",
                                        transformation.getUid(),
                                        transformation.getName(),
                                        classOf(transformation),
                                        keyOf(transformation)))
                .toList();
    }

    /** The settings of those that have bundles. */
    static List<String> bundlesOf(Session session, String text) throws Exception {
        final List<String> bundles = new ArrayList<>();
        for (Transformation<?> transformation : withState(session, text).toList()) {
            final Object operator =
                    ((SimpleOperatorFactory<?>) factoryOf(transformation)).getOperator();
            for (Class<?> c = operator.getClass(); c != null; c = c.getSuperclass()) {
                for (Field field : c.getDeclaredFields()) {
                    if (field.getType() == BundleSettings.class) {
                        field.setAccessible(true);
                        bundles.add(field.get(operator).toString());
                    }
                }
            }
        }
        return bundles;
    }

    private static Stream<Transformation<?>> withState(Session session, String text)
            throws Exception {
        final Planner planner = ((TableEnvironmentImpl) session.tables()).getPlanner();
        return planner.translatePlan(planner.loadPlan(PlanReference.fromJsonString(text))).stream()
                .flatMap(root -> root.getTransitivePredecessors().stream())
                .distinct()
                .<Transformation<?>>map(transformation -> transformation)
                .filter(transformation -> keyOf(transformation) != null);
    }

    private static StreamOperatorFactory<?> factoryOf(Transformation<?> transformation) {
        return transformation instanceof OneInputTransformation<?, ?> one
                ? one.getOperatorFactory()
                : ((TwoInputTransformation<?, ?, ?>) transformation).getOperatorFactory();
    }

    private static String classOf(Transformation<?> transformation) {
        return factoryOf(transformation) instanceof SimpleOperatorFactory<?> simple
                ? simple.getOperator().getClass().getName()
                : factoryOf(transformation).getClass().getName();
    }

    private static String keyOf(Transformation<?> transformation) {
        if (transformation instanceof OneInputTransformation<?, ?> one) {
            return Objects.toString(one.getStateKeyType(), null);
        }
        return transformation instanceof TwoInputTransformation<?, ?, ?> two
                ? Objects.toString(two.getStateKeyType(), null)
                : null;
    }
}
