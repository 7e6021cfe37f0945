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
import org.apache.flink.table.annotation.ArgumentHint;
import org.apache.flink.table.annotation.ArgumentTrait;
import org.apache.flink.table.annotation.DataTypeHint;
import org.apache.flink.table.annotation.StateHint;
import org.apache.flink.table.functions.ProcessTableFunction;
import org.apache.flink.types.Row;

/**
 * The function of {@code sample-join}: gathers what belongs to a key in one object, and emits and
 * clears it a minute of event time after the key was first seen.
 */
@DataTypeHint(
        "ROW<category BIGINT, description STRING, bids BIGINT, volume BIGINT, highest BIGINT>")
public final class SampleJoin extends ProcessTableFunction<Row> {

    private static final long serialVersionUID = 1L;

    private static final long GATHERED_MILLIS = 60_000;

    /** What was gathered of a key. */
    public static final class Sample {
        public Long category;
        public String description;
        public long bids;
        public long volume;
        public long highest;
        public boolean started;
    }

    /**
     * Adds a row.
     *
     * @param sample what was gathered so far
     * @param input a row of either stream: with a price if it is a bid
     */
    public void eval(
            Context context,
            @StateHint Sample sample,
            @ArgumentHint(ArgumentTrait.SET_SEMANTIC_TABLE) Row input) {
        Long price = input.getFieldAs("price");
        if (price == null) {
            sample.category = input.getFieldAs("category");
            sample.description = input.getFieldAs("description");
        } else {
            sample.bids++;
            sample.volume += price;
            sample.highest = Math.max(sample.highest, price);
        }
        if (!sample.started) {
            sample.started = true;
            TimeContext<Instant> time = context.timeContext(Instant.class);
            time.registerOnTime(time.time().plusMillis(GATHERED_MILLIS));
        }
    }

    /** Emits and clears. */
    public void onTimer(OnTimerContext context, Sample sample) {
        collect(
                Row.of(
                        sample.category,
                        sample.description,
                        sample.bids,
                        sample.volume,
                        sample.highest));
        context.clearAll();
    }
}
