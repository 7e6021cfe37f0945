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
package io.stateaccel.operators.clock;

import io.stateaccel.operators.clock.ClockedRun.Operators;
import io.stateaccel.operators.clock.ClockedScript.Bundle;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.runtime.keyselector.RowDataKeySelector;

/**
 * A script that Flink's operator and ours play: after each bundle both results are the same, ours
 * has told of the same rows, has overdrawn none that Flink's has not, and has emitted no more.
 *
 * @param operators ours and Flink's
 * @param key of rows
 * @param told takes what one of them emits
 * @param description of the case
 */
public record ClockedComparison(
        Operators operators, RowDataKeySelector key, Supplier<ToldRows> told, String description) {

    /**
     * The first difference, if there is one.
     *
     * @param backend that ours runs on
     * @param turns whether Flink's operator and ours take turns in the run of ours, with each
     *     restore
     */
    public Optional<String> difference(ClockedScript script, String backend, boolean turns)
            throws Exception {
        ToldRows stock = told.get();
        ToldRows ours = told.get();
        try (ClockedRun stockRun = new ClockedRun(operators, false, key, "hashmap");
                ClockedRun ourRun = new ClockedRun(operators, true, key, backend)) {
            boolean isOurs = true;
            for (Bundle bundle : script.bundles()) {
                List<RowData> expected = stockRun.process(bundle);
                List<RowData> actual = ourRun.process(bundle);
                stock.take(expected);
                ours.take(actual);
                String at = " after the flush at " + bundle.flushedAt() + " of " + description;
                if (!ours.live().equals(stock.live())) {
                    return Optional.of(ours.live() + " is not " + stock.live() + at);
                }
                if (!ours.told().equals(stock.told())) {
                    return Optional.of(ours.told() + " is told, not " + stock.told() + at);
                }
                if (!stock.overdrawn().containsAll(ours.overdrawn())) {
                    return Optional.of(ours.overdrawn() + " are overdrawn" + at);
                }
                if (!stock.deletedFromNothing().containsAll(ours.deletedFromNothing())) {
                    return Optional.of(ours.deletedFromNothing() + " had no row" + at);
                }
                if (actual.size() > expected.size()) {
                    return Optional.of(actual + " is more than " + expected + at);
                }
                if (bundle.restoredWith() > 0) {
                    isOurs = !isOurs || !turns;
                    ourRun.restore(isOurs, bundle.restoredWith(), bundle.restoredAt());
                }
            }
        }
        return Optional.empty();
    }
}
