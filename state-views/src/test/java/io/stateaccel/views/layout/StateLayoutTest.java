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
package io.stateaccel.views.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.views.join.MergedViewKind;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class StateLayoutTest {

    /**
     * Renaming a constant, an enum or a class changes none of them, and whoever changes one refuses
     * the savepoints of users. {@code sql-tests/README.md} says what a new version needs.
     */
    @Test
    void namesAndVersionsAreThoseOfTheList() throws Exception {
        try (InputStream list = getClass().getResourceAsStream("layouts.txt")) {
            String[] lines =
                    new String(list.readAllBytes(), StandardCharsets.UTF_8).strip().split("\n");
            assertThat(StateLayout.all())
                    .extracting(layout -> layout.note() + ", reads from " + layout.oldestReadable())
                    .containsExactly(lines);
        }
    }

    @Test
    void isWhatExplainShows() {
        assertThat(Stream.of(MergedViewKind.values()).map(MergedViewKind::toString))
                .containsExactly("single row", "appended list", "unique-key list", "counted list");
    }

    @Test
    void readsItsOwnVersion() {
        assertThatThrownBy(() -> new StateLayout("list", 1, 2))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new StateLayout("list", 1, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
