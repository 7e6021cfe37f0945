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

import java.util.List;
import java.util.stream.Stream;
import javax.annotation.Nullable;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.function.FunctionWithException;
import org.apache.flink.util.function.ThrowingConsumer;

/**
 * A state that has one of two layouts, by an option that may be switched on a running job. A
 * backend keeps a name to one serializer for ever, so the layout that the job did not begin with
 * has a name of its own. When a job is switched, what the snapshot holds moves from the one to the
 * other, all of it while the operator is opened, as Flink migrates states. Used by the task thread.
 */
public final class SwitchedState {

    /** Part of snapshots. */
    private static final String SUFFIX = "-switched";

    /** The keys that are held on the heap at a time while a state is moved. */
    private static final int KEYS_AT_A_TIME = 1 << 17;

    private final StateLayouts layouts;
    private final StateLayout layout;
    private final StateLayout other;
    private final String name;
    @Nullable private final String from;

    private SwitchedState(
            StateLayouts layouts,
            StateLayout layout,
            StateLayout other,
            String name,
            @Nullable String from) {
        this.layouts = layouts;
        this.layout = layout;
        this.other = other;
        this.name = name;
        this.from = from;
    }

    /**
     * @param name under which the state begins, whatever its layout is then
     * @param layout that the job has now
     * @param other that a snapshot may have in its place
     */
    public static SwitchedState of(
            StateLayouts layouts, String name, StateLayout layout, StateLayout other)
            throws Exception {
        String second = name + SUFFIX;
        if (layouts.isNoted(name, other)) {
            return new SwitchedState(layouts, layout, other, second, name);
        }
        if (layouts.isNoted(second, other)) {
            return new SwitchedState(layouts, layout, other, name, second);
        }
        String now = layouts.isNoted(second, layout) ? second : name;
        return new SwitchedState(layouts, layout, other, now, null);
    }

    /**
     * Opens the state in the layout that the job has now.
     *
     * @param opening opens the state of a name
     * @throws StateRefusedException when the snapshot holds it in a layout that is neither
     */
    public <S> S open(FunctionWithException<String, S, ? extends Exception> opening)
            throws Exception {
        return layouts.open(name, layout, () -> opening.apply(name));
    }

    /** Whether the snapshot has the state in a layout, by whichever name. */
    public static boolean isNoted(StateLayouts layouts, String name, StateLayout layout)
            throws Exception {
        return layouts.isNoted(name, layout) || layouts.isNoted(name + SUFFIX, layout);
    }

    /** Whether the snapshot holds the state in the other layout, so that it has to be moved. */
    public boolean isSwitched() {
        return from != null;
    }

    /**
     * Moves what the snapshot holds in the other layout, if it does.
     *
     * @param opening opens the state of a name in that layout
     * @param moving takes what the current key has in that state, and clears it there
     * @throws StateRefusedException when the snapshot holds that in a version that is not read
     */
    public <S> void move(
            KeyedStateBackend<RowData> backend,
            FunctionWithException<String, S, ? extends Exception> opening,
            ThrowingConsumer<S, ? extends Exception> moving)
            throws Exception {
        if (isSwitched()) {
            S state = openBefore(opening);
            moveKeys(backend, VoidNamespace.INSTANCE, key -> moving.accept(state));
        }
    }

    /**
     * Opens what the snapshot holds in the other layout, where it {@link #isSwitched}.
     *
     * @param opening opens the state of a name in that layout
     * @throws StateRefusedException when the snapshot holds that in a version that is not read
     */
    public <S> S openBefore(FunctionWithException<String, S, ? extends Exception> opening)
            throws Exception {
        return layouts.open(from, other, () -> opening.apply(from));
    }

    /**
     * Goes through the keys of what {@link #openBefore} has opened, until there are none.
     *
     * @param namespace in which all keys have something
     * @param moving takes what a key, which is the current one, has in that state, and clears it
     *     there
     */
    public <N> void moveKeys(
            KeyedStateBackend<RowData> backend,
            N namespace,
            ThrowingConsumer<RowData, ? extends Exception> moving)
            throws Exception {
        List<RowData> keys;
        do {
            // Heap backends may not be changed while keys are read.
            try (Stream<RowData> all = backend.getKeys(from, namespace)) {
                keys = all.limit(KEYS_AT_A_TIME).toList();
            }
            for (RowData key : keys) {
                backend.setCurrentKey(key);
                moving.accept(key);
            }
        } while (!keys.isEmpty());
        layouts.moved(from);
    }
}
