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
package io.stateaccel.nexmark.function;

import java.time.Instant;
import java.util.Map;
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.ArgumentTrait;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.StateHint;
import org.apache.flink.table.api.dataview.MapView;
import org.apache.flink.table.functions.ProcessTableFunction;
import org.apache.flink.types.Row;

/**
 * The function of {@code iot-last-seen}: keeps, per device, when each type of event was last seen.
 * It reads, compares and writes one entry of a map per row, and emits the map when the stream ends.
 */
@DataTypeHint("ROW<event_type INT, last_seen BIGINT>")
public final class LastSeen extends ProcessTableFunction<Row> {

    private static final long serialVersionUID = 1L;

    /** No event is as late; the watermark passes it when the stream ends. */
    private static final Instant END = Instant.parse("9999-01-01T00:00:00Z");

    /**
     * Adds a row.
     *
     * @param lastSeen milliseconds since the epoch, by type of event
     * @param input an event of a device
     */
    public void eval(
            Context context,
            @StateHint MapView<Integer, Long> lastSeen,
            @ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE) Row input)
            throws Exception {
        TimeContext<Instant> time = context.timeContext(Instant.class);
        long now = time.time().toEpochMilli();
        Integer type = input.getFieldAs("event_type");
        Long before = lastSeen.get(type);
        if (before == null || before < now) {
            lastSeen.put(type, now);
        }
        // The same timer again and again is one timer.
        time.registerOnTime(END);
    }

    /** Emits. */
    public void onTimer(OnTimerContext context, MapView<Integer, Long> lastSeen) throws Exception {
        for (Map.Entry<Integer, Long> entry : lastSeen.entries()) {
            collect(Row.of(entry.getKey(), entry.getValue()));
        }
        context.clearAll();
    }
}
