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

import static org.apache.flink.table.types.logical.LogicalTypeRoot.BIGINT;
import static org.apache.flink.table.types.logical.LogicalTypeRoot.INTEGER;
import static org.apache.flink.table.types.logical.LogicalTypeRoot.ROW;
import static org.apache.flink.table.types.logical.LogicalTypeRoot.TIMESTAMP_WITHOUT_TIME_ZONE;
import static org.apache.flink.table.types.logical.LogicalTypeRoot.VARCHAR;

import io.stateaccel.nexmark.generator.EventType;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeRoot;
import org.apache.flink.table.types.logical.RowType;
import org.apache.flink.table.types.logical.TimestampType;
import org.apache.flink.table.types.logical.VarCharType;

/**
 * The columns an events table may declare. A table may leave columns and fields out and may order
 * them as it likes: they are found by name.
 */
final class EventSchema {

    static final String EVENT_TYPE = "event_type";

    /** When the event was due, in microseconds after the first one. */
    static final String CREATED = "created";

    private static final Map<EventType, Map<String, LogicalTypeRoot>> FIELDS =
            Map.of(
                    EventType.PERSON,
                    fields(
                            "id", BIGINT,
                            "name", VARCHAR,
                            "emailAddress", VARCHAR,
                            "creditCard", VARCHAR,
                            "city", VARCHAR,
                            "state", VARCHAR,
                            "dateTime", TIMESTAMP_WITHOUT_TIME_ZONE,
                            "extra", VARCHAR),
                    EventType.AUCTION,
                    fields(
                            "id", BIGINT,
                            "itemName", VARCHAR,
                            "description", VARCHAR,
                            "initialBid", BIGINT,
                            "reserve", BIGINT,
                            "dateTime", TIMESTAMP_WITHOUT_TIME_ZONE,
                            "expires", TIMESTAMP_WITHOUT_TIME_ZONE,
                            "seller", BIGINT,
                            "category", BIGINT,
                            "extra", VARCHAR),
                    EventType.BID,
                    fields(
                            "auction", BIGINT,
                            "bidder", BIGINT,
                            "price", BIGINT,
                            "channel", VARCHAR,
                            "url", VARCHAR,
                            "dateTime", TIMESTAMP_WITHOUT_TIME_ZONE,
                            "extra", VARCHAR));

    private EventSchema() {}

    /** Returns the name of the column that holds events of this type. */
    static String column(EventType type) {
        return type.name().toLowerCase(Locale.ROOT);
    }

    /**
     * Throws a {@link ValidationException} that names the first column the stream cannot fill.
     *
     * @param rateLimited whether events have a timetable
     */
    static void check(RowType table, boolean rateLimited) {
        for (RowType.RowField column : table.getFields()) {
            if (column.getName().equals(EVENT_TYPE)) {
                checkType(EVENT_TYPE, INTEGER, column.getType());
                continue;
            }
            if (column.getName().equals(CREATED)) {
                checkType(CREATED, BIGINT, column.getType());
                if (!rateLimited) {
                    throw new ValidationException(
                            "The nexmark column created is when an event is due, which none is"
                                    + " without 'rate.limited' = 'true'.");
                }
                continue;
            }
            EventType type = eventType(column.getName());
            checkType(column.getName(), ROW, column.getType());
            Map<String, LogicalTypeRoot> known = FIELDS.get(type);
            for (RowType.RowField field : ((RowType) column.getType()).getFields()) {
                String path = column.getName() + '.' + field.getName();
                LogicalTypeRoot expected = known.get(field.getName());
                if (expected == null) {
                    throw new ValidationException(
                            "The nexmark connector has no field "
                                    + path
                                    + ". The fields of "
                                    + column.getName()
                                    + " are "
                                    + String.join(", ", known.keySet())
                                    + '.');
                }
                checkType(path, expected, field.getType());
            }
        }
    }

    private static EventType eventType(String column) {
        for (EventType type : EventType.values()) {
            if (column(type).equals(column)) {
                return type;
            }
        }
        throw new ValidationException(
                "The nexmark connector has no column "
                        + column
                        + ". Its columns are event_type, person, auction, bid and created.");
    }

    private static void checkType(String path, LogicalTypeRoot expected, LogicalType actual) {
        boolean fits =
                actual.is(expected)
                        && (!(actual instanceof TimestampType timestamp)
                                || timestamp.getPrecision() == 3)
                        // A shorter VARCHAR would need every string to be cut.
                        && (!(actual instanceof VarCharType text)
                                || text.getLength() == VarCharType.MAX_LENGTH);
        if (!fits) {
            throw new ValidationException(
                    "The nexmark column "
                            + path
                            + " must be "
                            + sqlName(expected)
                            + " but is declared as "
                            + actual.asSummaryString()
                            + '.');
        }
    }

    private static String sqlName(LogicalTypeRoot root) {
        return switch (root) {
            case INTEGER -> "INT";
            case TIMESTAMP_WITHOUT_TIME_ZONE -> "TIMESTAMP(3)";
            case VARCHAR -> "STRING";
            default -> root.name();
        };
    }

    private static Map<String, LogicalTypeRoot> fields(Object... namesAndTypes) {
        Map<String, LogicalTypeRoot> fields = new LinkedHashMap<>();
        for (int i = 0; i < namesAndTypes.length; i += 2) {
            fields.put((String) namesAndTypes[i], (LogicalTypeRoot) namesAndTypes[i + 1]);
        }
        return fields;
    }
}
