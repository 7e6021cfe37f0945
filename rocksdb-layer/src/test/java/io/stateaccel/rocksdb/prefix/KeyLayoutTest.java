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
package io.stateaccel.rocksdb.prefix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.stateaccel.rocksdb.jni.NativeTesting;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.base.BooleanSerializer;
import org.apache.flink.api.common.typeutils.base.ByteSerializer;
import org.apache.flink.api.common.typeutils.base.CharSerializer;
import org.apache.flink.api.common.typeutils.base.DoubleSerializer;
import org.apache.flink.api.common.typeutils.base.FloatSerializer;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.ListSerializer;
import org.apache.flink.api.common.typeutils.base.LongSerializer;
import org.apache.flink.api.common.typeutils.base.ShortSerializer;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.api.common.typeutils.base.array.BytePrimitiveArraySerializer;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.runtime.state.SerializedCompositeKeyBuilder;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.state.rocksdb.StateAccelRocksDBAccess;
import org.apache.flink.streaming.api.windowing.windows.TimeWindow;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.BigIntType;
import org.apache.flink.table.types.logical.VarCharType;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Layouts next to the builder of Flink's that writes keys, for every pair of serializers and both
 * interpreters; and damaged keys, of which both must make the same.
 */
class KeyLayoutTest {

    private static final int KEYS_OF_A_PAIR = 60;

    @TempDir private static Path directory;

    /** Without it the layouts in Java are tested alone. */
    private static boolean hasLibrary;

    private final long seed = System.nanoTime();
    private final Random random = new Random(seed);

    @BeforeAll
    static void loadLibraries() throws IOException {
        StateAccelRocksDBAccess.ensureRocksDBIsLoaded(directory.toString());
        hasLibrary = NativeTesting.hasLibrary(directory);
    }

    @Test
    void endsWhereFlinkEndsKeyAndNamespace() throws Exception {
        System.out.println("KeyLayoutTest seed " + seed);
        for (Sample<?> key : samples()) {
            for (Sample<?> namespace : samples()) {
                for (int keyGroupBytes = 1; keyGroupBytes <= 2; keyGroupBytes++) {
                    check(keyGroupBytes, key, namespace);
                }
            }
        }
    }

    private <K, N> void check(int keyGroupBytes, Sample<K> key, Sample<N> namespace)
            throws Exception {
        KeyLayout layout =
                KeyLayout.of(keyGroupBytes, key.serializer, namespace.serializer).orElseThrow();
        SerializedCompositeKeyBuilder<K> builder =
                new SerializedCompositeKeyBuilder<>(key.serializer, keyGroupBytes, 32);
        for (int i = 0; i < KEYS_OF_A_PAIR; i++) {
            builder.setKeyAndKeyGroup(key.values.next(random), random.nextInt(128));
            N namespaceValue = namespace.values.next(random);
            byte[] prefix =
                    builder.buildCompositeKeyNamespace(namespaceValue, namespace.serializer);
            byte[] whole =
                    builder.buildCompositeKeyNamesSpaceUserKey(
                            namespaceValue,
                            namespace.serializer,
                            randomString(random, 20),
                            StringSerializer.INSTANCE);

            assertThat(layout.isPrefix(prefix)).as("seed %s", seed).isTrue();
            assertThat(bothPrefixLengths(layout, whole))
                    .as("seed %s, %s", seed, layout)
                    .isEqualTo(prefix.length);
            // Of a prefix, every part that is shorter is not in the layout.
            byte[] cut = Arrays.copyOf(prefix, random.nextInt(prefix.length));
            assertThat(bothPrefixLengths(layout, cut)).isEqualTo(-1);
        }
    }

    @Test
    void damagedKeysAreReadAlike() throws Exception {
        System.out.println("KeyLayoutTest seed " + seed);
        List<Sample<?>> samples = samples();
        for (int i = 0; i < 20_000; i++) {
            KeyLayout layout =
                    KeyLayout.of(
                                    1 + random.nextInt(2),
                                    samples.get(random.nextInt(samples.size())).serializer,
                                    samples.get(random.nextInt(samples.size())).serializer)
                            .orElseThrow();
            byte[] bytes = new byte[random.nextInt(60)];
            random.nextBytes(bytes);
            if (random.nextBoolean()) {
                // Small lengths, which lead further.
                for (int at = 0; at < bytes.length; at++) {
                    bytes[at] &= random.nextInt(4) == 0 ? 0x8f : 3;
                }
            }
            assertThat(bothPrefixLengths(layout, bytes))
                    .isLessThanOrEqualTo(bytes.length)
                    .isGreaterThanOrEqualTo(-1);
        }
    }

