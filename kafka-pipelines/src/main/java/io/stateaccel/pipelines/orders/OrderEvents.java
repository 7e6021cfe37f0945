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
package io.stateaccel.pipelines.orders;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * What Debezium would tell of a shop's database: customers, their orders, the lines of these, a
 * payment per line. Rows are inserted, updated, deleted and inserted again; a changed primary key
 * is a deletion and an insertion, as Debezium has it; a deletion is followed by a tombstone. Which
 * row changes follows Zipf's law, the newest first, and so does whose an order is. Rows are
 * referred to before they come, and now and then the last events of a topic come again, in order.
 *
 * <p>The same seed gives the same events. The events of a key are right in their order, so what the
 * tables hold in the end does not depend on how partitions interleave. Used by one thread.
 */
public final class OrderEvents {

    /** In percent, up to here. */
    private static final int CREATED = 40;

    private static final int UPDATED = 88;
    private static final int DELETED = 95;

    private static final int STEPS_PER_REPLAY = 500;
    private static final int REPLAYED = 20;

    private static final int ORDERS_BEHIND = 500;
    private static final int ORDERS_AHEAD = 20;
    private static final int LINES_OF_HOT_ORDERS = 50;
    private static final int HOT_ORDERS = 10_000;
    private static final int REGIONS = 12;

    /** A table, with its share of the steps in percent. */
    private enum Table {
        CUSTOMERS(4, "id", false),
        ORDERS(14, "id", false),
        ORDER_LINES(42, "id", true),
        PAYMENTS(40, "line_id", true);

        private final int share;
        private final String key;
        private final boolean keepsChanging;

        Table(int share, String key, boolean keepsChanging) {
            this.share = share;
            this.key = key;
            this.keepsChanging = keepsChanging;
        }

        private String topic() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final SplittableRandom random;
    private final long seed;
    private final long customers;
    private final Map<Table, Rows> rows = new EnumMap<>(Table.class);
    private final Map<Table, Deque<OrderEvent>> last = new EnumMap<>(Table.class);
    private final long steps;

    private long step;

    /**
     * @param events about how many there are, see {@link #forEach}
     */
    public OrderEvents(long seed, long events) {
        this.seed = seed;
        this.random = new SplittableRandom(seed);
        this.steps = events;
        // As many as there are inserted, about.
        this.customers = Math.max(10, events * Table.CUSTOMERS.share * CREATED / 10_000);
        for (Table table : Table.values()) {
            rows.put(table, new Rows());
            last.put(table, new ArrayDeque<>());
        }
    }

    /** The topics that there are events of. */
    public static List<String> topics() {
        return Stream.of(Table.values()).map(Table::topic).toList();
    }

    /**
     * Gives all events, in order: one per step, or two of a key that changes, and besides them
     * tombstones and what comes again.
     */
    public void forEach(Consumer<OrderEvent> events) {
        while (hasNext()) {
            next(events);
        }
    }

    /** Whether there is a further step. */
    public boolean hasNext() {
        return step < steps;
    }

    /** Gives the events of one step. */
    public void next(Consumer<OrderEvent> events) {
        step++;
        Table table = table();
        Consumer<OrderEvent> noted = event -> emit(table, event, events);
        Rows of = rows.get(table);
        int action = random.nextInt(100);
        if (of.count == 0 || action < CREATED) {
            insert(table, of.add(), noted);
        } else {
            int key = existing(table, of.count);
            if (!of.isThere(key)) {
                of.change(key);
                insert(table, key, noted);
            } else if (action < UPDATED) {
                String before = row(table, key, of.version(key));
                of.change(key);
                String after = row(table, key, of.version(key));
                noted.accept(debezium(table, key, before, after, 'u'));
            } else {
                delete(table, key, noted);
                if (action >= DELETED) {
                    insert(table, of.add(), noted);
                }
            }
        }
        if (random.nextInt(STEPS_PER_REPLAY) == 0) {
            List.copyOf(last.get(table)).forEach(events);
        }
    }

    private Table table() {
        int at = random.nextInt(100);
        for (Table table : Table.values()) {
            at -= table.share;
            if (at < 0) {
                return table;
            }
        }
        throw new IllegalStateException("Shares do not add up to 100");
    }

    /**
     * Mostly one of the newest. Some lines and payments change all the time, which no order or
     * customer does: each change of these is one of all the lines they have.
     */
    private int existing(Table table, int count) {
        int rank = zipf(count, random.nextDouble());
        boolean oldest = table.keepsChanging && random.nextBoolean();
        return oldest ? rank - 1 : count - rank;
    }

