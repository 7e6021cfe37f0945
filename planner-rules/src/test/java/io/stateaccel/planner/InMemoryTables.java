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
package io.stateaccel.planner;

import io.stateaccel.flink.testing.PlanFacts;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.functions.LookupFunction;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.Row;
import org.apache.flink.util.Collector;

/**
 * Tables of {@code 'connector' = 'in-memory'}: what goes into one is in {@link #changesOf}, in the
 * JVM of a mini cluster. One that is looked up or read is empty; what is read has all kinds of
 * changes.
 */
public final class InMemoryTables implements DynamicTableSinkFactory, DynamicTableSourceFactory {

    /** Whether a table is written by upserts, for which it needs a primary key. */
    private static final ConfigOption<Boolean> UPSERTS =
            ConfigOptions.key("upserts").booleanType().defaultValue(false);

    private static final Map<String, Queue<Row>> CHANGES = new ConcurrentHashMap<>();

    /** Takes the changes that went into a table since the last call. */
    public static Queue<Row> changesOf(String table) {
        final Queue<Row> changes = CHANGES.remove(table);
        return changes == null ? new ConcurrentLinkedQueue<>() : changes;
    }

    @Override
    public String factoryIdentifier() {
        return "in-memory";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of(UPSERTS);
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        final Configuration options = Configuration.fromMap(context.getCatalogTable().getOptions());
        return new InMemorySink(
                context.getObjectIdentifier().getObjectName(),
                context.getPhysicalRowDataType(),
                options.get(UPSERTS) ? PlanFacts.upsert(false) : ChangelogMode.all());
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        return new EmptySource(context.getPhysicalRowDataType());
    }

    private record InMemorySink(String table, DataType type, ChangelogMode changes)
            implements DynamicTableSink {

        @Override
        public ChangelogMode getChangelogMode(ChangelogMode requested) {
            return changes;
        }

        @Override
        public SinkRuntimeProvider getSinkRuntimeProvider(Context runtime) {
            final DataStructureConverter converter = runtime.createDataStructureConverter(type);
            final Collecting collecting = new Collecting(table, converter);
            return new DataStreamSinkProvider() {
                @Override
                public DataStreamSink<?> consumeDataStream(
                        ProviderContext provider, DataStream<RowData> rows) {
                    return rows.map(collecting)
                            .returns(Types.INT)
                            .setParallelism(1)
                            .sinkTo(new DiscardingSink<>())
                            .setParallelism(1);
                }
            };
        }

        @Override
        public DynamicTableSink copy() {
            return this;
        }

        @Override
        public String asSummaryString() {
            return "in-memory";
        }
    }

    private record Collecting(String table, DynamicTableSink.DataStructureConverter converter)
            implements MapFunction<RowData, Integer> {

        @Override
        public Integer map(RowData row) {
            CHANGES.computeIfAbsent(table, none -> new ConcurrentLinkedQueue<>())
                    .add((Row) converter.toExternal(row));
            return 0;
        }
    }

    private record EmptySource(DataType type) implements LookupTableSource, ScanTableSource {

        @Override
        public ChangelogMode getChangelogMode() {
            return ChangelogMode.all();
        }

        @Override
        public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
            final TypeInformation<RowData> rows = context.createTypeInformation(type);
            return new DataStreamScanProvider() {
                @Override
                public DataStream<RowData> produceDataStream(
                        ProviderContext provider, StreamExecutionEnvironment environment) {
                    return environment.fromSequence(0, 0).flatMap(new NoRows()).returns(rows);
                }

                @Override
                public boolean isBounded() {
                    return true;
                }
            };
        }

        @Override
        public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
            return LookupFunctionProvider.of(new NothingFound());
        }

        @Override
        public DynamicTableSource copy() {
            return this;
        }

        @Override
        public String asSummaryString() {
            return "in-memory";
        }
    }

    /** Of an empty table. */
    public static final class NothingFound extends LookupFunction {

        @Override
        public Set<RowData> lookup(RowData key) {
            return Set.of();
        }
    }

    private static final class NoRows implements FlatMapFunction<Long, RowData> {
        private static final long serialVersionUID = 1L;

        @Override
        public void flatMap(Long number, Collector<RowData> rows) {}
    }
}
