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
package io.stateaccel.views;

import io.stateaccel.views.layout.StateLayouts;
import io.stateaccel.views.time.Lifetime;
import io.stateaccel.views.time.TimeToLive;
import java.util.function.LongSupplier;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.runtime.state.KeyedStateBackend;
import org.apache.flink.table.data.RowData;

/**
 * Where an operator's views keep their state.
 *
 * @param runtime registers states under the operator's name
 * @param backend holds the operator's keyed state
 * @param layouts what a snapshot says of the states
 * @param mayBeStocks whether a stock operator may go on from the states where it can read them; not
 *     if the operator keeps more than stock's has
 * @param startsWithoutState whether there is no state of the operator in what the job goes on from,
 *     if it does
 * @param clock milliseconds of the operator's processing time
 */
public record ViewContext(
        RuntimeContext runtime,
        KeyedStateBackend<RowData> backend,
        StateLayouts layouts,
        boolean mayBeStocks,
        boolean startsWithoutState,
        LongSupplier clock) {

    /** What a time to live comes to by the operator's clock. */
    public Lifetime lifetime(TimeToLive ttl) {
        return ttl.by(clock);
    }
}
