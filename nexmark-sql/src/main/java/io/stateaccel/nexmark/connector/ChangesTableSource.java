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

import io.stateaccel.nexmark.connector.ChangesTableFactory.Changelog;
import io.stateaccel.nexmark.generator.ChangeEvents;
import io.stateaccel.nexmark.generator.GeneratorConfig;
import java.util.Optional;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.DataStreamSource;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.ChangelogMode;
import org.apache.flink.table.connector.ProviderContext;
import org.apache.flink.table.connector.source.DataStreamScanProvider;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.ScanTableSource;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.types.RowKind;
import org.apache.flink.util.Collector;

/** Source of a {@code nexmark-changes} table. */
final class ChangesTableSource implements ScanTableSource {

    private final long events;
    private final int changesPerRow;
    private final int rowsPerPlace;
    private final Changelog changelog;

    ChangesTableSource(long events, int changesPerRow, int rowsPerPlace, Changelog changelog) {
        this.events = events;
        this.changesPerRow = changesPerRow;
        this.rowsPerPlace = rowsPerPlace;
        this.changelog = changelog;
    }

    @Override
    public ChangelogMode getChangelogMode() {
        return changelog == Changelog.RETRACT ? ChangelogMode.all() : ChangelogMode.upsert();
    }

    @Override
    public ScanRuntimeProvider getScanRuntimeProvider(ScanContext context) {
        TypeInformation<RowData> produced =
                context.createTypeInformation(
                        DataTypes.ROW(DataTypes.BIGINT(), DataTypes.BIGINT(), DataTypes.BIGINT()));
        // Every event is due, and always has been.
        TimetableSource<Long> numbers =
                new TimetableSource<>(
                        () -> number -> number,
                        events,
                        new Timetable(GeneratorConfig.DEFAULT, 0, 0));
        Rows rows = new Rows(events, changesPerRow, rowsPerPlace, changelog);
        return new DataStreamScanProvider() {
            @Override
            public DataStream<RowData> produceDataStream(
                    ProviderContext providerContext, StreamExecutionEnvironment environment) {
                if (ChangeEvents.LANES % environment.getParallelism() != 0) {
                    throw new ValidationException(
                            "The parallelism of a nexmark-changes table has to divide "
                                    + ChangeEvents.LANES
                                    + ", else changes of a row would come in any order");
                }
                DataStreamSource<Long> source =
                        environment.fromSource(
                                numbers, WatermarkStrategy.noWatermarks(), "changes", Types.LONG);
                providerContext.generateUid("changes").ifPresent(source::uid);
                SingleOutputStreamOperator<RowData> stream = source.flatMap(rows, produced);
                Optional<String> uid = providerContext.generateUid("rows");
                uid.ifPresent(stream::uid);
                return stream.setParallelism(source.getParallelism());
            }

            @Override
            public boolean isBounded() {
                return true;
            }
        };
    }

    @Override
    public DynamicTableSource copy() {
        return new ChangesTableSource(events, changesPerRow, rowsPerPlace, changelog);
    }

    @Override
    public String asSummaryString() {
        return "nexmark-changes";
    }

    /** From the number of a change to its rows, none to two. */
    private static final class Rows implements FlatMapFunction<Long, RowData> {

        private static final long serialVersionUID = 1L;

        private final long events;
        private final int changesPerRow;
        private final int rowsPerPlace;
        private final Changelog changelog;

        private transient ChangeEvents changes;

        private Rows(long events, int changesPerRow, int rowsPerPlace, Changelog changelog) {
            this.events = events;
            this.changesPerRow = changesPerRow;
            this.rowsPerPlace = rowsPerPlace;
            this.changelog = changelog;
        }

        @Override
        public void flatMap(Long number, Collector<RowData> out) {
            if (changes == null) {
                changes = new ChangeEvents(events, changesPerRow, rowsPerPlace);
            }
            if (changelog == Changelog.UPSERT) {
                upsert(number, out);
            } else {
                retract(number, out);
            }
        }

        private void upsert(long number, Collector<RowData> out) {
            RowKind kind = changes.isThere(number) ? RowKind.UPDATE_AFTER : RowKind.DELETE;
            out.collect(row(kind, number, changes.amount(number)));
        }

        /** A repetition says nothing to who has been told what was replaced. */
        private void retract(long number, Collector<RowData> out) {
            if (changes.isRepetition(number)) {
                return;
            }
            boolean before = changes.wasThere(number);
            boolean after = changes.isThere(number);
            if (before) {
                out.collect(
                        row(
                                after ? RowKind.UPDATE_BEFORE : RowKind.DELETE,
                                number,
                                changes.amountBefore(number)));
            }
            if (after) {
                out.collect(
                        row(
                                before ? RowKind.UPDATE_AFTER : RowKind.INSERT,
                                number,
                                changes.amount(number)));
            }
        }

        private RowData row(RowKind kind, long number, long amount) {
            return GenericRowData.ofKind(kind, changes.id(number), changes.place(number), amount);
        }
    }
}
