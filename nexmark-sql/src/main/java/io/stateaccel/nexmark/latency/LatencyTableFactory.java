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

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Set;
import org.apache.flink.configuration.ConfigOption;
import org.apache.flink.configuration.ConfigOptions;
import org.apache.flink.configuration.ReadableConfig;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.connector.sink.DynamicTableSink;
import org.apache.flink.table.factories.DynamicTableSinkFactory;
import org.apache.flink.table.factories.FactoryUtil;
import org.apache.flink.table.types.logical.RowType;

/** Creates tables {@code WITH ('connector' = 'nexmark-latency')}. */
public final class LatencyTableFactory implements DynamicTableSinkFactory {

    private static final ConfigOption<String> START =
            ConfigOptions.key("measure.start")
                    .stringType()
                    .noDefaultValue()
                    .withDescription(
                            "The instant from which creation times are told in microseconds:"
                                    + " rate.start of the rows' source.");

    private static final ConfigOption<String> FROM =
            ConfigOptions.key("measure.from")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("Rows created before this instant do not count.");

    private static final ConfigOption<String> UNTIL =
            ConfigOptions.key("measure.until")
                    .stringType()
                    .noDefaultValue()
                    .withDescription("Rows created at this instant or later do not count.");

    private static final ConfigOption<Double> ROWS_PER_SECOND =
            ConfigOptions.key("rows-per-second")
                    .doubleType()
                    .defaultValue(0.0)
                    .withDescription(
                            "How many changes, retractions among them, all sub-tasks together take"
                                    + " in a second at most; the thread waits meanwhile. 0 for as"
                                    + " many as come.");

    private static final ConfigOption<Boolean> OWN_TASK =
            ConfigOptions.key("own-task")
                    .booleanType()
                    .defaultValue(false)
                    .withDescription(
                            "Whether the table is filled by tasks of its own, which changes are"
                                    + " sent to in turns, and not by those that make the changes.");

    @Override
    public String factoryIdentifier() {
        return "nexmark-latency";
    }

    @Override
    public Set<ConfigOption<?>> requiredOptions() {
        return Set.of(START, FROM, UNTIL);
    }

    @Override
    public Set<ConfigOption<?>> optionalOptions() {
        return Set.of(ROWS_PER_SECOND, OWN_TASK);
    }

    @Override
    public DynamicTableSink createDynamicTableSink(Context context) {
        FactoryUtil.TableFactoryHelper helper = FactoryUtil.createTableFactoryHelper(this, context);
        helper.validate();
        ReadableConfig options = helper.getOptions();
        double rowsPerSecond = options.get(ROWS_PER_SECOND);
        if (!(rowsPerSecond >= 0)) {
            throw new ValidationException(
                    ROWS_PER_SECOND.key() + " must be at least 0 but is " + rowsPerSecond);
        }
        return new LatencyTableSink(
                new LatencyFunction(
                        LatencyColumns.of(
                                (RowType) context.getPhysicalRowDataType().getLogicalType()),
                        micros(options, START),
                        micros(options, FROM),
                        micros(options, UNTIL),
                        rowsPerSecond),
                options.get(OWN_TASK));
    }

    private static long micros(ReadableConfig options, ConfigOption<String> option) {
        try {
            return WallClock.micros(Instant.parse(options.get(option)));
        } catch (DateTimeParseException e) {
            throw new ValidationException(
                    option.key()
                            + " must be an instant such as 2026-01-01T00:00:00Z but is '"
                            + options.get(option)
                            + "'");
        }
    }
}
