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
package io.stateaccel.views.join.log;

import java.util.List;
import java.util.function.ObjIntConsumer;
import org.apache.flink.table.data.RowData;

/** A log that has its chunks dropped some day: whatever is written is said to be there. */
final class DroppedRowLog implements RowLog {

    private final RowLog log;
    private final ObjIntConsumer<List<RowData>> written;

    /**
     * @param written told of what is written, and of the chunk that it is in now
     */
    DroppedRowLog(RowLog log, ObjIntConsumer<List<RowData>> written) {
        this.log = log;
        this.written = written;
    }

    @Override
    public List<RowData> read(int chunk) throws Exception {
        return log.read(chunk);
    }

    @Override
    public void readAhead(List<RowData> keys) throws Exception {
        log.readAhead(keys);
    }

    @Override
    public void append(int chunk, List<RowData> changes) throws Exception {
        log.append(chunk, changes);
        written.accept(changes, chunk);
    }

    @Override
    public void move(int chunk, List<RowData> rows) throws Exception {
        log.move(chunk, rows);
        written.accept(rows, chunk);
    }

    @Override
    public void replace(int chunk, List<RowData> rows) throws Exception {
        log.replace(chunk, rows);
        if (!rows.isEmpty()) {
            written.accept(rows, chunk);
        }
    }

    @Override
    public RowData repeated(RowData youngest, long count) {
        return log.repeated(youngest, count);
    }
}
