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

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.catalog.UniqueConstraint;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.RowType;

/** Creates tables {@code WITH ('connector' = 'nexmark-checksum')}. */
public final class ChecksumTableFactory implements DynamicTableSinkFactory {

    private static final ConfigOption<List<String>> IGNORED_COLUMNS =
            ConfigOptions.key("ignored-columns")
                    .stringType()
                    .asList()
                    .defaultValues()
                    .withDescription(
                            "Columns that do not count, separated by semicolons. For those whose"
                                    + " values a query leaves open, as in a top-N with ties.");

    private static final ConfigOption<Boolean> UPSERTS =
            ConfigOptions.key("upserts")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether the table, which has a primary key then, is given the new row"
                                    + " of a key alone. It keeps a hash of each on the heap, and"
                                    + " in no checkpoint.");

    @Override
    public String factoryIdentifier() {
        return "nexmark-checksum";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of(IGNORED_COLUMNS, UPSERTS);
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        RowType rowType = (RowType) context.getPhysicalRowDataType().getLogicalType();
        // A plain set of strings travels to the task managers.
        Set<String> ignored = new HashSet<>(helper.getOptions().get(IGNORED_COLUMNS));
        for (String column : ignored) {
            if (!rowType.getFieldNames().contains(column)) {
                throw new ValidationException(
                        "ignored-columns names '"
                                + column
                                + "' but the columns are "
                                + String.join(", ", rowType.getFieldNames()));
            }
        }
        return new ChecksumTableSink(
                context.getObjectIdentifier().getObjectName(),
                rowType,
                ignored,
                helper.getOptions().get(UPSERTS) ? columnsBesideKey(context) : Set.of());
    }

    private static Set<String> columnsBesideKey(Context context) {
        ResolvedSchema schema = context.getCatalogTable().getResolvedSchema();
        List<String> key =
                schema.getPrimaryKey()
                        .map(UniqueConstraint::getColumns)
                        .orElseThrow(() -> new ValidationException("upserts need a primary key"));
        Set<String> columns = new HashSet<>(schema.getColumnNames());
        key.forEach(columns::remove);
        if (columns.isEmpty()) {
            throw new ValidationException("upserts need a column beside the primary key");
        }
        return columns;
    }
}
