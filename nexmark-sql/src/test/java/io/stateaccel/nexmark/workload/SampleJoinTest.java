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
package io.stateaccel.nexmark.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.nexmark.generator.SampleEvent;
import io.stateaccel.nexmark.generator.SampleEvent.Action;
import io.stateaccel.nexmark.generator.SampleEvent.Kind;
import io.stateaccel.nexmark.generator.SampleEvents;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.typeutils.GenericTypeInfo;
import org.apache.flink.api.java.typeutils.PojoTypeInfo;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.table.data.RowData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a sample is emitted and what belongs to it. */
class SampleJoinTest {

    private static final long SERVED_AT = 1_000_000;
    private static final long COMPLETE_AT = SERVED_AT + SampleEvents.WINDOW_MILLIS;

    private KeyedOneInputStreamOperatorTestHarness<String, SampleEvent, RowData> harness;

    @BeforeEach
    void open() throws Exception {
        harness =
                new KeyedOneInputStreamOperatorTestHarness<>(
                        new KeyedProcessOperator<>(new SampleJoin()),
                        event -> event.sample,
                        Types.STRING);
        harness.open();
    }

    @AfterEach
    void close() throws Exception {
        harness.close();
    }

    @Test
    void aTimerEmitsWhatWasGatheredAndClears() throws Exception {
        add(event("a", Kind.EXPOSURE, SERVED_AT + 1));
        add(event("a", Kind.SERVED, SERVED_AT));
        add(event("a", Kind.CLICK, SERVED_AT + 5));
        add(followUp(Action.LIKE, 10, COMPLETE_AT));
        add(followUp(Action.PLAY, 30, SERVED_AT + 7));
        add(event("b", Kind.SERVED, SERVED_AT + 100));
        assertThat(harness.numKeyedStateEntries()).isEqualTo(2);
        harness.processWatermark(COMPLETE_AT - 1);
        assertThat(harness.extractOutputValues()).isEmpty();
        harness.processWatermark(COMPLETE_AT);
        assertThat(harness.extractOutputValues())
                .singleElement()
                .satisfies(
                        row -> {
                            assertThat(row.getString(0)).hasToString("a");
                            assertThat(row.getLong(1)).as("user").isEqualTo(7);
                            assertThat(row.getLong(5)).as("exposures").isEqualTo(1);
                            assertThat(row.getLong(6)).as("clicks").isEqualTo(1);
                            assertThat(row.getLong(7)).as("plays").isEqualTo(1);
                            assertThat(row.getLong(8)).as("likes").isEqualTo(1);
                            assertThat(row.getLong(11)).as("watched").isEqualTo(40);
                            assertThat(row.getLong(12)).as("longest").isEqualTo(30);
                            assertThat(row.getLong(13)).as("last event").isEqualTo(COMPLETE_AT);
                        });
        assertThat(harness.numKeyedStateEntries()).isEqualTo(1);
        assertThat(harness.numEventTimeTimers()).isEqualTo(1);
    }

    @Test
    void theLastWatermarkEmitsEverything() throws Exception {
        add(event("a", Kind.SERVED, SERVED_AT));
        add(event("b", Kind.CLICK, SERVED_AT));
        harness.processWatermark(Long.MAX_VALUE);
        assertThat(harness.extractOutputValues()).hasSize(2);
        assertThat(harness.numKeyedStateEntries()).isZero();
        assertThat(harness.numEventTimeTimers()).isZero();
    }

    @Test
    void whatComesTooLateLeavesNoTrace() throws Exception {
        add(event("a", Kind.CLICK, COMPLETE_AT + 1));
        assertThat(harness.numKeyedStateEntries()).isZero();
        assertThat(harness.numEventTimeTimers()).isZero();
    }

    @Test
    void eventsAndStateArePojos() {
        assertThat(TypeInformation.of(SampleEvent.class)).isInstanceOf(PojoTypeInfo.class);
        PojoTypeInfo<?> state = (PojoTypeInfo<?>) TypeInformation.of(SampleJoin.Sample.class);
        for (int i = 0; i < state.getArity(); i++) {
            assertThat(state.getTypeAt(i)).isNotInstanceOf(GenericTypeInfo.class);
        }
    }

    private void add(SampleEvent event) throws Exception {
        harness.processElement(event, event.time);
    }

    private static SampleEvent followUp(Action action, long watchedMillis, long time) {
        SampleEvent event = event("a", Kind.FOLLOW_UP, time);
        event.action = action;
        event.watchedMillis = watchedMillis;
        return event;
    }

    private static SampleEvent event(String sample, Kind kind, long time) {
        SampleEvent event = new SampleEvent();
        event.sample = sample;
        event.kind = kind;
        event.time = time;
        event.servedAt = sample.equals("a") ? SERVED_AT : SERVED_AT + 100;
        event.user = 7;
        event.features = new long[SampleEvents.EXPOSED_FEATURES];
        return event;
    }
}
