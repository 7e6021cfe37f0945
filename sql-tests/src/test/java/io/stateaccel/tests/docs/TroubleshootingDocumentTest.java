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
package io.stateaccel.tests.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.stateaccel.config.BackendOptionsValidator;
import io.stateaccel.config.StateAccelOptions;
import io.stateaccel.config.StateAccelOptionsValidator;
import io.stateaccel.tests.docs.TroubleshootingTable.Row;
import io.stateaccel.views.layout.StateLayouts;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Holds {@code docs/troubleshooting.md} to the code: each message is in the class that it is said
 * to come from, and what is thrown is in the table. {@code SwitchOnExistingJobTest} throws the
 * others.
 */
class TroubleshootingDocumentTest {

    static Stream<Row> ownMessages() {
        return TroubleshootingTable.rows().stream().filter(row -> !row.from().equals("Flink"));
    }

    @Test
    void everyRowIsRead() {
        assertThat(TroubleshootingTable.rows())
                .hasSize(
                        (int)
                                TroubleshootingTable.page()
                                        .lines()
                                        .filter(line -> line.startsWith("| `"))
                                        .count())
                .hasSizeGreaterThan(10);
    }

    @ParameterizedTest
    @MethodSource("ownMessages")
    void theMessageIsInTheCode(Row row) throws Exception {
        assertThat(messagesIn(row.from())).contains(row.parts());
    }

    @Test
    void whatIsThrownIsInTheTable() {
        String size = StateAccelOptions.MINI_BATCH_SIZE.key();
        String bits = StateAccelOptions.ROCKSDB_BLOOM_FILTER_BITS_PER_KEY.key();
        for (Throwable thrown :
                List.of(
                        catchThrowable(
                                () -> StateAccelOptionsValidator.validate(config(size, "0"))),
                        catchThrowable(() -> BackendOptionsValidator.validate(config(bits, "-1"))),
                        catchThrowable(
                                () -> StateAccelOptionsValidator.validate(config(size + "s", "1"))),
                        catchThrowable(
                                () ->
                                        StateAccelOptionsValidator.validate(
                                                config(
                                                        StateAccelOptions.BACKEND_PREFIX
                                                                + "a-key-like-no-other",
                                                        "1"))),
                        StateLayouts.refuseToStartEmpty("a join"))) {
            assertThat(TroubleshootingTable.explanationsOf(thrown.getMessage()))
                    .as(thrown.getMessage())
                    .hasSize(1);
        }
        assertThat(TroubleshootingTable.explanationsOf("All is well.")).isEmpty();
    }

    /** The string literals of a class, those that are one after the other as one. */
    private static String messagesIn(String className) throws IOException {
        return SourceTree.read()
                .source(className)
                .replaceAll("\"\\s*\\+\\s*\"", "")
                .replaceAll("%[sd]", "…");
    }

    private static Configuration config(String key, String value) {
        return Configuration.fromMap(Map.of(key, value));
    }
}
