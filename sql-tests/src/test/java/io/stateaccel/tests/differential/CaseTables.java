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
package io.stateaccel.tests.differential;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSink;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.apache.flink.table.api.Schema;
import org.apache.flink.table.api.TableDescriptor;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.sink.DataStreamSinkProvider;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.DataType;
import org.apache.flink.types.Row;

/**
 * The tables of a case where a compiled plan has them, which knows tables by connector and options:
 * what they play and where their rows go is found by a name.
 */
public final class CaseTables implements DynamicTableSourceFactory, DynamicTableSinkFactory {

    /** The table that a result is written to. */
    static final String RESULT = "result_of_case";

    private static final String CONNECTOR = "case";

    private static final ConfigOption<String> NAME =
            ConfigOptions.key("name").stringType().noDefaultValue();

    private static final Map<String, Played> PLAYED = new ConcurrentHashMap<>();
    private static final Map<String, Wanted> WANTED = new ConcurrentHashMap<>();

    private record Played(TestTable table, ChangelogSource source) {}

    private record Wanted(ChangelogMode mode, MaterializeOperator result) {}

    /** A table that plays a source. */
    static TableDescriptor played(String name, TestTable table, ChangelogSource source) {
        PLAYED.put(name, new Played(table, source));
        return TableDescriptor.forConnector(CONNECTOR)
                .schema(table.schema())
                .option(NAME, name)
                .build();
    }

    /**
     * Has the rows of a table given to an operator.
     *
     * @param mode null for whatever changes there are
     */
    static void collect(String name, ChangelogMode mode, MaterializeOperator result) {
        WANTED.put(name, new Wanted(mode, result));
    }

    /** The table for {@link #collect}. */
    static TableDescriptor result(String name, Schema schema) {
        return TableDescriptor.forConnector(CONNECTOR).schema(schema).option(NAME, name).build();
    }

    @Override
    public String factoryIdentifier() {
        return CONNECTOR;
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(NAME);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        return new PlayedSource(nameIn(context), context.getPhysicalRowDataType());
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        return new CollectingSink(nameIn(context), context.getPhysicalRowDataType());
    }

    private String nameIn(Context context) {
        return FactoryUtil.createTableFactoryHelper(this, context).getOptions().get(NAME);
    }

    private record PlayedSource(String name, DataType type) implements ScanTableSource {

        @Override
        public ChangelogMode getChangelogMode() {
            return PLAYED.get(name).table().changes().mode();
        }

        @Override
        public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
            DataStructureConverter converter = context.createDataStructureConverter(type);
            TypeInformation<RowData> rows = context.createTypeInformation(type);
            Played played = PLAYED.get(name);
            return new DataStreamScanProvider() {
                @Override
                public DataStream<RowData> produceDataStream(
                        ProviderContext provider, StreamExecutionEnvironment environment) {
                    SingleOutputStreamOperator<Row> source =
                            environment
                                    .fromSource(
                                            played.source(),
                                            WatermarkStrategy.noWatermarks(),
                                            name,
                                            played.table().typeInformation())
                                    .setParallelism(1)
                                    .disableChaining();
                    provider.generateUid("changes").ifPresent(source::uid);
                    return source.map(
                                    (MapFunction<Row, RowData>)
                                            row -> (RowData) converter.toInternal(row))
                            .returns(rows)
                            .setParallelism(1);
                }

                @Override
                public boolean isBounded() {
                    return true;
                }
            };
        }

        @Override
        public DynamicTableSource copy() {
            return this;
        }

        @Override
        public String asSummaryString() {
            return name;
        }
    }

    private record CollectingSink(String name, DataType type) implements DynamicTableSink {

        @Override
        public ChangelogMode getChangelogMode(ChangelogMode requested) {
            ChangelogMode mode = WANTED.get(name).mode();
            return mode == null ? requested : mode;
        }

        @Override
        public SinkRuntimeProvider getSinkRuntimeProvider(Context context) {
            DataStructureConverter converter = context.createDataStructureConverter(type);
            MaterializeOperator result = WANTED.get(name).result();
            TypeInformation<Row> rows = TypeInformation.of(Row.class);
            return new DataStreamSinkProvider() {
                @Override
                public DataStreamSink<?> consumeDataStream(
                        ProviderContext provider, DataStream<RowData> changes) {
                    // One task reads all changes, in the order in which each of them was made.
                    SingleOutputStreamOperator<Row> external =
                            changes.map(
                                            (MapFunction<RowData, Row>)
                                                    row -> (Row) converter.toExternal(row))
                                    .returns(rows);
                    external.setParallelism(changes.getParallelism());
                    SingleOutputStreamOperator<Row> collected =
                            external.transform("result", rows, result)
                                    .setParallelism(1)
                                    .startNewChain();
                    provider.generateUid("result").ifPresent(collected::uid);
                    return collected.sinkTo(new DiscardingSink<>()).setParallelism(1);
                }
            };
        }

        @Override
        public DynamicTableSink copy() {
            return this;
        }

        @Override
        public String asSummaryString() {
            return name;
        }
    }
}
