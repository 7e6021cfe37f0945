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
package io.stateaccel.views.join;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.util.RowDataUtil;

/**
 * A {@link MergedRecordView} for joins with state TTL: it writes whatever Flink writes for the same
 * changes, as each write begins a new life. Of equal rows without a unique key all live as long as
 * the youngest. Where Flink keeps with each row how many matches it has, as it does for the rows of
 * a side that is padded, and for the left ones of SEMI and ANTI joins, so does this: with state TTL
 * that is not to be derived from the rows of the other side, of which some may have expired without
 * anybody having been told.
 */
public interface RenewingRecordView extends MergedRecordView {

    /** What {@link Recount#matches} returns of a row that no change of the other side matches. */
    int UNTOUCHED = Integer.MIN_VALUE;

    /** Whether rows are kept with the number of their matches. */
    boolean keepsMatches();

    /**
     * Whether to {@link #store} changes of a key reads what is stored of it; a guess, for {@link
     * #load}.
     */
    boolean isReadToStore(RowData joinKey);

    /**
     * Goes through the rows of the current key and their matches, of a view that keeps them. What
     * it is told is stored at the latest by {@link #store}.
     *
     * @param joinKey the current key
     * @param gone changes that are not stored yet, one after the other, each only retractions or
     *     only additions; of rows that they take away or replace nothing is asked
     */
    void recount(RowData joinKey, List<List<RowData>> gone, Recount recount) throws Exception;

    /** Applies what the bundle changes on this side, and ends the key. */
    void store(RowData joinKey, SideUpdate update) throws Exception;

    /** Is told of rows and their matches. */
    @FunctionalInterface
    interface Recount {

        /**
         * @param row good until the call returns, of kind {@code +I} then as well
         * @param count how often it is there
         * @param matches what is stored
         * @return what is to be stored, {@link #UNTOUCHED} if nothing is
         */
        int matches(RowData row, int count, int matches) throws Exception;
    }

    /** Applies changes of rows that match nothing. */
    @Override
    default void apply(RowData joinKey, List<RowData> changes) throws Exception {
        List<RowData> retractions = new ArrayList<>();
        List<RowData> additions = new ArrayList<>();
        for (RowData change : changes) {
            (RowDataUtil.isAccumulateMsg(change) ? additions : retractions).add(change);
        }
        store(
                joinKey,
                new SideUpdate(
                        retractions,
                        additions,
                        new int[additions.size()],
                        Collections.emptyList(),
                        new int[0]));
    }

    /**
     * The changes of a key, all {@code BinaryRowData} that belong to the view from now on.
     *
     * @param retractions to be applied first
     * @param additions to be applied then
     * @param matches of each addition, for a view that keeps them
     * @param renewals rows that were added and retracted again
     * @param renewedMatches of each of these when it was there, likewise
     */
    record SideUpdate(
            List<RowData> retractions,
            List<RowData> additions,
            int[] matches,
            List<RowData> renewals,
            int[] renewedMatches) {

        public boolean isEmpty() {
            return retractions.isEmpty() && additions.isEmpty() && renewals.isEmpty();
        }
    }
}
