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

import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.table.functions.TableAggregateFunction;
import org.apache.flink.util.Collector;

/** A table aggregate: the two highest of some prices, with their places. */
public final class TwoHighest
        extends TableAggregateFunction<Tuple2<Integer, Long>, TwoHighest.Prices> {

    private static final long serialVersionUID = 1L;

    @Override
    public Prices createAccumulator() {
        return new Prices();
    }

    /** Adds a price. */
    public void accumulate(Prices prices, Long price) {
        if (prices.highest == null || price > prices.highest) {
            prices.second = prices.highest;
            prices.highest = price;
        } else if (prices.second == null || price > prices.second) {
            prices.second = price;
        }
    }

    /** Adds those of other accumulators; sliding windows ask for it. */
    public void merge(Prices prices, Iterable<Prices> others) {
        for (Prices other : others) {
            if (other.highest != null) {
                accumulate(prices, other.highest);
            }
            if (other.second != null) {
                accumulate(prices, other.second);
            }
        }
    }

    /** Emits those that there are. */
    public void emitValue(Prices prices, Collector<Tuple2<Integer, Long>> out) {
        if (prices.highest != null) {
            out.collect(Tuple2.of(1, prices.highest));
        }
        if (prices.second != null) {
            out.collect(Tuple2.of(2, prices.second));
        }
    }

    /** The accumulator. */
    public static final class Prices {
        public Long highest;
        public Long second;
    }
}
