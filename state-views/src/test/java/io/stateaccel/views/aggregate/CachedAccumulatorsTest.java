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
package io.stateaccel.views.aggregate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.data.binary.BinaryRowData;
import org.apache.flink.table.data.writer.BinaryRowWriter;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CachedAccumulatorsTest {

    private static final RowDataSerializer SERIALIZER =
            new RowDataSerializer(new BigIntType(), new VarCharType(VarCharType.MAX_LENGTH));

    private final KeyedValueStub state = new KeyedValueStub();

    static LongStream seeds() {
        Long replay = Long.getLong("stateaccel.seed");
        return replay != null ? LongStream.of(replay) : new Random(System.nanoTime()).longs(500);
    }

    /** Random operations, with crashes back to the last write-back, against a plain map. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void behavesLikeAMap(long seed) throws Exception {
        Random random = new Random(seed);
        long[] budgets = {0, 400, 4_000, 1 << 20};
        long budget = budgets[random.nextInt(budgets.length)];
        CachedAccumulators cache = cache(budget);
        Map<RowData, Long> expected = new HashMap<>();
        for (int i = 0; i < 300; i++) {
            BinaryRowData key = key(random.nextInt(20));
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    expected.put(key, (long) i);
                    cache.put(key, accumulator(i, random.nextInt(50)));
                }
                case 3 -> {
                    expected.remove(key);
                    cache.remove(key);
                }
                case 4 -> {
                    if (random.nextInt(10) == 0) {
                        cache.writeBack();
                        cache = cache(budget);
                    }
                }
                default -> {
                    RowData found = cache.get(key);
                    assertThat(found == null ? null : (Long) found.getLong(0))
                            .as("-Dstateaccel.seed=%d", seed)
                            .isEqualTo(expected.get(key));
                }
            }
            assertThat(cache.bytes()).isLessThanOrEqualTo(budget);
        }
        cache.writeBack();
        Map<RowData, Long> written = new HashMap<>();
        state.values.forEach((key, value) -> written.put(key, value.getLong(0)));
        assertThat(written).as("-Dstateaccel.seed=%d", seed).isEqualTo(expected);
    }

    @Test
    void cachedAccumulatorIsNeitherReadNorWrittenAgain() throws Exception {
        CachedAccumulators cache = cache(1 << 20);
        for (int i = 0; i < 1000; i++) {
            cache.get(key(1));
            cache.put(key(1), accumulator(i, 3));
        }
        assertThat(state.reads).isEqualTo(1);
        assertThat(state.writes).isZero();
        cache.writeBack();
        cache.writeBack();
        assertThat(state.writes).isEqualTo(1);
    }

    @Test
    void laterChangesOfTheRowThatWasPutAreNotSeen() throws Exception {
        CachedAccumulators cache = cache(1 << 20);
        GenericRowData accumulator = accumulator(1, 3);
        cache.put(key(1), accumulator);
        accumulator.setField(0, 99L);
        assertThat(cache.get(key(1)).getLong(0)).isEqualTo(1);
    }

    private CachedAccumulators cache(long budget) {
        return new CachedAccumulators(state, SERIALIZER, state::setCurrentKey, budget);
    }

    private static GenericRowData accumulator(long value, int length) {
        return GenericRowData.of(value, StringData.fromString("x".repeat(length)));
    }

    private static BinaryRowData key(long id) {
        BinaryRowData key = new BinaryRowData(1);
        BinaryRowWriter writer = new BinaryRowWriter(key);
        writer.writeLong(0, id);
        writer.complete();
        return key;
    }

    /** A value state by key, as a backend would hold it. */
    private static final class KeyedValueStub implements ValueState<RowData> {
        final Map<RowData, RowData> values = new HashMap<>();
        private RowData currentKey;
        int reads;
        int writes;

        void setCurrentKey(RowData key) {
            currentKey = key;
        }

        @Override
        public RowData value() {
            reads++;
            return values.get(currentKey);
        }

        @Override
        public void update(RowData value) {
            writes++;
            values.put(currentKey, value);
        }

        @Override
        public void clear() {
            writes++;
            values.remove(currentKey);
        }
    }
}
