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
package io.stateaccel.rocksdb.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.stateaccel.rocksdb.store.KeyValueStore;
import io.stateaccel.rocksdb.store.PendingWrites;
import io.stateaccel.views.batch.KeyHash;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.apache.flink.runtime.memory.MemoryManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.rocksdb.RocksDBException;

/** How the store is asked for the values of known keys, and which values win. */
class KnownValuesTest {

    private static final int KEYS = 20;

    private final MemoryManager slot = MemoryManager.create(1 << 20, 4096);
    private final TreeMap<byte[], byte[]> stored = new TreeMap<>(Arrays::compareUnsigned);
    private final List<byte[]> keys = new ArrayList<>();

    private SubTaskCache cache;
    private StateCache state;
    private int gets;
    private int scans;

    @BeforeEach
    void open() throws Exception {
        cache =
                new SubTaskCache(
                        "sub-task",
                        SlotCacheBudget.of(slot, new CacheSize(64 << 10, 1)),
                        0,
                        proxy(PendingWrites.class, (method, arguments) -> false),
                        new UnregisteredMetricsGroup());
        state = cache.stateCache("map", proxy(KeyValueStore.class, this::call));
        for (int i = 0; i < KEYS; i++) {
            keys.add(key(i));
            stored.put(key(i), bytes("stored" + i));
        }
    }

    @AfterEach
    void close() {
        cache.close();
        slot.shutdown();
    }

    @Test
    void aFewAreReadOneByOne() throws Exception {
        for (int i = 2; i < KEYS; i++) {
            cached(i, "cached" + i);
        }
        stored.remove(key(1));
        assertThat(read()).startsWith("stored0", null, "cached2").endsWith("cached19");
        assertThat(gets).isEqualTo(2);
        assertThat(scans).isZero();
    }

    @Test
    void manyAreScannedAndWhatIsCachedWins() throws Exception {
        cached(3, "cached3");
        cached(4, null);
        cached(KEYS - 1, "cached19");
        stored.remove(key(5));
        // A key that the cache has as removed, so that it is not known.
        stored.put(bytes("map07x"), bytes("removed"));
        cached("map07x", null);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            expected.add("stored" + i);
        }
        expected.set(3, "cached3");
        expected.set(4, null);
        expected.set(5, null);
        expected.set(KEYS - 1, "cached19");
        assertThat(read()).isEqualTo(expected);
        assertThat(gets).isZero();
        assertThat(scans).isEqualTo(1);
    }

    @Test
    void keysBehindMoreThanAPartOfTheMapAreFound() throws Exception {
        for (int i = 0; i < 3 * KEYS; i++) {
            stored.put(bytes("map00x" + i), bytes("removed"));
        }
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < KEYS; i++) {
            expected.add("stored" + i);
        }
        assertThat(read()).isEqualTo(expected);
        assertThat(scans).isEqualTo(4);
    }

    @Test
    void aMapOfWhichNothingIsCachedIsBestScannedUnlessItIsSmall() throws Exception {
        assertThat(KnownValues.areBestScanned(state, known(KEYS))).isTrue();
        assertThat(KnownValues.areBestScanned(state, known(1))).isFalse();
        cached(0, "cached0");
        assertThat(KnownValues.areBestScanned(state, known(KEYS))).isFalse();
    }

    private WholeMaps.Keys known(int count) throws RocksDBException {
        byte[] prefix = bytes("map of " + count);
        state.know(prefix, keys.subList(0, count));
        return state.wholeMaps().find(prefix);
    }

    private List<String> read() throws RocksDBException {
        List<String> values = new ArrayList<>();
        for (byte[] value : KnownValues.read(state, bytes("map"), keys)) {
            values.add(value == null ? null : new String(value, StandardCharsets.UTF_8));
        }
        return values;
    }

    private void cached(int key, String value) throws RocksDBException {
        cached(String.format("map%02d", key), value);
    }

    private void cached(String key, String value) throws RocksDBException {
        byte[] valueBytes = value == null ? null : bytes(value);
        state.write(
                bytes(key),
                KeyHash.of(bytes(key)),
                true,
                valueBytes,
                value == null ? CachedValue.ABSENT : valueBytes.length);
    }

    private static byte[] key(int number) {
        return bytes(String.format("map%02d", number));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private interface Call {
        Object make(String method, Object[] arguments);
    }

    @SuppressWarnings("unchecked")
    private static <T> T proxy(Class<T> type, Call call) {
        return (T)
                Proxy.newProxyInstance(
                        type.getClassLoader(),
                        new Class<?>[] {type},
                        (proxy, method, arguments) -> {
                            Object result = call.make(method.getName(), arguments);
                            return method.getReturnType() == void.class ? null : result;
                        });
    }

    @SuppressWarnings("unchecked")
    private Object call(String method, Object[] arguments) {
        switch (method) {
            case "get":
                gets++;
                return stored.get((byte[]) arguments[0]);
            case "scan":
                scans++;
                return scan(
                        (byte[]) arguments[0],
                        (byte[]) arguments[1],
                        (int) arguments[3],
                        (BiConsumer<byte[], byte[]>) arguments[4]);
            case "forget", "forgetAll":
                return null;
            default:
                throw new UnsupportedOperationException(method);
        }
    }

    private boolean scan(
            byte[] prefix, byte[] after, int most, BiConsumer<byte[], byte[]> consumer) {
        Map<byte[], byte[]> rest =
                after == null ? stored.tailMap(prefix, true) : stored.tailMap(after, false);
        rest.entrySet().stream()
                .limit(most)
                .forEach(entry -> consumer.accept(entry.getKey(), entry.getValue()));
        return rest.size() > most;
    }
}
