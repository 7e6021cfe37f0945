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
package io.stateaccel.nexmark.latency;

import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.data.RowData;

/**
 * A table of which only the {@link Latencies} of its changes are kept. It asks for full changelogs,
 * as a checksum table does, so that the plans are those of the other benchmarks.
 */
final class LatencyTableSink implements DynamicTableSink {

    private final LatencyFunction function;
    private final boolean ownTask;

    LatencyTableSink(LatencyFunction function, boolean ownTask) {
        this.function = function;
        this.ownTask = ownTask;
    }

    @Override
    public ChangelogMode getChangelogMode(ChangelogMode requestedMode) {
        return ChangelogMode.all();
    }

    @Override
    public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
        return new DataStreamSinkProvider() {
            @Override
            public DataStreamSink<?> consumeDataStream(
                    ProviderContext providerContext, DataStream<RowData> changes) {
                // Between tasks with one partner each Flink aligns even unaligned checkpoints.
                SingleOutputStreamOperator<RowData> latency =
                        (ownTask ? changes.rebalance() : changes)
                                .transform(
                                        "latency", changes.getType(), new LatencyOperator(function))
                                .setParallelism(changes.getParallelism());
                providerContext.generateUid("latency").ifPresent(latency::uid);
                // A stream has to end in a sink; nothing reaches this one.
                return latency.sinkTo(new DiscardingSink<>())
                        .name("nothing")
                        .setParallelism(changes.getParallelism());
            }
        };
    }

    @Override
    public DynamicTableSink copy() {
        return new LatencyTableSink(function, ownTask);
    }

    @Override
    public String asSummaryString() {
        return "nexmark-latency";
    }
}
