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
package io.stateaccel.tests.restore;

import java.util.TreeMap;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.table.api.dataview.MapView;
import org.apache.flink.table.functions.TableAggregateFunction;
import org.apache.flink.util.Collector;

/**
 * The three least values that are not null, with their places. It keeps all of them in a view, and
 * how many there were, so that its accumulators are both in values and in views.
 */
public final class ThreeLeast
        extends TableAggregateFunction<Tuple2<Long, Integer>, ThreeLeast.Values> {

    private static final long serialVersionUID = 1L;

    private static final int PLACES = 3;

    @Override
    public Values createAccumulator() {
        return new Values();
    }

    public void accumulate(Values values, Integer value) throws Exception {
        if (value != null) {
            values.rows++;
            add(values, value, 1);
        }
    }

    public void retract(Values values, Integer value) throws Exception {
        if (value != null) {
            values.rows--;
            add(values, value, -1);
        }
    }

    public void merge(Values values, Iterable<Values> others) throws Exception {
        for (Values other : others) {
            values.rows += other.rows;
            for (var counted : other.counts.entries()) {
                add(values, counted.getKey(), counted.getValue());
            }
        }
    }

    private static void add(Values values, Integer value, int times) throws Exception {
        Integer before = values.counts.get(value);
        int after = before == null ? times : before + times;
        if (after == 0) {
            values.counts.remove(value);
        } else {
            values.counts.put(value, after);
        }
    }

    /** The last place is that of the number of values. */
    public void emitValue(Values values, Collector<Tuple2<Long, Integer>> out) throws Exception {
        TreeMap<Integer, Integer> sorted = new TreeMap<>();
        for (var counted : values.counts.entries()) {
            sorted.put(counted.getKey(), counted.getValue());
        }
        long place = 0;
        for (var counted : sorted.entrySet()) {
            for (int i = 0; i < counted.getValue() && place < PLACES; i++) {
                out.collect(Tuple2.of(++place, counted.getKey()));
            }
        }
        out.collect(Tuple2.of(-1L, (int) values.rows));
    }

    /** So far. */
    public static final class Values {
        public long rows;
        public MapView<Integer, Integer> counts = new MapView<>();
    }
}
