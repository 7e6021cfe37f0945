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

import io.stateaccel.config.StateAccelOptions;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.state.BroadcastState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.OperatorStateStore;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.util.ExceptionUtils;
import org.apache.flink.util.StateMigrationException;
import org.apache.flink.util.function.SupplierWithException;

/**
 * How the states of an operator are laid out: noted in every snapshot, as a small operator state,
 * and compared when a job goes on from it. Flink compares types and serializers, which tells stock
 * state from ours; lists of the same rows that mean different things it cannot tell apart. Each
 * layout has versions of its own, so that a change of one concerns the operators that have it.
 *
 * <p>Used by the task thread while the operator is initialised and opened, so that what does not
 * fit is refused before the first record.
 */
public final class StateLayouts {

    /** The name of the operator state. */
    static final String STATE = "state-accel-layouts";

    /**
     * In place of a layout, where another state holds now what that one held, so that an earlier
     * version refuses the snapshot. Part of snapshots.
     */
    private static final String MOVED = "moved to another state";

    /** Is there in every snapshot of an accelerated operator. */
    private static final String OPERATOR = "operator";

    private static final String AS_IT_WAS =
            "restore it with the query, the table definitions, the options and the version of"
                    + " flink-sql-state-accel that the snapshot was taken with";

    private static final String NEWER =
            "restore it with the version of flink-sql-state-accel that the snapshot was taken with,"
                    + " or a later one, as this version does not know that layout yet";

    private static final String TOO_OLD =
            "restore it with the version of flink-sql-state-accel that the snapshot was taken with,"
                    + " and go on with one that reads both that layout and a later one, from a"
                    + " savepoint of which this version goes on";

    private static final String WITHOUT_ACCELERATION =
            "restore it with SET '"
                    + StateAccelOptions.ENABLED.key()
                    + "' = 'false', as the snapshot is one without acceleration";

    private final String operator;
    private final BroadcastState<String, String> layouts;
    private final boolean found;

    private StateLayouts(String operator, BroadcastState<String, String> layouts, boolean found) {
        this.operator = operator;
        this.layouts = layouts;
        this.found = found;
    }

    /**
     * @param operator what the user knows the operator by
     * @param kind of the operator. Flink's generated ids follow from an operator's place in the
     *     plan, so an operator may be given the state of one of another kind. Part of snapshots, so
     *     the same for ever
     * @param store holds the operator state
     * @throws StateRefusedException when the snapshot was taken by an accelerated operator of
     *     another kind
     */
    public static StateLayouts of(String operator, String kind, OperatorStateStore store)
            throws Exception {
        BroadcastState<String, String> layouts =
                store.getBroadcastState(
                        new MapStateDescriptor<>(
                                STATE, StringSerializer.INSTANCE, StringSerializer.INSTANCE));
        StateLayouts all = new StateLayouts(operator, layouts, layouts.contains(OPERATOR));
        // The kind has no version of its own: what may change are the layouts of its states.
        all.note(OPERATOR, StateLayout.first(kind));
        return all;
    }

    /** Whether the job goes on from a snapshot that an accelerated operator has taken. */
    public boolean areFound() {
        return found;
    }

    /**
     * Opens a state.
     *
     * @param layout what is in the state and how
     * @param opening opens the state on the backend
     * @throws StateRefusedException when the snapshot holds the state in another layout, or in a
     *     version of it that is not read
     */
    public <T> T open(
            String stateName,
            StateLayout layout,
            SupplierWithException<T, ? extends Exception> opening)
            throws Exception {
        note(stateName, layout);
        try {
            return opening.get();
        } catch (Exception e) {
            Optional<String> found = foundInstead(e);
            if (found.isEmpty()) {
                throw e;
            }
            throw refusal(
                    stateName,
                    found.get(),
                    layout.readable(),
                    this.found ? AS_IT_WAS : WITHOUT_ACCELERATION,
                    e);
        }
    }

    /**
     * The name under which the snapshot has a state of this layout, for an operator that has one
     * such state, whose name depends on what stock operator it takes the place of.
     */
    public Optional<String> nameOf(StateLayout layout) throws Exception {
        for (Map.Entry<String, String> noted : layouts.immutableEntries()) {
            if (layout.match(noted.getValue()) != StateLayout.Match.ANOTHER) {
                return Optional.of(noted.getKey());
            }
        }
        return Optional.empty();
    }

    /** Whether the snapshot holds a state, in a version of this layout. */
    public boolean isNoted(String stateName, StateLayout layout) throws Exception {
        String noted = layouts.get(stateName);
        return noted != null && layout.match(noted) != StateLayout.Match.ANOTHER;
    }

    /** What a state held is in another one now. */
    void moved(String stateName) throws Exception {
        layouts.put(stateName, MOVED);
    }

    private void note(String stateName, StateLayout layout) throws Exception {
        String noted = layouts.get(stateName);
        if (noted != null && !noted.equals(MOVED)) {
            String wayOut =
                    switch (layout.match(noted)) {
                        case READABLE -> null;
                        case NEWER -> NEWER;
                        case TOO_OLD -> TOO_OLD;
                        case ANOTHER -> AS_IT_WAS;
                    };
            if (wayOut != null) {
                throw refusal(stateName, noted, layout.readable(), wayOut, null);
            }
        }
        // Whoever reads this version reads what is left of earlier ones.
        layouts.put(stateName, layout.note());
    }

    private StateRefusedException refusal(
            String stateName, String found, String expected, String wayOut, Exception cause) {
        return new StateRefusedException(
                String.format(
                        "The state '%s' of '%s' does not fit into this job. Found in the snapshot:"
                                + " %s. Expected: %s. Either %s, or start the job without that"
                                + " snapshot.",
                        stateName, operator, found, expected, wayOut),
                cause);
    }

    /**
     * For an operator that finds nothing in the snapshot that the job goes on from, which is right
     * if it is new in the job, while Flink has been told to leave out state that it cannot assign.
     * That state may well be the operator's own, under an id that changed with the plan.
     */
    public static StateRefusedException refuseToStartEmpty(String operator) {
        return new StateRefusedException(
                String.format(
                        "'%s' would start with empty state: the snapshot holds none under its"
                                + " operator id, and '%s' lets Flink drop what it cannot assign."
                                + " Expected: the state of this operator. Either restore the"
                                + " snapshot with the query and the %s* options that it was taken"
                                + " with, or, if the operator is to start empty, SET '%s' ="
                                + " 'true'.",
                        operator,
                        StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE.key(),
                        StateAccelOptions.TABLE_PREFIX,
                        StateAccelOptions.ALLOW_EMPTY_STATE.key()));
    }

    /** What the backend says is there, if that is why a state cannot be opened. */
    private static Optional<String> foundInstead(Exception e) {
        return ExceptionUtils.findThrowable(e, StateMigrationException.class)
                .map(Throwable::getMessage)
                .or(
                        () ->
                                ExceptionUtils.findThrowable(e, IllegalStateException.class)
                                        .map(Throwable::getMessage)
                                        .filter(message -> message.startsWith("Incompatible ")))
                .map(message -> message.replaceAll("[.\\s]+$", ""))
                .map(message -> "another layout, of which Flink says: " + message);
    }
}
