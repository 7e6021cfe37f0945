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
package io.stateaccel.nexmark.checksum;

import java.util.Set;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;

/**
 * A table of which only a {@link Checksum} is kept. It asks for full changelogs, so whatever a
 * query emits, the planner hands over every retracted row with its values, and no row has to be
 * remembered to be subtracted.
 */
final class ChecksumTableSink implements DynamicTableSink {

    private final String table;
    private final RowType rowType;
    private final Set<String> ignoredColumns;
    private final Set<String> columnsBesideKey;

    /**
     * @param columnsBesideKey of a table that is given upserts, the columns that are not its key;
     *     none where every row that is replaced is given too
     */
    ChecksumTableSink(
            String table,
            RowType rowType,
            Set<String> ignoredColumns,
            Set<String> columnsBesideKey) {
        this.table = table;
        this.rowType = rowType;
        this.ignoredColumns = ignoredColumns;
        this.columnsBesideKey = columnsBesideKey;
    }

    @Override
    public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
        return columnsBesideKey.isEmpty() ? ChangelogMode.all() : ChangelogMode.upsert();
    }

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
        try {
            new RowHasher(rowType, ignoredColumns);
        } catch (IllegalArgumentException e) {
            throw new ValidationException("Table " + table + ": " + e.getMessage(), e);
        }
        return new DataStreamSinkProvider() {
            @Override
            public DataStreamSink<?> consumeDataStream(
                    ProviderContext providerContext, DataStream<RowData> rows) {
                return ChecksumSink.add(
                        rows,
                        table,
                        rowType,
                        ignoredColumns,
                        columnsBesideKey,
                        providerContext.generateUid("checksum"));
            }
        };
    }

    @Override
    public DynamicTableSink copy() {
        return new ChecksumTableSink(table, rowType, ignoredColumns, columnsBesideKey);
    }

    @Override
    public String asSummaryString() {
        return "nexmark-checksum";
    }
}
