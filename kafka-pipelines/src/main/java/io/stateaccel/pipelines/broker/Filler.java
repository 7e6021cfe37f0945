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
package io.stateaccel.pipelines.broker;

import io.stateaccel.pipelines.orders.OrderEvent;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Sends events to their topics, each once and those of a partition in order, also where the broker
 * is killed and restarted meanwhile. Used by one thread.
 */
public final class Filler implements Consumer<OrderEvent>, AutoCloseable {

    private final KafkaProducer<byte[], byte[]> producer;
    private final AtomicReference<Exception> failure = new AtomicReference<>();

    public Filler(String bootstrapServers) {
        producer =
                new KafkaProducer<>(
                        Map.of(
                                "bootstrap.servers", bootstrapServers,
                                "enable.idempotence", "true",
                                "delivery.timeout.ms", "300000",
                                "linger.ms", "20",
                                "batch.size", "131072",
                                "compression.type", "none"),
                        new ByteArraySerializer(),
                        new ByteArraySerializer());
    }

    @Override
    public void accept(OrderEvent event) {
        producer.send(
                new ProducerRecord<>(event.topic(), bytes(event.key()), bytes(event.value())),
                (ignored, e) -> {
                    if (e != null) {
                        failure.compareAndSet(null, e);
                    }
                });
    }

    /**
     * Waits until the broker has all events.
     *
     * @throws IOException if one could not be sent
     */
    public void flush() throws IOException {
        producer.flush();
        if (failure.get() != null) {
            throw new IOException("Cannot fill the topics", failure.get());
        }
    }

    @Override
    public void close() {
        producer.close();
    }

    private static byte[] bytes(String text) {
        return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }
}
