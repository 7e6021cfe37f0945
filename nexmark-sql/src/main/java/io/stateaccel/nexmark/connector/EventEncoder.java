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

import io.stateaccel.nexmark.generator.Auctions;
import io.stateaccel.nexmark.generator.Bids;
import io.stateaccel.nexmark.generator.EventSequence;
import io.stateaccel.nexmark.generator.EventType;
import io.stateaccel.nexmark.generator.GeneratorConfig;
import io.stateaccel.nexmark.generator.People;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.function.LongUnaryOperator;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.binary.BinaryStringData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.types.logical.RowType;

/**
 * Turns event numbers into rows of the projected table.
 *
 * <p>Binary rows are written at once: nothing is boxed, and the copies between chained operators
 * are plain memory copies. Only the fields the query asked for are computed. Not thread safe.
 */
final class EventEncoder {

    /** Writes one field of the event of this number. */
    @FunctionalInterface
    private interface FieldWriter {
        void write(long number, int position, BinaryRowWriter row);
    }

    private static final FieldWriter ABSENT = (number, position, row) -> row.setNullAt(position);

    private final EventSequence sequence;
    private final People people;
    private final Auctions auctions;
    private final Bids bids;
    private final LongUnaryOperator createdMicros;

    /** Per event type (by ordinal), the writers of the produced row. */
    private final FieldWriter[][] writers;

    private final BinaryRowData row;
    private final BinaryRowWriter writer;

    /** For a stream without timetable. */
    EventEncoder(GeneratorConfig config, RowType table, int[][] projection) {
        this(
                config,
                table,
                projection,
                number -> {
                    throw unknown(EventSchema.CREATED);
                });
    }

    /**
     * @param table the declared physical columns, checked by {@link EventSchema#check}
     * @param projection index paths into them, one per produced field
     * @param createdMicros the column created of an event, by its number
     */
    EventEncoder(
            GeneratorConfig config,
            RowType table,
            int[][] projection,
            LongUnaryOperator createdMicros) {
        sequence = new EventSequence(config);
        people = new People(config);
        auctions = new Auctions(config);
        bids = new Bids(config);
        this.createdMicros = createdMicros;
        EventType[] types = EventType.values();
        writers = new FieldWriter[types.length][projection.length];
        for (EventType type : types) {
            for (int i = 0; i < projection.length; i++) {
                writers[type.ordinal()][i] = writer(type, table, projection[i]);
            }
        }
        row = new BinaryRowData(projection.length);
        writer = new BinaryRowWriter(row);
    }

    /** Returns a new row, which the caller owns. */
    BinaryRowData encode(long number) {
        writer.reset();
        FieldWriter[] fields = writers[sequence.typeOf(number).ordinal()];
        for (int i = 0; i < fields.length; i++) {
            fields[i].write(number, i, writer);
        }
        writer.complete();
        return row.copy();
    }

    private FieldWriter writer(EventType type, RowType table, int[] path) {
        RowType.RowField column = table.getFields().get(path[0]);
        if (column.getName().equals(EventSchema.EVENT_TYPE)) {
            return (number, position, to) -> to.writeInt(position, type.ordinal());
        }
        if (column.getName().equals(EventSchema.CREATED)) {
            return number(createdMicros);
        }
        if (!column.getName().equals(EventSchema.column(type))) {
            return ABSENT;
        }
        RowType fields = (RowType) column.getType();
        Function<String, FieldWriter> byName =
                switch (type) {
                    case PERSON -> this::personField;
                    case AUCTION -> this::auctionField;
                    case BID -> this::bidField;
                };
        return path.length == 1
                ? nested(fields, byName)
                : byName.apply(fields.getFieldNames().get(path[1]));
    }

    private static FieldWriter nested(RowType type, Function<String, FieldWriter> byName) {
        FieldWriter[] fields =
                type.getFieldNames().stream().map(byName).toArray(FieldWriter[]::new);
        BinaryRowData nestedRow = new BinaryRowData(fields.length);
        BinaryRowWriter nestedWriter = new BinaryRowWriter(nestedRow);
        return (number, position, to) -> {
            nestedWriter.reset();
            for (int i = 0; i < fields.length; i++) {
                fields[i].write(number, i, nestedWriter);
            }
            nestedWriter.complete();
            // The row is binary already, so no serializer is needed.
            to.writeRow(position, nestedRow, null);
        };
    }

    private FieldWriter personField(String name) {
        return switch (name) {
            case "id" -> number(people::id);
            case "name" -> text(people::name);
            case "emailAddress" -> text(people::emailAddress);
            case "creditCard" -> text(people::creditCard);
            case "city" -> text(people::city);
            case "state" -> text(people::state);
            case "dateTime" -> number(sequence::timeMillis);
            case "extra" -> text(people::extra);
            default -> throw unknown(name);
        };
    }

    private FieldWriter auctionField(String name) {
        return switch (name) {
            case "id" -> number(auctions::id);
            case "itemName" -> text(auctions::itemName);
            case "description" -> text(auctions::description);
            case "initialBid" -> number(auctions::initialBid);
            case "reserve" -> number(auctions::reserve);
            case "dateTime" -> number(sequence::timeMillis);
            case "expires" -> number(auctions::expiresMillis);
            case "seller" -> number(auctions::seller);
            case "category" -> number(auctions::category);
            case "extra" -> text(auctions::extra);
            default -> throw unknown(name);
        };
    }

    private FieldWriter bidField(String name) {
        return switch (name) {
            case "auction" -> number(bids::auction);
            case "bidder" -> number(bids::bidder);
            case "price" -> number(bids::price);
            case "channel" -> text(bids::channel);
            case "url" -> text(bids::url);
            case "dateTime" -> number(sequence::timeMillis);
            case "extra" -> text(bids::extra);
            default -> throw unknown(name);
        };
    }

    /** A BIGINT, or a TIMESTAMP(3), which a binary row stores as its milliseconds. */
    private static FieldWriter number(LongUnaryOperator field) {
        return (number, position, row) -> row.writeLong(position, field.applyAsLong(number));
    }

    private static FieldWriter text(LongFunction<BinaryStringData> field) {
        return (number, position, row) -> row.writeString(position, field.apply(number));
    }

    private static IllegalStateException unknown(String field) {
        return new IllegalStateException("Field " + field + " passed the schema check");
    }
}
