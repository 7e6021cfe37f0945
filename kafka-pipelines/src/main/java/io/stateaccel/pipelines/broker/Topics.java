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

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The topics of a broker: makes them, and reads what transactions have committed to them. Any
 * thread.
 */
public final class Topics {

    private static final Duration READ_DEADLINE = Duration.ofMinutes(2);
    private static final Duration POLL = Duration.ofMillis(200);

    private final String bootstrapServers;

    public Topics(String bootstrapServers) {
        this.bootstrapServers = bootstrapServers;
    }

    /**
     * A record as text.
     *
     * @param key null if it has none
     * @param value null in a tombstone
     */
    public record Message(String key, String value) {

        /** Puts the value into the table, or takes the key out of it. */
        public void applyTo(Map<String, String> table) {
            if (value == null) {
                table.remove(key);
            } else {
                table.put(key, value);
            }
        }
    }

    /**
     * Makes topics, and waits until the broker leads their partitions. (It takes a while to begin,
     * and refuses records meanwhile: of two batches on their way to a partition it may take the
     * second, and wait for the first for ever after.)
     *
     * @throws IOException if there is one of a name already, or the broker refuses
     */
    public void create(int partitions, Collection<String> names)
            throws IOException, InterruptedException {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers))) {
            admin.createTopics(
                            names.stream()
                                    .map(name -> new NewTopic(name, partitions, (short) 1))
                                    .toList())
                    .all()
                    .get();
            Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
            for (String name : names) {
                for (int partition = 0; partition < partitions; partition++) {
                    ends.put(new TopicPartition(name, partition), OffsetSpec.latest());
                }
            }
            // Only a leader answers; asked again until there is one.
            admin.listOffsets(ends).all().get();
        } catch (ExecutionException e) {
            throw new IOException("Cannot make the topics " + names, e.getCause());
        }
    }

    /**
     * Reads all records of a topic that are committed, in the order of each partition. Records of
     * open transactions, and what comes after them, are left out.
     *
     * @param reader is given one after the other
     * @throws IOException if nothing comes for minutes before the end of the topic
     */
    public void read(String topic, Consumer<Message> reader) throws IOException {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", bootstrapServers, "isolation.level", "read_committed");
        try (KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(
                        settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            List<TopicPartition> partitions =
                    consumer.partitionsFor(topic).stream()
                            .map(info -> new TopicPartition(topic, info.partition()))
                            .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
            Instant deadline = Instant.now().plus(READ_DEADLINE);
            while (partitions.stream()
                    .anyMatch(partition -> consumer.position(partition) < ends.get(partition))) {
                ConsumerRecords<byte[], byte[]> polled = consumer.poll(POLL);
                if (!polled.isEmpty()) {
                    deadline = Instant.now().plus(READ_DEADLINE);
                } else if (Instant.now().isAfter(deadline)) {
                    throw new IOException("Cannot read " + topic + " to its end");
                }
                for (ConsumerRecord<byte[], byte[]> found : polled) {
                    reader.accept(new Message(text(found.key()), text(found.value())));
                }
            }
        }
    }

    /** All that {@link #read} reads. */
    public List<Message> committed(String topic) throws IOException {
        List<Message> messages = new ArrayList<>();
        read(topic, messages::add);
        return messages;
    }

    /** The table that the upserts and tombstones of a topic make: the last value of each key. */
    public Map<String, String> table(String topic) throws IOException {
        Map<String, String> table = new TreeMap<>();
        read(topic, message -> message.applyTo(table));
        return table;
    }

    private static String text(byte[] bytes) {
        // One character for each byte: what is not text, as Avro, can be compared too.
        return bytes == null ? null : new String(bytes, StandardCharsets.ISO_8859_1);
    }
}
