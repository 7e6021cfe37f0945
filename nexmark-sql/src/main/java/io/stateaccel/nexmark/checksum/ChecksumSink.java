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

import java.util.Optional;
import java.util.Set;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.logical.RowType;

/** The end of a stream of changes of which only a {@link Checksum} is kept. */
public final class ChecksumSink {

    private ChecksumSink() {}

    /**
     * Ends a stream of a DataStream program.
     *
     * @param rows a changelog in which every retracted row comes with its values
     * @param name names the accumulators, see {@link Checksum#fromAccumulators}
     * @param type the rows' columns
     */
    public static DataStreamSink<RowData> add(DataStream<RowData> rows, String name, RowType type) {
        return add(rows, name, type, Set.of(), Set.of(), Optional.of(name + "-checksum"));
    }

    /**
     * Ends a stream.
     *
     * @param ignoredColumns columns that do not count
     * @param columnsBesideKey of a stream of upserts, the columns that are not its key; else none
     * @param uid of the operator, if it is to have one
     */
    static DataStreamSink<RowData> add(
            DataStream<RowData> rows,
            String name,
            RowType type,
            Set<String> ignoredColumns,
            Set<String> columnsBesideKey,
            Optional<String> uid) {
        SingleOutputStreamOperator<RowData> checksum =
                rows.transform(
                                "checksum",
                                rows.getType(),
                                new ChecksumOperator(
                                        new ChecksumFunction(
                                                name, type, ignoredColumns, columnsBesideKey)))
                        .setParallelism(rows.getParallelism());
        uid.ifPresent(checksum::uid);
        // A stream has to end in a sink; nothing reaches this one.
        return checksum.sinkTo(new DiscardingSink<>())
                .name("nothing")
                .setParallelism(rows.getParallelism());
    }
}
