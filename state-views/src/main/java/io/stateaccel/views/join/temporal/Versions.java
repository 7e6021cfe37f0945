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
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.typeutils.InternalTypeInfo;

/**
 * The versions that the right side of a row-time temporal join has of a key: one row per time, that
 * which came last. Takes the place of the {@code MapState<time, row>} of Flink's {@code
 * TemporalRowTimeJoinOperator}.
 */
public final class Versions extends TimedRows {

    Versions(RowLog log, InternalTypeInfo<RowData> type, int timeColumn) {
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
    public static Versions open(
            ViewContext context, String stateName, InternalTypeInfo<RowData> type, int timeColumn)
            throws Exception {
        return new Versions(TimedRows.open(context, stateName, type), type, timeColumn);
    }

    /**
     * Reads the versions of the current key, and drops those from the state that are older than the
     * last one which is not after the watermark.
     *
     * @param watermark milliseconds
     * @return all versions that were there, by time, with their kinds; the map and its rows are not
     *     to be changed
     */
    public NavigableMap<Long, RowData> readAndDropOld(long watermark) throws Exception {
        read();
        NavigableMap<Long, RowData> versions = new TreeMap<>();
        List<List<RowData>> chunks = new ArrayList<>(chunks());
        for (int i = 0; i < chunks(); i++) {
            List<RowData> chunk = readChunk(i);
            chunks.add(chunk);
            chunk.forEach(row -> versions.put(timeOf(row), row));
        }
        addRecords(versions);

        NavigableMap<Long, RowData> kept = new TreeMap<>(versions);
        dropOld(kept, watermark);
        for (int i = 0; i < chunks.size(); i++) {
            List<RowData> chunk = chunks.get(i);
            List<RowData> live = ofThese(chunk, kept);
            if (live.size() < chunk.size()) {
                replaceChunk(i, live);
            }
        }
        store(ofThese(records(), kept), watermark, kept.size() < versions.size());

        versions.replaceAll((time, record) -> toRow(record));
        return versions;
    }

    private static void dropOld(NavigableMap<Long, RowData> versions, long watermark) {
        Long current = versions.floorKey(watermark);
        if (current != null) {
            versions.headMap(current).clear();
        }
    }

    /** The records that are among versions themselves. */
    private List<RowData> ofThese(List<RowData> some, Map<Long, RowData> versions) {
        List<RowData> those = new ArrayList<>(some.size());
        for (RowData record : some) {
            if (!isMark(record) && versions.get(timeOf(record)) == record) {
                those.add(record);
            }
        }
        return those;
    }

    /** A mark says that the watermark has passed the versions before it. */
    private void addRecords(NavigableMap<Long, RowData> versions) {
        for (RowData record : records()) {
            if (isMark(record)) {
                dropOld(versions, watermarkOf(record));
            } else {
                versions.put(timeOf(record), record);
            }
        }
    }

    @Override
    List<RowData> liveRecords() {
        NavigableMap<Long, RowData> versions = new TreeMap<>();
        addRecords(versions);
        return ofThese(records(), versions);
    }
}
