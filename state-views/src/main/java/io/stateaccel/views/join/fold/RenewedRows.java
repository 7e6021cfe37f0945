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
package io.stateaccel.views.join.fold;

import io.stateaccel.views.join.Changes;
import io.stateaccel.views.join.log.RowLog;
import io.stateaccel.views.join.log.StoredRows;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.annotation.Nullable;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;

/**
 * Equal rows without a unique key live as long as the youngest: Flink has one entry for all of
 * them, which each addition writes, and each retraction that leaves one.
 */
public final class RenewedRows {

    private RenewedRows() {}

    /**
     * What is there after some changes, if rows become younger by them.
     *
     * @param log that the rows have just been read from
     * @param live what is there before
     * @param changes of kind {@code +I} or {@code -D}, all retractions before all additions
     * @param renewals rows of kind {@code +I} that came and went
     * @param repeated whether several rows may be stored in one
     * @return for {@link RowLog#replace}; null if no row becomes younger, so that it is right to
     *     append the changes
     */
    @Nullable
    public static List<RowData> of(
            RowLog log,
            List<RowData> live,
            List<RowData> changes,
            List<RowData> renewals,
            boolean repeated) {
        Map<RowData, Tally> tallies = new HashMap<>();
        for (RowData change : changes) {
            Tally tally = tallies.computeIfAbsent(Changes.asInsert(change), row -> new Tally());
            if (RowDataUtil.isAccumulateMsg(change)) {
                tally.added++;
            } else {
                tally.retracted++;
            }
        }
        for (RowData row : renewals) {
            tallies.computeIfAbsent(row, key -> new Tally());
        }
        List<RowData> others = new ArrayList<>(live.size());
        for (RowData row : live) {
            Tally tally = tallies.get(StoredRows.fieldsOf(row));
            if (tally == null) {
                others.add(row);
            } else {
                tally.live += StoredRows.countOf(row);
                tally.areFresh &= log.isFresh(row);
            }
        }
        if (tallies.values().stream().noneMatch(Tally::getsYounger)) {
            return null;
        }
        tallies.forEach((row, tally) -> tally.addTo(others, row, log, repeated));
        return others;
    }

    /** Of rows with the same fields. */
    private static final class Tally {
        private long live;
        private long retracted;
        private long added;
        private boolean areFresh = true;

        boolean getsYounger() {
            return live > retracted && !areFresh;
        }

        void addTo(List<RowData> rows, RowData row, RowLog log, boolean repeated) {
            long count = Math.max(0, live - retracted) + added;
            if (repeated && count > 1) {
                RowData all = StoredRows.repeated(row, count);
                log.renew(all);
                rows.add(all);
            } else if (count > 0) {
                log.renew(row);
                rows.addAll(Collections.nCopies(Math.toIntExact(count), row));
            }
        }
    }
}
