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
package io.stateaccel.operators.bundle;

import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.operators.TimestampedCollector;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.table.data.RowData;
import org.apache.flink.util.Collector;
import org.apache.flink.util.clock.Clock;

/**
 * Where results go, which tells how long they took to get there, operators that are chained behind
 * included. Only while it is watched: that costs two looks at the clock for each result.
 */
final class WatchedOutput implements Collector<RowData> {

    private final TimestampedCollector<RowData> output;
    private final Clock clock;

    private boolean watched;
    private long nanos;

    WatchedOutput(Output<StreamRecord<RowData>> output, Clock clock) {
        this.output = new TimestampedCollector<>(output);
        this.clock = clock;
    }

    /** Begins anew. */
    void watch(boolean watched) {
        this.watched = watched;
        this.nanos = 0;
    }

    /** For how long results have gone out since it is watched, 0 if it is not. */
    long nanos() {
        return nanos;
    }

    @Override
    public void collect(RowData result) {
        if (!watched) {
            output.collect(result);
            return;
        }
        long start = clock.relativeTimeNanos();
        output.collect(result);
        nanos += clock.relativeTimeNanos() - start;
    }

    @Override
    public void close() {
        output.close();
    }
}
