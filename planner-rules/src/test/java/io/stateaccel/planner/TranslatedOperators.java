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

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
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

    /** What a snapshot has to fit: of each its uid and the type of its key. */
    static List<String> idsOf(Session session, String text) throws Exception {
        return withState(session, text)
                .map(transformation -> transformation.getUid() + " " + keyOf(transformation))
                .toList();
    }

    /**
     * The values of a type that operators of ours have been made with.
     *
     * @param type such as that of settings
     */
    static <T> List<T> valuesOf(Class<T> type, Session session, String text) throws Exception {
        final List<T> values = new ArrayList<>();
        final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Transformation<?> transformation : withState(session, text).toList()) {
            collect(type, factoryOf(transformation), seen, values);
        }
        return values;
    }

    private static <T> void collect(Class<T> type, Object from, Set<Object> seen, List<T> values)
            throws IllegalAccessException {
        if (from == null || !seen.add(from)) {
            return;
        }
        if (type.isInstance(from)) {
            values.add(type.cast(from));
            return;
        }
        for (Class<?> c = from.getClass(); c != null; c = c.getSuperclass()) {
            if (!c.getName().startsWith("io.stateaccel.") && c != SimpleOperatorFactory.class) {
                continue;
            }
            for (Field field : c.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
                    field.setAccessible(true);
                    collect(type, field.get(from), seen, values);
                }
            }
        }
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
