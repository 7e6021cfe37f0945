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
package io.stateaccel.operators.rank;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.table.data.RowData;

/**
 * The changes that the rows of a bundle make to a result one after the other, folded: what came and
 * went again is not told, and what went and came again is, as a change that keeps it alive
 * downstream. What goes need not have come before: of a result of which parts have expired, Flink
 * takes back what it believes to be there.
 *
 * <p>Whoever reads upserts may still have another row in the place of what came and went. So there
 * it is told to come and to go: to be gone alone would be one too much for who counts.
 */
final class RankChanges {

    private final long rankStart;
    private final long rankEnd;
    private final boolean byRank;
    private final boolean readAsUpserts;
    private final RankOutput output;

    private final TreeMap<Long, List<Change>> byRanks = new TreeMap<>();
    private final Map<RowData, Balance> byRow = new LinkedHashMap<>();

    RankChanges(MiniBatchRankSpec spec, RankOutput output) {
        this.rankStart = spec.rankStart();
        this.rankEnd = spec.rankEnd();
        this.byRank = spec.isByRank();
        this.readAsUpserts = !spec.generateUpdateBefore();
        this.output = output;
    }

    /** A row comes into the result. */
    void comes(RowData row, long rank) {
        if (rank < rankStart || rank > rankEnd) {
            return;
        }
        if (byRank) {
            byRanks.computeIfAbsent(rank, r -> new ArrayList<>(2)).add(new Change(row, true));
        } else {
            byRow.computeIfAbsent(row, r -> new Balance()).come++;
        }
    }

    /** A row leaves the result. */
    void goes(RowData row, long rank) {
        if (rank < rankStart || rank > rankEnd) {
            return;
        }
        if (byRank) {
            goes(row, byRanks.computeIfAbsent(rank, r -> new ArrayList<>(2)));
            return;
        }
        Balance balance = byRow.computeIfAbsent(row, r -> new Balance());
        if (balance.come > 0) {
            balance.come--;
            balance.cameAndWent = true;
        } else {
            balance.gone++;
        }
    }

    private void goes(RowData row, List<Change> ofRank) {
        int last = ofRank.size() - 1;
        if (last >= 0 && ofRank.get(last).comes && ofRank.get(last).row.equals(row)) {
            if (readAsUpserts && (last == 0 || ofRank.get(last - 1).comes)) {
                ofRank.add(new Change(row, false));
            } else {
                ofRank.remove(last);
            }
        } else {
            ofRank.add(new Change(row, false));
        }
    }

    /**
     * Emits what is left of the changes, and forgets them. What goes is told before what comes, as
     * {@link RankOutput} does.
     */
    void emit() {
        byRanks.forEach((rank, changes) -> emit(rank, changes, 0, gone(changes)));
        byRanks.forEach((rank, changes) -> emit(rank, changes, gone(changes), changes.size()));
        byRanks.clear();
        byRow.forEach(
                (row, balance) -> {
                    if (output.tellsOfGuests() && balance.onlyCameAndWent()) {
                        output.cameAndWent(row);
                    }
                    for (int i = 0; i < balance.gone; i++) {
                        output.deleted(row, rankStart);
                    }
                });
        byRow.forEach(
                (row, balance) -> {
                    for (int i = 0; i < balance.come; i++) {
                        output.inserted(row, rankStart);
                    }
                });
        byRow.clear();
    }

    /** How many changes tell that the row that a rank had has gone: the first one, or none. */
    private static int gone(List<Change> changes) {
        return changes.isEmpty() || changes.get(0).comes ? 0 : 1;
    }

    private void emit(long rank, List<Change> changes, int from, int to) {
        for (int i = from; i < to; i++) {
            Change change = changes.get(i);
            if (change.comes) {
                if (i > 0 && !changes.get(i - 1).comes) {
                    output.replaces(change.row, rank);
                } else {
                    output.inserted(change.row, rank);
                }
            } else if (i + 1 < changes.size() && changes.get(i + 1).comes) {
                output.replaced(change.row, rank);
            } else {
                output.deleted(change.row, rank);
            }
        }
    }

    /** What happens to a rank. */
    private record Change(RowData row, boolean comes) {}

    /** How often equal rows have left the result, and come since. */
    private static final class Balance {
        private int gone;
        private int come;

        private boolean cameAndWent;

        private boolean onlyCameAndWent() {
            return cameAndWent && gone == 0 && come == 0;
        }
    }
}
