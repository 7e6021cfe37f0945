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

import io.stateaccel.views.time.AgedValue;
import io.stateaccel.views.time.Lifetime;
import io.stateaccel.views.time.TimeToLive;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
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

    /** Random operations as time goes by, with crashes back to the last write-back. */
    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void behavesLikeAMapWhoseEntriesExpire(long seed) throws Exception {
        assertThat(differenceFromAMap(seed)).as("-Dstateaccel.seed=%d", seed).isNull();
    }

    /** Accumulators that are as old as the write-back, or that reading renews. */
    @Test
    void aWrongAgeIsFound() throws Exception {
        for (Fault fault : List.of(Fault.AGE_OF_WRITE_BACK, Fault.RENEWAL_ON_READ)) {
            int found = 0;
            for (long seed = 0; seed < 100; seed++) {
                state.reset(fault);
                found += differenceFromAMap(seed) == null ? 0 : 1;
            }
            assertThat(found).as("cases of 100 that find %s", fault).isGreaterThan(10);
        }
    }

    private String differenceFromAMap(long seed) throws Exception {
        Random random = new Random(seed);
        long[] budgets = {0, 400, 4_000, 1 << 20};
        long budget = budgets[random.nextInt(budgets.length)];
        TimeToLive ttl = TimeToLive.ofMillis(random.nextInt(4) == 0 ? 0 : 1_000);
        Lifetime lifetime = ttl.by(() -> state.now);
        state.lifetime = lifetime;
        CachedAccumulators cache = cache(budget, lifetime);
        Map<RowData, Aged> expected = new HashMap<>();
        for (int i = 0; i < 300; i++) {
            BinaryRowData key = key(random.nextInt(20));
            state.now += random.nextInt(10) == 0 ? random.nextInt(500) : random.nextInt(20);
            switch (random.nextInt(8)) {
                case 0, 1, 2 -> {
                    // Bundles end some time after what is in them came.
                    long lastWrite = state.now - random.nextInt(50);
                    RowData accumulator = accumulator(i, random.nextInt(50));
                    expected.put(key, new Aged(accumulator, lastWrite));
                    cache.put(key, accumulator, lastWrite);
                }
                case 3 -> {
                    expected.remove(key);
                    cache.remove(key);
                }
                case 4 -> {
                    if (random.nextInt(10) == 0) {
                        cache.writeBack();
                        cache = cache(budget, lifetime);
                    }
                }
                default -> {
                    RowData found = cache.get(key);
                    Aged due = expected.get(key);
                    boolean isThere = due != null && !lifetime.isExpired(due.lastWrite);
                    if (isThere != (found != null)
                            || isThere && found.getLong(0) != due.row.getLong(0)) {
                        return "%s instead of %s at %d, %s, %d bytes"
                                .formatted(found, due, state.now, ttl, budget);
                    }
                }
            }
            assertThat(cache.bytes()).isLessThanOrEqualTo(budget);
        }
        cache.writeBack();
        Map<RowData, Long> written = new HashMap<>();
        state.values.forEach((key, value) -> written.put(key, value.row.getLong(0)));
        expected.values().removeIf(due -> lifetime.isExpired(due.lastWrite));
        Map<RowData, Long> due = new HashMap<>();
        expected.forEach((key, value) -> due.put(key, value.row.getLong(0)));
        state.values.forEach(
                (key, value) -> {
                    if (lifetime.isExpired(value.lastWrite)) {
                        written.remove(key);
                    }
                });
        return written.equals(due) ? null : "%s written instead of %s".formatted(written, due);
    }

    @Test
    void cachedAccumulatorIsNeitherReadNorWrittenAgain() throws Exception {
        CachedAccumulators cache = cache(1 << 20);
        for (int i = 0; i < 1000; i++) {
            cache.get(key(1));
            cache.put(key(1), accumulator(i, 3), 0);
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
        cache.put(key(1), accumulator, 0);
        accumulator.setField(0, 99L);
        assertThat(cache.get(key(1)).getLong(0)).isEqualTo(1);
    }

    private CachedAccumulators cache(long budget) {
        return cache(budget, TimeToLive.FOREVER.by(() -> 0));
    }

    private CachedAccumulators cache(long budget, Lifetime lifetime) {
        return new CachedAccumulators(state, SERIALIZER, state::setCurrentKey, lifetime, budget);
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

    private enum Fault {
        NONE,
        AGE_OF_WRITE_BACK,
        RENEWAL_ON_READ
    }

    private record Aged(RowData row, long lastWrite) {}

    /** A value by key, as a backend would hold it. */
    private static final class KeyedValueStub implements AgedValue<Void, RowData> {
        final Map<RowData, Aged> values = new HashMap<>();
        private RowData currentKey;
        private Fault fault = Fault.NONE;
        private Lifetime lifetime = TimeToLive.FOREVER.by(() -> 0);
        long now = 10_000;
        int reads;
        int writes;

        void reset(Fault fault) {
            values.clear();
            this.fault = fault;
        }

        void setCurrentKey(RowData key) {
            currentKey = key;
        }

        @Override
        public void setCurrentNamespace(Void namespace) {}

        @Override
        public RowData value() {
            reads++;
            Aged aged = values.get(currentKey);
            if (aged == null || lifetime.isExpired(aged.lastWrite)) {
                return null;
            }
            if (fault == Fault.RENEWAL_ON_READ) {
                values.put(currentKey, new Aged(aged.row, now));
            }
            return aged.row;
        }

        @Override
        public void update(RowData value, long lastWrite) {
            writes++;
            values.put(
                    currentKey,
                    new Aged(value, fault == Fault.AGE_OF_WRITE_BACK ? now : lastWrite));
        }

        @Override
        public void clear() {
            writes++;
            values.remove(currentKey);
        }
    }
}
