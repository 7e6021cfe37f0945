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

import java.io.IOException;
import java.util.List;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.fs.CloseableRegistry;
import org.apache.flink.runtime.state.DefaultOperatorStateBackendBuilder;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.StateMigrationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StateLayoutsTest {

    private static final StateLayout LIST = StateLayout.first("list");
    private static final StateLayout TREE = StateLayout.first("tree");

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
    void findsWhatItHasNoted() throws Exception {
        StateLayouts first = StateLayouts.of("a join", "join", store);
        assertThat(first.areFound()).isFalse();
        assertThat(first.open("rows", LIST, () -> "state")).isEqualTo("state");
        StateLayouts restored = StateLayouts.of("a join", "join", store);
        assertThat(restored.areFound()).isTrue();
        assertThat(restored.open("rows", LIST, () -> "again")).isEqualTo("again");
    }

    @Test
    void refusesAnotherLayoutOfTheSameState() throws Exception {
        StateLayouts.of("a join", "join", store).open("rows", LIST, () -> "state");
        StateLayouts restored = StateLayouts.of("a join", "join", store);
        assertThatThrownBy(() -> restored.open("rows", TREE, () -> "state"))
                .isInstanceOf(StateRefusedException.class)
                .hasMessageContaining("'rows' of 'a join'")
                .hasMessageContaining("Found in the snapshot: list, layout 1.")
                .hasMessageContaining("Expected: tree, layout 1.");
    }

    @Test
    void refusesTheStateOfAnotherKindOfOperator() throws Exception {
        StateLayouts.of("a join", "join", store);
        assertThatThrownBy(() -> StateLayouts.of("a rank", "rank", store))
                .isInstanceOf(StateRefusedException.class)
                .hasMessageContaining("'operator' of 'a rank'")
                .hasMessageContaining("Found in the snapshot: join, layout 1.")
                .hasMessageContaining("Expected: rank, layout 1.");
    }

    /** In 0.1.0 all layouts were of version 1, and so were operators. */
    @Test
    void goesOnFromTheNotesOfTheFirstVersion() throws Exception {
        note("operator", "join, layout 1");
        note("rows", "list, layout 1");
        StateLayouts restored = StateLayouts.of("a join", "join", store);
        assertThat(restored.areFound()).isTrue();
        assertThat(restored.open("rows", LIST, () -> "state")).isEqualTo("state");
    }

    @Test
    void readsOlderVersionsAndNotesItsOwn() throws Exception {
        note("operator", "join, layout 1");
        note("rows", "list, layout 2");
        StateLayout readsFromTwo = new StateLayout("list", 3, 2);
        assertThat(StateLayouts.of("a join", "join", store).open("rows", readsFromTwo, () -> 1))
                .isEqualTo(1);
        assertThat(notes().get("rows")).isEqualTo("list, layout 3");
    }

    @Test
    void refusesAVersionThatIsNotKnownYet() throws Exception {
        note("operator", "join, layout 1");
        note("rows", "list, layout 4");
        StateLayouts restored = StateLayouts.of("a join", "join", store);
        assertThatThrownBy(
                        () -> restored.open("rows", new StateLayout("list", 3, 2), () -> "state"))
                .isInstanceOf(StateRefusedException.class)
                .hasMessageContaining("'rows' of 'a join'")
                .hasMessageContaining("Found in the snapshot: list, layout 4.")
                .hasMessageContaining("Expected: list, layouts 2 to 3.")
                .hasMessageContaining("taken with, or a later one");
    }

    @Test
    void refusesAVersionThatIsNoLongerRead() throws Exception {
        note("operator", "join, layout 1");
        note("rows", "list, layout 1");
        StateLayouts restored = StateLayouts.of("a join", "join", store);
        assertThatThrownBy(
                        () -> restored.open("rows", new StateLayout("list", 3, 2), () -> "state"))
                .isInstanceOf(StateRefusedException.class)
                .hasMessageContaining("Found in the snapshot: list, layout 1.")
                .hasMessageContaining("Expected: list, layouts 2 to 3.")
                .hasMessageContaining("reads both that layout and a later one");
    }

    /** A newer build has raised the version of lists: that is no matter of an operator of trees. */
    @Test
    void anotherLayoutsVersionIsNoMatter() throws Exception {
        StateLayouts newer = StateLayouts.of("a tree join", "join", store);
        newer.open("rows", TREE, () -> "state");
        newer.open("other rows", new StateLayout("list", 2, 1), () -> "state");
        StateLayouts older = StateLayouts.of("a tree join", "join", store);
        assertThat(older.open("rows", TREE, () -> "state")).isEqualTo("state");
        assertThatThrownBy(() -> older.open("other rows", LIST, () -> "state"))
                .isInstanceOf(StateRefusedException.class)
                .hasMessageContaining("'other rows'");
    }

    @Test
    void namesThatBeginAlikeAreOthers() throws Exception {
        note("operator", "join, layout 1");
        note("rows", "list, layout of trees, layout 1");
        StateLayouts restored = StateLayouts.of("a join", "join", store);
        assertThatThrownBy(() -> restored.open("rows", LIST, () -> "state"))
                .isInstanceOf(StateRefusedException.class)
                .hasMessageContaining("Found in the snapshot: list, layout of trees, layout 1.");
    }

    @Test
    void refusesWhatTheBackendFindsIncompatible() throws Exception {
        StateLayouts layouts = StateLayouts.of("a join", "join", store);
        for (Exception cause :
                List.of(
                        new StateMigrationException("another serializer."),
                        new RuntimeException(
                                new IllegalStateException("Incompatible key/value state types.")),
                        new RuntimeException(new StateMigrationException("deep down.")))) {
            assertThatThrownBy(
                            () ->
                                    layouts.open(
                                            "rows",
                                            LIST,
                                            () -> {
                                                throw cause;
                                            }))
                    .isInstanceOf(StateRefusedException.class)
                    .hasMessageContaining("'rows' of 'a join'")
                    .hasMessageContaining("Expected: list, layout 1.")
                    .hasMessageContaining("'table.exec.state-accel.enabled' = 'false'")
                    .hasCause(cause);
        }
    }

    /** What another attempt may mend is not refused for good. */
    @Test
    void letsOtherFailuresPass() throws Exception {
        StateLayouts layouts = StateLayouts.of("a join", "join", store);
        for (Exception failure :
                List.of(new IOException("disk"), new IllegalStateException("closed"))) {
            assertThatThrownBy(
                            () ->
                                    layouts.open(
                                            "rows",
                                            LIST,
                                            () -> {
                                                throw failure;
                                            }))
                    .isSameAs(failure);
            assertThat(ExceptionUtils.findThrowable(failure, StateRefusedException.class))
                    .isEmpty();
        }
    }

    private void note(String state, String layout) throws Exception {
        notes().put(state, layout);
    }

    private BroadcastState<String, String> notes() throws Exception {
        return store.getBroadcastState(
                new MapStateDescriptor<>(
                        StateLayouts.STATE, StringSerializer.INSTANCE, StringSerializer.INSTANCE));
    }
}
