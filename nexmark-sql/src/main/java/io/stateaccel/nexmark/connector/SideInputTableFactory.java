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

import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.source.DynamicTableSource;
import org.apache.flink.table.connector.source.LookupTableSource;
import org.apache.flink.table.connector.source.lookup.LookupFunctionProvider;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.factories.DynamicTableSourceFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.functions.LookupFunction;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;

/**
 * Creates tables {@code WITH ('connector' = 'nexmark-side-input')}: the side input of q13, a {@code
 * BIGINT} key from 0 to 9,999 and a {@code VARCHAR} value. A lookup costs no I/O.
 */
public final class SideInputTableFactory implements DynamicTableSourceFactory {

    private static final long KEYS = 10_000;

    @Override
    public String factoryIdentifier() {
        return "nexmark-side-input";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of();
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of();
    }

    @Override
    public DynamicTableSource createDynamicTableSource(Context context) {
        FactoryUtil.createTableFactoryHelper(this, context).validate();
        List<LogicalType> columns = context.getPhysicalRowDataType().getLogicalType().getChildren();
        if (columns.size() != 2
                || !columns.get(0).is(LogicalTypeRoot.BIGINT)
                || !columns.get(1).is(LogicalTypeRoot.VARCHAR)) {
            throw new ValidationException(
                    "A nexmark-side-input table has two columns, a BIGINT and a VARCHAR, but "
                            + context.getObjectIdentifier()
                            + " has "
                            + columns);
        }
        return new SideInput();
    }

    private static final class SideInput implements LookupTableSource {

        @Override
        public LookupRuntimeProvider getLookupRuntimeProvider(LookupContext context) {
            for (int[] key : context.getKeys()) {
                if (key[0] != 0) {
                    throw new ValidationException(
                            "A nexmark-side-input table is looked up by its first column only");
                }
            }
            return LookupFunctionProvider.of(new Lookup());
        }

        @Override
        public DynamicTableSource copy() {
            return new SideInput();
        }

        @Override
        public String asSummaryString() {
            return "nexmark-side-input";
        }
    }

    /** Answers lookups. */
    public static final class Lookup extends LookupFunction {

        private static final long serialVersionUID = 1L;

        @Override
        public Collection<RowData> lookup(RowData keys) {
            if (keys.isNullAt(0) || keys.getLong(0) < 0 || keys.getLong(0) >= KEYS) {
                return List.of();
            }
            long key = keys.getLong(0);
            return List.of(GenericRowData.of(key, StringData.fromString("value-" + key)));
        }
    }
}
