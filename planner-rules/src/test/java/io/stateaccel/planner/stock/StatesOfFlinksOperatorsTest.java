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
package io.stateaccel.planner.stock;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.flink.testing.Lines;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.state.State;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The states of operators that stay Flink's because there are none to read, or none but the user's:
 * where Flink gives them others, there may be something to gain.
 */
class StatesOfFlinksOperatorsTest {

    private static final String OPERATORS = "org.apache.flink.table.runtime.operators.";

    @ParameterizedTest
    @CsvSource({
        // What it has on the heap, in a snapshot.
        "1.20, sort.StreamSortOperator, bufferState",
        // Rows that are being looked up, in a snapshot.
        "2.1, join.deltajoin.StreamingDeltaJoinOperator, recoveredStreamElements",
        // Those of the user's function, and the names of its timers.
        "2.1, process.AbstractProcessTableOperator, stateHandles;namedTimersMapState",
    })
    void areThese(String since, String operator, String states) throws Exception {
        Lines.assumeAtLeast(since, operator);
        final List<String> found = new ArrayList<>();
        for (Field field : Class.forName(OPERATORS + operator).getDeclaredFields()) {
            final Class<?> type =
                    field.getType().isArray()
                            ? field.getType().getComponentType()
                            : field.getType();
            if (State.class.isAssignableFrom(type) && !Modifier.isStatic(field.getModifiers())) {
                found.add(field.getName());
            }
        }
        assertThat(found).containsExactlyInAnyOrder(states.split(";"));
    }
}
