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
package io.stateaccel.views.join.temporal;

import io.stateaccel.views.ViewContext;
import io.stateaccel.views.join.log.RowLog;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * The left rows of a row-time temporal join which wait for the watermark. Takes the place of the
 * {@code MapState<sequence, row>} of Flink's {@code TemporalRowTimeJoinOperator}, and of the state
 * with the next sequence number.
 */
public final class RowsToJoin extends TimedRows {

    RowsToJoin(RowLog log, InternalTypeInfo<RowData> type, int timeColumn) {
        super(log, type, timeColumn);
    }

    /**
     * @param context where the state is kept
     * @param stateName the name stock Flink gives it, so that a savepoint of the stock operator is
     *     refused by the backend and never starts empty
     * @param type the rows
     * @param timeColumn their row time, in milliseconds
     * @throws io.stateaccel.views.layout.StateRefusedException when a snapshot holds the state in
     *     another layout
     */
    public static RowsToJoin open(
            ViewContext context, String stateName, InternalTypeInfo<RowData> type, int timeColumn)
            throws Exception {
        return new RowsToJoin(TimedRows.open(context, stateName, type), type, timeColumn);
    }

    /**
     * Takes those rows of the current key out whose time has come.
     *
     * @param watermark milliseconds
     * @param due takes them, in the order in which they came; valid during the call, not to be
     *     changed
     * @return the first time of those that are left, {@code Long.MAX_VALUE} if none are
     */
    public long take(long watermark, Consumer<RowData> due) throws Exception {
        read();
        long next = Long.MAX_VALUE;
        for (int i = 0; i < chunks(); i++) {
            if (firstTimeOfChunk(i) <= watermark) {
                replaceChunk(i, takeDue(readChunk(i), watermark, due));
            }
            next = Math.min(next, firstTimeOfChunk(i));
        }
        List<RowData> waiting = liveRecords();
        List<RowData> left = takeDue(waiting, watermark, due);
        for (RowData row : left) {
            next = Math.min(next, timeOf(row));
        }
        store(left, watermark, left.size() < waiting.size());
        return next;
    }

    private List<RowData> takeDue(List<RowData> rows, long watermark, Consumer<RowData> due) {
        List<RowData> left = new ArrayList<>();
        for (RowData row : rows) {
            if (timeOf(row) <= watermark) {
                due.accept(toRow(row));
            } else {
                left.add(row);
            }
        }
        return left;
    }

    /** A mark says that the rows before it have been taken up to a time. */
    @Override
    List<RowData> liveRecords() {
        List<RowData> records = records();
        List<RowData> live = new ArrayList<>(records.size());
        for (RowData record : records) {
            if (isMark(record)) {
                long taken = watermarkOf(record);
                live.removeIf(row -> timeOf(row) <= taken);
            } else {
                live.add(record);
            }
        }
        return live;
    }
}