    private void emit(Table table, OrderEvent event, Consumer<OrderEvent> events) {
        Deque<OrderEvent> latest = last.get(table);
        latest.addLast(event);
        if (latest.size() > REPLAYED) {
            latest.removeFirst();
        }
        events.accept(event);
    }

    private void insert(Table table, int key, Consumer<OrderEvent> events) {
        String after = row(table, key, rows.get(table).version(key));
        events.accept(debezium(table, key, null, after, 'c'));
    }

    private void delete(Table table, int key, Consumer<OrderEvent> events) {
        Rows of = rows.get(table);
        String before = row(table, key, of.version(key));
        of.remove(key);
        OrderEvent deletion = debezium(table, key, before, null, 'd');
        events.accept(deletion);
        events.accept(new OrderEvent(deletion.topic(), deletion.key(), null));
    }

    private OrderEvent debezium(Table table, int key, String before, String after, char op) {
        return new OrderEvent(
                table.topic(),
                "{\"" + table.key + "\":" + key + '}',
                "{\"before\":"
                        + before
                        + ",\"after\":"
                        + after
                        + ",\"op\":\""
                        + op
                        + "\",\"ts_ms\":"
                        + step
                        + '}');
    }

    /** The row of a key follows from how often it has changed, so that nothing else is kept. */
    private String row(Table table, int key, int version) {
        return switch (table) {
            case CUSTOMERS ->
                    "{\"id\":"
                            + key
                            + ",\"name\":\"customer "
                            + key
                            + '.'
                            + version / 2
                            + "\",\"region\":\"region "
                            + bits(key, version / 3) % REGIONS
                            + "\"}";
            case ORDERS ->
                    "{\"id\":"
                            + key
                            + ",\"customer_id\":"
                            + customer(key, version / 4)
                            + ",\"status\":\"status "
                            + version
                            + "\"}";
            case ORDER_LINES ->
                    "{\"id\":"
                            + key
                            + ",\"order_id\":"
                            + order(key)
                            + ",\"product\":\"product "
                            + bits(key, 1) % 1000
                            + "\",\"quantity\":"
                            + (1 + bits(key, version) % 9)
                            + ",\"cents\":"
                            + (100 + bits(key, 2) % 10_000)
                            + '}';
            case PAYMENTS ->
                    "{\"line_id\":"
                            + key
                            + ",\"cents\":"
                            + (100 + bits(key, 3) % 90_000)
                            + ",\"state\":\""
                            + (version % 3 == 0 ? "OPEN" : "PAID")
                            + "\"}";
        };
    }

    /**
     * With probabilities that fall as the square roots of 1, 1/2, 1/3 and so on: many orders are
     * some customers', but none has a tenth of all.
     */
    private long customer(int order, int version) {
        double fraction = fraction(order, version);
        return (long) (customers * fraction * fraction);
    }

    /** Mostly one that is about to come or has come lately; some orders have many lines. */
    private long order(int line) {
        if (bits(line, 4) % LINES_OF_HOT_ORDERS == 0) {
            return zipf(HOT_ORDERS, fraction(line, 5)) - 1;
        }
        long newest = (long) line * Table.ORDERS.share / Table.ORDER_LINES.share;
        return Math.max(0, newest + ORDERS_AHEAD - zipf(ORDERS_BEHIND, fraction(line, 6)));
    }

    /** From 1 to a bound, with probabilities that fall as 1, 1/2, 1/3 and so on. */
    private static int zipf(long bound, double fraction) {
        return (int) Math.min(bound, (long) Math.pow(bound + 1, fraction));
    }

    private double fraction(int key, int purpose) {
        return (bits(key, purpose) >>> 11) * 0x1.0p-52;
    }

    /** 63 bits, none of them a sign. */
    private long bits(int key, int purpose) {
        long z = seed + key * 0x9E3779B97F4A7C15L + purpose * 0xD1B54A32D192ED03L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return (z ^ (z >>> 31)) >>> 1;
    }

    /** Of each key, counted from 0, how often it was changed; less one and negative if deleted. */
    private static final class Rows {

        private int[] versions = new int[16];
        private int count;

        private int add() {
            if (count == versions.length) {
                versions = Arrays.copyOf(versions, 2 * count);
            }
            return count++;
        }

        private boolean isThere(int key) {
            return versions[key] >= 0;
        }

        private int version(int key) {
            return versions[key];
        }

        /** Gives a row another version; one that was deleted is there again. */
        private void change(int key) {
            versions[key] = isThere(key) ? versions[key] + 1 : -versions[key];
        }

        private void remove(int key) {
            versions[key] = -versions[key] - 1;
        }
    }
}
