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
package io.stateaccel.nexmark.connector;

import io.stateaccel.nexmark.generator.GeneratorConfig;
import java.util.Optional;
import java.util.stream.IntStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.abilities.SupportsProjectionPushDown;
import org.apache.flink.table.connector.source.abilities.SupportsWatermarkPushDown;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.RowType;

/**
 * The events as a table. Takes projections (nested ones too), so that fields no query reads are not
 * generated, and watermarks, so that no operator has to be chained for them.
 */
final class NexmarkTableSource
        implements ScanTableSource, SupportsProjectionPushDown, SupportsWatermarkPushDown {

    private final RowType table;
    private final GeneratorConfig config;
    private final long events;
    private final Optional<Timetable> timetable;

    private int[][] projection;
    private DataType producedType;
    private WatermarkStrategy<RowData> watermarks = WatermarkStrategy.noWatermarks();

    NexmarkTableSource(
            RowType table, GeneratorConfig config, long events, Optional<Timetable> timetable) {
        this.table = table;
        this.config = config;
        this.events = events;
        this.timetable = timetable;
        this.projection =
                IntStream.range(0, table.getFieldCount())
                        .mapToObj(column -> new int[] {column})
                        .toArray(int[][]::new);
    }

    @Override
    public ChangelogMode getChangelogMode() {
        return ChangelogMode.insertOnly();
    }

    @Override
    public boolean supportsNestedProjection() {
        return true;
    }

    @Override
    public void applyProjection(int[][] projectedFields, DataType producedDataType) {
        projection = projectedFields;
        producedType = producedDataType;
    }

    @Override
    public void applyWatermark(WatermarkStrategy<RowData> watermarkStrategy) {
        watermarks = watermarkStrategy;
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        TypeInformation<RowData> produced =
                producedType == null
                        ? context.createTypeInformation(table)
                        : context.createTypeInformation(producedType);
        Source<RowData, ?, ?> source = source(config, table, projection, events, timetable);
        WatermarkStrategy<RowData> strategy = watermarks;
        return new DataStreamScanProvider() {
            @Override
            public DataStream<RowData> produceDataStream(
                    ProviderContext providerContext, StreamExecutionEnvironment environment) {
                DataStreamSource<RowData> stream =
                        environment.fromSource(source, strategy, "nexmark", produced);
                providerContext.generateUid("nexmark").ifPresent(stream::uid);
                return stream;
            }

            @Override
            public boolean isBounded() {
                return events > 0;
            }
        };
    }

    /** The source of projected rows. Static, so that it takes no planner object along. */
    static Source<RowData, ?, ?> source(
            GeneratorConfig config,
            RowType table,
            int[][] projection,
            long events,
            Optional<Timetable> timetable) {
        if (timetable.isEmpty()) {
            return new EventSource<>(
                    () -> new EventEncoder(config, table, projection)::encode, events);
        }
        Timetable due = timetable.get();
        return new TimetableSource<>(
                () -> new EventEncoder(config, table, projection, due.microsAfterStart())::encode,
                events,
                due);
    }

    @Override
    public DynamicTableSource copy() {
        NexmarkTableSource copy = new NexmarkTableSource(table, config, events, timetable);
        copy.projection = projection;
        copy.producedType = producedType;
        copy.watermarks = watermarks;
        return copy;
    }

    @Override
    public String asSummaryString() {
        return "nexmark";
    }
}
