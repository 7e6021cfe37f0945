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

import io.stateaccel.nexmark.generator.ChangeEvents;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/**
 * The {@code nexmark-changes} table: {@link ChangeEvents}, as upserts or with every row that is
 * replaced.
 */
public final class ChangesTableFactory implements DynamicTableSourceFactory {

    /** What the changes of a row are told by. */
    enum Changelog {
        /** The row that is there now, or a deletion; changes may be told twice. */
        UPSERT,

        /** The row that was there, and the one that is there now. */
        RETRACT
    }

    private static final ConfigOption<Long> EVENTS =
            ConfigOptions.key("events.num")
                    .longType()
                    .noDefaultValue()
                    .withDescription("Number of changes.");

    private static final ConfigOption<Integer> CHANGES_PER_ROW =
            ConfigOptions.key("changes-per-row")
                    .intType()
                    .defaultValue(1)
                    .withDescription("How often each row changes.");

    private static final ConfigOption<Integer> ROWS_PER_PLACE =
            ConfigOptions.key("rows-per-place")
                    .intType()
                    .defaultValue(1)
                    .withDescription("How many rows share a place.");

    private static final ConfigOption<Changelog> CHANGELOG =
            ConfigOptions.key("changelog")
                    .enumType(Changelog.class)
                    .defaultValue(Changelog.UPSERT)
                    .withDescription("What the changes of a row are told by.");

    @Override
    public String factoryIdentifier() {
        return "nexmark-changes";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(EVENTS);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of(CHANGES_PER_ROW, ROWS_PER_PLACE, CHANGELOG);
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        ReadableConfig options = helper.getOptions();
        LogicalType columns = context.getPhysicalRowDataType().getLogicalType();
        if (columns.getChildren().size() != 3
                || !columns.getChildren().stream()
                        .allMatch(column -> column.is(LogicalTypeRoot.BIGINT))) {
            throw new ValidationException(
                    "A nexmark-changes table has three columns, each a BIGINT: the row's id, its"
                            + " place and its amount");
        }
        for (ConfigOption<? extends Number> option :
                Set.of(CHANGES_PER_ROW, ROWS_PER_PLACE, EVENTS)) {
            if (options.get(option).longValue() < 1) {
                throw new ValidationException(option.key() + " must be at least 1");
            }
        }
        return new ChangesTableSource(
                options.get(EVENTS),
                options.get(CHANGES_PER_ROW),
                options.get(ROWS_PER_PLACE),
                options.get(CHANGELOG));
    }
}
