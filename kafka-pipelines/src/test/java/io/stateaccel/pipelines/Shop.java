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
package io.stateaccel.pipelines;

import io.stateaccel.pipelines.broker.Filler;
import io.stateaccel.pipelines.orders.OrderEvents;
import io.stateaccel.pipelines.orders.ParcelEvents;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Sends orders and parcels, some hundred a second, until it is closed for the day. */
final class Shop {

    /** More than anybody waits for. */
    private static final int FOR_EVER = 1_000_000;

    private static final int ORDERS_AT_ONCE = 20;
    private static final long PAUSE_MILLIS = 50;

    private final String bootstrapServers;
    private final long seed;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private final Thread sender = new Thread(this::sendAndTell, "shop");

    private volatile boolean open = true;

    private Shop(String bootstrapServers, long seed) {
        this.bootstrapServers = bootstrapServers;
        this.seed = seed;
    }

    static Shop open(String bootstrapServers, long seed) {
        Shop shop = new Shop(bootstrapServers, seed);
        shop.sender.setDaemon(true);
        shop.sender.start();
        return shop;
    }

    private void sendAndTell() {
        try {
            send();
            closed.complete(null);
        } catch (IOException | InterruptedException | RuntimeException e) {
            closed.completeExceptionally(e);
        }
    }

    private void send() throws IOException, InterruptedException {
        OrderEvents orders = new OrderEvents(seed, FOR_EVER);
        ParcelEvents parcels = new ParcelEvents(seed, FOR_EVER);
        try (Filler filler = new Filler(bootstrapServers)) {
            while (open) {
                for (int i = 0; i < ORDERS_AT_ONCE; i++) {
                    orders.next(filler);
                }
                parcels.next(filler);
                Thread.sleep(PAUSE_MILLIS);
            }
            filler.flush();
        }
    }

    /** Sends no more, and returns when the broker has all that was sent. */
    void close() throws ExecutionException, InterruptedException {
        open = false;
        closed.get();
    }
}
