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

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The events are those of a database that changes, told at least once. */
class OrderEventsTest {

    private static final int STEPS = 20_000;

    private static final Pattern CHANGE =
            Pattern.compile(
                    "\\{\"before\":(.*),\"after\":(.*),\"op\":\"([cud])\",\"ts_ms\":(\\d+)}");

    @Test
    void aSeedGivesTheSameEventsAgainAndAnotherGivesOthers() {
        assertThat(events(7)).isEqualTo(events(7)).isNotEqualTo(events(8));
    }

    @Test
    void eachChangeFitsTheRowBeforeUnlessItIsARepetition() {
        Map<String, String> rows = new HashMap<>();
        Map<String, Long> newest = new HashMap<>();
        Map<String, Integer> operations = new HashMap<>();
        for (OrderEvent event : events(1)) {
            String row = event.topic() + event.key();
            if (event.value() == null) {
                operations.merge("tombstone", 1, Integer::sum);
                continue;
            }
            Matcher change = CHANGE.matcher(event.value());
            assertThat(change.matches()).as(event.value()).isTrue();
            long step = Long.parseLong(change.group(4));
            if (step > newest.getOrDefault(row, 0L)) {
                assertThat(change.group(1)).isEqualTo(rows.getOrDefault(row, "null"));
                newest.put(row, step);
                operations.merge(change.group(3), 1, Integer::sum);
            } else {
                operations.merge("again", 1, Integer::sum);
            }
            rows.put(row, change.group(2));
        }
        assertThat(operations)
                .containsOnlyKeys("c", "u", "d", "tombstone", "again")
                .allSatisfy((name, count) -> assertThat(count).isGreaterThan(100));
    }

    /** What comes again ends with what was newest, so no row is an old one in the end. */
    @Test
    void theLastEventOfARowIsItsNewest() {
        Map<String, Long> last = new HashMap<>();
        Map<String, Long> newest = new HashMap<>();
        for (OrderEvent event : events(2)) {
            if (event.value() != null) {
                Matcher change = CHANGE.matcher(event.value());
                assertThat(change.matches()).isTrue();
                long step = Long.parseLong(change.group(4));
                last.put(event.topic() + event.key(), step);
                newest.merge(event.topic() + event.key(), step, Math::max);
            }
        }
        assertThat(last).isEqualTo(newest);
    }

    @Test
    void someKeysChangeFarMoreOftenThanOthers() {
        Map<String, Integer> changes = new HashMap<>();
        events(3).forEach(event -> changes.merge(event.topic() + event.key(), 1, Integer::sum));
        List<Integer> counts = new ArrayList<>(changes.values());
        counts.sort(null);
        assertThat(counts.get(counts.size() - 1)).isGreaterThan(10 * counts.get(counts.size() / 2));
    }

    @Test
    void everyTopicGetsEventsAndNoOther() {
        assertThat(events(4).stream().map(OrderEvent::topic).distinct())
                .containsExactlyInAnyOrderElementsOf(OrderEvents.topics());
    }

    private static List<OrderEvent> events(long seed) {
        List<OrderEvent> events = new ArrayList<>();
        new OrderEvents(seed, STEPS).forEach(events::add);
        return events;
    }
}
