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
package io.stateaccel.operators.join.fold;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;
import org.apache.flink.types.RowKind;

/**
 * What a bundle changes on one side of one join key, folded: no addition is followed by the
 * retraction that undoes it, so all retractions may come before all additions.
 *
 * <p>A retraction and the addition that takes its row's place are <em>partners</em>, {@code -U} and
 * {@code +U}.
 */
public final class SideChanges {

    /** Of a change that takes nobody's place. */
    public static final int ALONE = -1;

    private static final List<RowData> NO_ROWS = Collections.emptyList();

    public static final SideChanges NONE = alone(NO_ROWS, NO_ROWS);

    private final List<RowData> retractions;
    private final List<RowData> additions;
    private final List<RowData> dropped;

    /** By index of a retraction that of its partner or {@link #ALONE}; null if all are alone. */
    @Nullable private final int[] successors;

    /** By index of an addition, likewise. */
    @Nullable private final int[] predecessors;

    /** By index of a retraction its guest or null; null if there are no guests. */
    @Nullable private final RowData[] guests;

    private SideChanges(
            List<RowData> retractions,
            List<RowData> additions,
            List<RowData> dropped,
            @Nullable int[] successors,
            @Nullable int[] predecessors,
            @Nullable RowData[] guests) {
        this.retractions = retractions;
        this.additions = additions;
        this.dropped = dropped;
        this.successors = successors;
        this.predecessors = predecessors;
        this.guests = guests;
    }

    /** Changes without partners. */
    static SideChanges alone(List<RowData> retractions, List<RowData> additions) {
        return new SideChanges(retractions, additions, NO_ROWS, null, null, null);
    }

    /**
     * Changes without partners, some of which take away what has only come in the same bundle.
     *
     * @param retractions by key, in order
     * @param guests by key, the rows that came and are taken away
     */
    static SideChanges withGuests(
            Map<RowData, RowData> retractions,
            List<RowData> additions,
            Map<RowData, RowData> guests) {
        List<RowData> rows = new ArrayList<>(retractions.values());
        if (guests.isEmpty()) {
            return alone(rows, additions);
        }
        RowData[] guestsOfRows =
                retractions.keySet().stream().map(guests::get).toArray(RowData[]::new);
        return new SideChanges(rows, additions, NO_ROWS, null, null, guestsOfRows);
    }

    /**
     * Changes of which some are partners; their kinds are made to say so.
     *
     * @param changes in order
     * @param remaining the same, null where folding has left none
     * @param partners by index of a change, the index of its partner or {@link #ALONE}
     * @param deletes whether {@code -D} is expected of the join; a {@code -U} without a partner
     *     becomes one then, as who reads upserts ignores a {@code -U}
     */
    static SideChanges withPartners(
            List<RowData> changes, RowData[] remaining, int[] partners, boolean deletes) {
        List<RowData> retractions = new ArrayList<>(remaining.length);
        List<RowData> additions = new ArrayList<>(remaining.length);
        // Of most keys none is, so that there is no list before it has a row.
        List<RowData> dropped = NO_ROWS;
        int[] indices = new int[remaining.length];
        for (int i = 0; i < remaining.length; i++) {
            RowData change = changes.get(i);
            boolean accumulate = RowDataUtil.isAccumulateMsg(change);
            if (remaining[i] != null) {
                List<RowData> list = accumulate ? additions : retractions;
                indices[i] = list.size();
                list.add(change);
            } else if (accumulate) {
                dropped = dropped.isEmpty() ? new ArrayList<>() : dropped;
                dropped.add(change);
            }
        }
        int[] successors = new int[retractions.size()];
        int[] predecessors = new int[additions.size()];
        Arrays.fill(predecessors, ALONE);
        int retraction = 0;
        for (int i = 0; i < remaining.length; i++) {
            if (remaining[i] == null || RowDataUtil.isAccumulateMsg(remaining[i])) {
                continue;
            }
            if (partners[i] != ALONE) {
                successors[retraction] = indices[partners[i]];
                predecessors[indices[partners[i]]] = retraction;
                remaining[i].setRowKind(RowKind.UPDATE_BEFORE);
                remaining[partners[i]].setRowKind(RowKind.UPDATE_AFTER);
            } else {
                successors[retraction] = ALONE;
                if (deletes) {
                    remaining[i].setRowKind(RowKind.DELETE);
                }
            }
            retraction++;
        }
        return new SideChanges(retractions, additions, dropped, successors, predecessors, null);
    }

    /** {@code -U} and {@code -D}, in order. */
    public List<RowData> retractions() {
        return retractions;
    }

    /** {@code +I} and {@code +U}, in order. */
    public List<RowData> additions() {
        return additions;
    }

    /** Additions that folding has dropped together with the retractions that undo them. */
    public List<RowData> dropped() {
        return dropped;
    }

    /** The index of the addition that takes the place of a retracted row, or {@link #ALONE}. */
    public int successorOf(int retraction) {
        return successors == null ? ALONE : successors[retraction];
    }

    /** The addition that takes the place of a retracted row, null if none does. */
    @Nullable
    public RowData successor(int retraction) {
        int successor = successorOf(retraction);
        return successor == ALONE ? null : additions.get(successor);
    }

    /** The retracted row whose place an addition takes, null if it takes none. */
    @Nullable
    public RowData predecessor(int addition) {
        int predecessor = predecessors == null ? ALONE : predecessors[addition];
        return predecessor == ALONE ? null : retractions.get(predecessor);
    }

    /**
     * The row that has come in the bundle for a retraction to take away; null if the row is from
     * before. Who counts what there is has to see it come before it sees it go.
     */
    @Nullable
    public RowData guest(int retraction) {
        return guests == null ? null : guests[retraction];
    }

    /** Whether nothing is left, whatever was dropped. */
    public boolean isEmpty() {
        return retractions.isEmpty() && additions.isEmpty();
    }

    public int size() {
        return retractions.size() + additions.size();
    }

    /** All changes in an order in which they may be applied. */
    public List<RowData> inOrder() {
        if (retractions.isEmpty()) {
            return additions;
        }
        List<RowData> all = new ArrayList<>(retractions.size() + additions.size());
        all.addAll(retractions);
        all.addAll(additions);
        return all;
    }
}