    @Test
    void nativeCodeRefusesProgramsThatAreNone() {
        NativeTesting.library(directory);
        byte[] key = new byte[8];
        byte[][] wrong = {{}, {0}, {9}, {KeyLayout.FIXED}, new byte[200], {-1, -1}};
        for (byte[] program : wrong) {
            assertThatThrownBy(() -> NativeTesting.prefixLength(program, key))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> NativeTesting.prefixLength(null, key))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> NativeTesting.prefixLength(new byte[] {KeyLayout.FIXED, 1}, null))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** The bytes of these cannot be told apart without the serializer. */
    @Test
    void otherSerializersHaveNoLayout() {
        TypeSerializer<Object> kryo =
                new KryoSerializer<>(Object.class, new ExecutionConfig().getSerializerConfig());
        TypeSerializer<List<Long>> list = new ListSerializer<>(LongSerializer.INSTANCE);
        assertThat(KeyLayout.of(1, kryo, VoidNamespaceSerializer.INSTANCE)).isEmpty();
        assertThat(KeyLayout.of(1, LongSerializer.INSTANCE, list)).isEmpty();
        assertThat(KeyLayout.of(1, tuple(list, LongSerializer.INSTANCE), LongSerializer.INSTANCE))
                .isEmpty();
    }

    private static int bothPrefixLengths(KeyLayout layout, byte[] key) {
        int length = layout.prefixLength(key);
        if (hasLibrary) {
            assertThat(NativeTesting.prefixLength(layout.program(), key))
                    .as("native code and Java, %s of %s", layout, Arrays.toString(key))
                    .isEqualTo(length);
        }
        return length;
    }

    private static List<Sample<?>> samples() {
        RowDataSerializer rows =
                new RowDataSerializer(new BigIntType(), new VarCharType(VarCharType.MAX_LENGTH));
        return List.of(
                new Sample<>(LongSerializer.INSTANCE, Random::nextLong),
                new Sample<>(IntSerializer.INSTANCE, Random::nextInt),
                new Sample<>(ShortSerializer.INSTANCE, r -> (short) r.nextInt()),
                new Sample<>(ByteSerializer.INSTANCE, r -> (byte) r.nextInt()),
                new Sample<>(CharSerializer.INSTANCE, r -> (char) r.nextInt()),
                new Sample<>(BooleanSerializer.INSTANCE, Random::nextBoolean),
                new Sample<>(DoubleSerializer.INSTANCE, Random::nextDouble),
                new Sample<>(FloatSerializer.INSTANCE, Random::nextFloat),
                new Sample<>(VoidNamespaceSerializer.INSTANCE, r -> VoidNamespace.INSTANCE),
                new Sample<>(
                        new TimeWindow.Serializer(),
                        r -> new TimeWindow(r.nextInt(1000), 1000 + r.nextInt(1000))),
                new Sample<>(
                        new org.apache.flink.table.runtime.operators.window.TimeWindow.Serializer(),
                        r ->
                                new org.apache.flink.table.runtime.operators.window.TimeWindow(
                                        r.nextInt(1000), 1000 + r.nextInt(1000))),
                new Sample<>(StringSerializer.INSTANCE, r -> randomString(r, 400)),
                new Sample<>(
                        BytePrimitiveArraySerializer.INSTANCE,
                        r -> {
                            byte[] bytes = new byte[r.nextInt(300)];
                            r.nextBytes(bytes);
                            return bytes;
                        }),
                new Sample<RowData>(
                        rows,
                        r ->
                                GenericRowData.of(
                                        r.nextBoolean() ? null : r.nextLong(),
                                        r.nextInt(4) == 0
                                                ? null
                                                : StringData.fromString(randomString(r, 40)))),
                new Sample<>(
                        tuple(LongSerializer.INSTANCE, IntSerializer.INSTANCE),
                        r -> Tuple2.of(r.nextLong(), r.nextInt())),
                new Sample<>(
                        tuple(StringSerializer.INSTANCE, rows),
                        r ->
                                Tuple2.of(
                                        randomString(r, 30),
                                        GenericRowData.of(
                                                r.nextLong(), StringData.fromString("x")))));
    }

    @SuppressWarnings({"unchecked", "rawtypes"})
    private static <A, B> TypeSerializer<Tuple2<A, B>> tuple(
            TypeSerializer<A> first, TypeSerializer<B> second) {
        return new TupleSerializer(Tuple2.class, new TypeSerializer<?>[] {first, second});
    }

    private static String randomString(Random random, int maxLength) {
        StringBuilder text = new StringBuilder();
        for (int left = random.nextInt(maxLength + 1); left > 0; left--) {
            int kind = random.nextInt(8);
            text.append((char) random.nextInt(kind == 0 ? 0x10000 : kind == 1 ? 0x800 : 0x80));
        }
        return text.toString();
    }

    private interface Values<T> {
        T next(Random random);
    }

    private record Sample<T>(TypeSerializer<T> serializer, Values<T> values) {}
}
