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
package io.stateaccel.views.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.DefaultOperatorStateBackendBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Under which names states are; that what they hold is moved is tested where that is done. */
class SwitchedStateTest {

    private static final StateLayout PLAIN = StateLayout.first("plain");
    private static final StateLayout AGED = StateLayout.first("aged");

    private OperatorStateStore store;

    @BeforeEach
    void createStore() throws Exception {
        store =
                new DefaultOperatorStateBackendBuilder(
                                getClass().getClassLoader(),
                                new ExecutionConfig(),
                                false,
                                List.of(),
                                new CloseableRegistry())
                        .build();
    }

    @Test
    void hasANameForEachLayout() throws Exception {
        assertThat(open(PLAIN, AGED)).isEqualTo("rows");
        assertThat(open(PLAIN, AGED)).as("not switched").isEqualTo("rows");
        assertThat(open(AGED, PLAIN)).isEqualTo("rows-switched");
        layouts().moved("rows");
        assertThat(open(AGED, PLAIN)).as("not switched").isEqualTo("rows-switched");
        assertThat(open(PLAIN, AGED)).isEqualTo("rows");
        layouts().moved("rows-switched");
        assertThat(open(PLAIN, AGED)).as("not switched").isEqualTo("rows");
        assertThat(open(AGED, PLAIN)).isEqualTo("rows-switched");
    }

    @Test
    void refusesWhatIsNeither() throws Exception {
        layouts().open("rows", StateLayout.first("tree"), () -> "state");
        assertThatThrownBy(() -> open(PLAIN, AGED))
                .isInstanceOf(StateRefusedException.class)
                .hasMessageContaining("Found in the snapshot: tree, layout 1.");
    }

    /** As 0.1.0 does, which knows of one layout at a time, and not that the other is empty. */
    @Test
    void isRefusedByWhoKnowsOneLayoutOnly() throws Exception {
        open(PLAIN, AGED);
        open(AGED, PLAIN);
        layouts().moved("rows");
        String noted =
                store.getBroadcastState(
                                new MapStateDescriptor<>(
                                        StateLayouts.STATE,
                                        StringSerializer.INSTANCE,
                                        StringSerializer.INSTANCE))
                        .get("rows");
        assertThat(PLAIN.match(noted)).isEqualTo(StateLayout.Match.ANOTHER);
        assertThat(AGED.match(noted)).isEqualTo(StateLayout.Match.ANOTHER);
    }

    private StateLayouts layouts() throws Exception {
        return StateLayouts.of("a top-n", "rank", store);
    }

    private String open(StateLayout layout, StateLayout other) throws Exception {
        return SwitchedState.of(layouts(), "rows", layout, other).open(name -> name);
    }
}
